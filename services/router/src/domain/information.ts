/** What can be told without deciding anything: experts, models, prices. */
import {
  CUSTOM_HEAD_SKU,
  DECISION_BODY_BYTES,
  decisionEndpoints,
  decisions,
  HEAD_BODY_BYTES,
  JSON_DEPTH_MAX,
  LEVELS_MAX,
  LEVELS_MIN,
  MESSAGES_CHARACTERS_MAX,
  MESSAGES_MAX,
  MODEL,
  MODEL_PREFIX,
  MODEL_RELEASED,
  OPTIONS_MAX,
  QUESTIONS_MAX,
  ROUTE_LABEL_MAX,
  routingEndpoints,
  STATE_MAX,
  systemone,
  TOKENS_FIRST,
  TOKENS_LAST,
} from "@triptych/contracts";
import type { Expert } from "./experts.ts";

type Body = Readonly<Record<string, unknown>>;

export function expertsBody(experts: readonly Expert[]): Body {
  return { object: "list", data: experts.map(expertBody) };
}

function expertBody({ name, kind, headId, version, head, ...expert }: Expert): Body {
  const { languages, auto, domain, accuracy, ece } = expert;
  return {
    name,
    kind,
    ...(headId !== null && { head_id: headId }),
    version,
    routes: head.routes.map(({ route, kind, description }) => ({ route, kind, description })),
    languages,
    auto,
    ...(domain !== null && { domain }),
    accuracy,
    ece,
    trunk: `sha256:${head.trunk}`,
  };
}

export function modelsBody(experts: readonly Expert[]): Body {
  const names = [MODEL, ...experts.map(({ name }) => MODEL_PREFIX + name)];
  const released = Date.parse(`${MODEL_RELEASED}T00:00:00Z`) / 1000;
  return {
    models: names.map((name) => ({
      name,
      description:
        name === MODEL
          ? "Decides by the expert that is asked, or by the options of the request."
          : `The expert ${name.slice(MODEL_PREFIX.length)}: its own routes, with calibrated confidence.`,
      release_date: MODEL_RELEASED,
    })),
    object: "list",
    data: names.map((id) => ({ id, object: "model", created: released, owned_by: "triptych" })),
  };
}

const BILLED = new Set([...decisionEndpoints, systemone, decisions].map(({ id }) => id));

/** What an appliance asks for: nothing. Its hosted front says the same with prices. `rate`: decisions a minute, null without a limit. */
export function pricingBody(rate: number | null): Body {
  return {
    currency: "EUR",
    unit: "decision",
    price: { amount_micro: 0, decisions_per_cent: null },
    billing: {
      wallet_required: false,
      header: "X-Rail-Wallet",
      charged_when: "never: this router is your own",
      never_charged: ["everything on the appliance"],
      questions_per_decision: QUESTIONS_MAX,
    },
    custom_head: {
      sku: CUSTOM_HEAD_SKU,
      amount_micro: 0,
      once: true,
      includes: ["all versions", "retraining", "the head file", "every decision"],
    },
    starter_credit: null,
    topup: null,
    rail: null,
    limits: limitsBody(rate),
    endpoints: routingEndpoints.map(({ id, method, path }) => ({ method, path, decisions: BILLED.has(id) ? 1 : 0 })),
    version: "1",
  };
}

function limitsBody(rate: number | null): Body {
  return {
    body_bytes: DECISION_BODY_BYTES,
    head_body_bytes: HEAD_BODY_BYTES,
    json_depth: JSON_DEPTH_MAX,
    state_characters: STATE_MAX,
    messages: MESSAGES_MAX,
    messages_characters: MESSAGES_CHARACTERS_MAX,
    options: OPTIONS_MAX,
    label_characters: ROUTE_LABEL_MAX,
    questions: QUESTIONS_MAX,
    levels_min: LEVELS_MIN,
    levels_max: LEVELS_MAX,
    tokens_read_first: TOKENS_FIRST,
    tokens_read_last: TOKENS_LAST,
    states_per_call: 1,
    rate: rate === null ? null : { decisions_per_minute: rate, in_flight: null },
  };
}

import {
  CUSTOM_HEAD_SKU,
  isSold,
  MODEL,
  MODEL_PREFIX,
  MODEL_RELEASED,
  QUESTIONS_MAX,
  routingEndpoints,
  routingLimits,
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
          ? "Decides with the requested expert, or with the options of the request."
          : `The expert ${name.slice(MODEL_PREFIX.length)}, with its own routes and calibrated confidence.`,
      release_date: MODEL_RELEASED,
    })),
    object: "list",
    data: names.map((id) => ({ id, object: "model", created: released, owned_by: "triptych" })),
  };
}

/**
 * A router is free; the gateway serves the same body with prices. `rate` is decisions per minute, or null for no limit.
 */
export function pricingBody(rate: number | null): Body {
  return {
    currency: "EUR",
    unit: "decision",
    price: { amount_micro: 0, decisions_per_cent: null },
    billing: {
      wallet_required: false,
      header: "X-Rail-Wallet",
      charged_when: "never: you run this router yourself",
      never_charged: ["everything on this router"],
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
    limits: routingLimits(rate === null ? null : { decisions_per_minute: rate, in_flight: null }),
    endpoints: routingEndpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      decisions: isSold(endpoint) ? 1 : 0,
    })),
    version: "1",
  };
}

import { Type } from "typebox";
import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import { ROUTE_KINDS } from "./limits.ts";
import { strictObject, nullable } from "./requests.ts";

const share = Type.Number({ minimum: 0, maximum: 1 });
const Expert = strictObject(
  {
    name: Type.String({ description: "valid values of `expert`" }),
    kind: Type.Enum(["shipped", "custom"]),
    head_id: Type.Optional(Type.String()),
    version: Type.Integer({ minimum: 1 }),
    routes: Type.Array(
      strictObject({ route: Type.String(), kind: Type.Enum([...ROUTE_KINDS]), description: Type.String() }),
    ),
    languages: Type.Array(Type.String()),
    auto: Type.Boolean({ description: "considered when a request names no expert" }),
    domain: Type.Optional(Type.String()),
    accuracy: nullable(share),
    ece: nullable(share),
    trunk: Type.String({ description: "`sha256:…` of its trunk" }),
  },
  { title: "Expert" },
);

export const listExperts = defineEndpoint({
  id: "listExperts",
  method: "GET",
  path: "/v1/experts",
  summary: "List valid values of `expert`",
  description: "Includes your live heads. Each entry lists its routes.",
  auth: "caller",
  answers: {
    200: {
      description: "the experts",
      schema: strictObject({ object: Type.Literal("list"), data: Type.Array(Expert) }, { title: "ExpertList" }),
    },
  },
  problems: ["validation_failed"],
  examples: ["/v1/experts"],
});

const Health = strictObject(
  {
    status: Type.Enum(["ok", "degraded"]),
    version: Type.String(),
    uptime_s: Type.Number({ minimum: 0 }),
    model: Type.String(),
    trunk: Type.String(),
    experts: Type.Integer({ minimum: 0, description: "available shipped experts" }),
    router: Type.Optional(
      strictObject({ status: Type.Enum(["ok", "degraded"]), url: Type.String(), latency_ms: nullable(Type.Number()) }),
    ),
    rail: Type.Optional(strictObject({ status: Type.Enum(["ok", "degraded"]) })),
  },
  { title: "Health" },
);

export const getHealth = defineEndpoint({
  id: "getHealth",
  method: "GET",
  path: "/health",
  summary: "Check liveness and the correctness of the engine",
  description: "Decides a fixed text and compares the result with the stored decision.",
  auth: null,
  answers: {
    200: { description: "healthy", schema: Health },
    503: { description: "the self-test failed", schema: Health, headers: { "Retry-After": "seconds" } },
  },
  problems: ["validation_failed"],
  examples: ["/health"],
});

const micro = Type.Integer({ minimum: 0, description: "micro-euros" });
const bound = Type.Integer({ minimum: 1 });
export const PricingLimits = strictObject({
  body_bytes: bound,
  head_body_bytes: bound,
  json_depth: bound,
  state_characters: bound,
  messages: bound,
  messages_characters: bound,
  options: bound,
  label_characters: bound,
  questions: bound,
  levels_min: bound,
  levels_max: bound,
  tokens_read_first: bound,
  tokens_read_last: bound,
  states_per_call: bound,
  rate: nullable(
    strictObject({ decisions_per_minute: bound, in_flight: nullable(bound) }, { description: "null: no rate limit" }),
  ),
});
const Pricing = strictObject(
  {
    currency: Type.Literal("EUR"),
    unit: Type.Literal("decision"),
    price: strictObject({
      amount_micro: micro,
      decisions_per_cent: nullable(Type.Integer({ minimum: 1, description: "null if decisions are free" })),
    }),
    billing: strictObject({
      wallet_required: Type.Boolean(),
      header: Type.String(),
      charged_when: Type.String(),
      never_charged: Type.Array(Type.String()),
      questions_per_decision: bound,
    }),
    custom_head: strictObject({
      sku: Type.String(),
      amount_micro: micro,
      once: Type.Literal(true),
      includes: Type.Array(Type.String()),
    }),
    starter_credit: nullable(Type.Record(Type.String(), Type.Unknown(), { description: "as published by the rail" })),
    topup: nullable(Type.Record(Type.String(), Type.Unknown(), { description: "as published by the rail" })),
    rail: nullable(strictObject({ url: Type.String(), jwks: Type.String() })),
    limits: PricingLimits,
    endpoints: Type.Array(
      strictObject({ method: Type.String(), path: Type.String(), decisions: Type.Integer({ minimum: 0 }) }),
    ),
    version: Type.String(),
  },
  { title: "Pricing" },
);

export const getPricing = defineEndpoint({
  id: "getPricing",
  method: "GET",
  path: "/pricing",
  summary: "Get the price of a decision, what is never charged, and all limits",
  description: "Prices are in micro-euros. `limits` lists every limit of requests and texts.",
  auth: null,
  answers: { 200: { description: "the pricing document", schema: Pricing } },
  problems: ["validation_failed"],
  examples: ["/pricing"],
});

export const informationEndpoints: readonly Endpoint[] = [listExperts, getHealth, getPricing];

/**
 * Routing decisions of the hosted gateway: the endpoints of the appliance plus one auth header. Every delivered 200
 * of a decision is billed once. The body is the router's, byte for byte.
 */
import type { CredentialSource, Endpoint, ServiceContract } from "../endpoint.ts";
import type { ProblemCode } from "../problems.ts";
import { compatEndpoints, listModels } from "./compat-endpoints.ts";
import { routingEndpoints, routingTags } from "./contract.ts";
import { decisionEndpoints } from "./decision-endpoints.ts";
import { listExperts } from "./information-endpoints.ts";

const NATIVE = new Set<string>(decisionEndpoints.map(({ id }) => id));
const FREE = new Set<string>([listModels.id, listExperts.id]);
const BILLED = new Set<string>([...NATIVE, ...compatEndpoints.filter(({ id }) => !FREE.has(id)).map(({ id }) => id)]);

/** Whether a delivered response of this endpoint costs one decision. */
export function isSold({ id }: Pick<Endpoint, "id">): boolean {
  return BILLED.has(id);
}

const HEADER: CredentialSource = {
  in: "header",
  name: "X-Rail-Wallet",
  description: "X-Rail-Wallet: <WALLET_TOKEN>; overrides a bearer token",
};
const BEARER: CredentialSource = { in: "bearer", description: "Authorization: Bearer <WALLET_TOKEN>" };

const METER_HEADERS = {
  "X-Meter-Remaining": "whole decisions that this token can still buy: the balance, within its caps",
  "X-Meter-Unit": "`decisions`",
  "X-Meter-Balance-Micro": "balance after this call, in micro-euros; for a sub-token, at most what its caps allow",
};
const SALE_HEADERS = {
  ...METER_HEADERS,
  "X-Rail-Receipt": "signed receipt, a compact JWS over request and response",
  "X-Rail-Charge": "ID of the charge",
  "Idempotency-Replayed": "`true` if this response was already delivered and paid for; it is not charged again",
  "Server-Timing": "`wallet`, `router`, `decide`, `charge` and `total`, in milliseconds",
};
const LIMIT_HEADERS = {
  "RateLimit-Policy": "decisions per minute and wallet",
  RateLimit: "decisions left in the window",
};

export const GATEWAY_HEADERS: readonly string[] = [
  ...Object.keys(SALE_HEADERS),
  ...Object.keys(LIMIT_HEADERS),
  "X-Request-Id",
  "Retry-After",
  "Location",
  "Link",
  "PAYMENT-REQUIRED",
  "WWW-Authenticate",
  "ETag",
  "x-typesafe-request-id",
];

const UPSTREAM_ERRORS = ["router_failed", "router_unavailable", "rail_unavailable", "overloaded"] as const;
const WALLET_ERRORS = [
  "wallet_required",
  "wallet_unknown",
  "wallet_frozen",
  "rate_limited",
  ...UPSTREAM_ERRORS,
] as const;
const sold: readonly ProblemCode[] = [
  ...WALLET_ERRORS,
  "wallet_empty",
  "cap_reached",
  "operation_not_allowed",
  "validation_failed",
  "idempotency_key_reused",
  "idempotency_in_progress",
];

export const gatewayContract: ServiceContract = {
  name: "gateway",
  title: "Triptych gateway",
  description:
    "Typed decisions with calibrated confidence: the route of a request, whether to escalate, and its complexity. 20 decisions cost 1 cent. Every delivered response is billed exactly once, with a signed receipt for request and response. The self-hosted router has the same API.",
  version: "1",
  endpoints: routingEndpoints.map(hosted),
  tags: routingTags,
  credentials: { header: [HEADER], wallet: [HEADER, BEARER], visitor: [HEADER, BEARER] },
  optionalCredentials: ["visitor"],
};

function hosted(endpoint: Endpoint): Endpoint {
  if (endpoint.auth === null) return endpoint;
  if (FREE.has(endpoint.id))
    return { ...metered(endpoint), auth: "visitor", problems: [...UPSTREAM_ERRORS, ...endpoint.problems] };
  if (!isSold(endpoint)) return ofOwner(metered(endpoint));
  const { answers, problems } = endpoint;
  const headers = { ...answers[200].headers, ...SALE_HEADERS, ...LIMIT_HEADERS };
  return {
    ...endpoint,
    auth: NATIVE.has(endpoint.id) ? "header" : "wallet",
    idempotent: true,
    answers: { ...answers, 200: { ...answers[200], headers } },
    problems: distinct([...sold, ...problems]),
  };
}

/** Every response to a known wallet contains its balance and its remaining rate limit. */
function metered(endpoint: Endpoint): Endpoint {
  const answers = Object.entries(endpoint.answers).map(([status, answer]) => {
    return [status, { ...answer, headers: { ...answer.headers, ...METER_HEADERS, ...LIMIT_HEADERS } }];
  });
  return { ...endpoint, answers: Object.fromEntries(answers) };
}

/** Heads and feedback are free for every wallet, but the first head of a name requires a purchase. */
function ofOwner(endpoint: Endpoint): Endpoint {
  const problems = endpoint.problems.filter((code) => code !== "router_token_required");
  const bought: readonly ProblemCode[] = endpoint.id === "createHead" ? ["entitlement_required"] : [];
  return { ...endpoint, auth: "wallet", problems: distinct([...WALLET_ERRORS, ...bought, ...problems]) };
}

function distinct(codes: readonly ProblemCode[]): readonly ProblemCode[] {
  return [...new Set(codes)];
}

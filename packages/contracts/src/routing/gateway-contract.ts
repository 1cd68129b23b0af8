/**
 * Routing decisions as the hosted front sells them: the endpoints of the appliance, one header more. Every delivered 200 of a decision is
 * paid for once; the answer's body is the router's, byte for byte.
 */
import type { CredentialCarrier, Endpoint, ServiceContract } from "../endpoint.ts";
import type { ProblemCode } from "../problems.ts";
import { compatEndpoints, listModels } from "./compat-endpoints.ts";
import { routingEndpoints } from "./contract.ts";
import { decisionEndpoints } from "./decision-endpoints.ts";
import { listExperts } from "./information-endpoints.ts";

const NATIVE = new Set<string>(decisionEndpoints.map(({ id }) => id));
const VISITED = new Set<string>([listModels.id, listExperts.id]);
const SOLD = new Set<string>([...NATIVE, ...compatEndpoints.filter(({ id }) => !VISITED.has(id)).map(({ id }) => id)]);

/** Whether a delivered answer of this endpoint costs a decision. */
export function isSold({ id }: Pick<Endpoint, "id">): boolean {
  return SOLD.has(id);
}

const HEADER: CredentialCarrier = {
  in: "header",
  name: "X-Rail-Wallet",
  description: "X-Rail-Wallet: <WALLET_TOKEN>; it wins over a Bearer",
};
const BEARER: CredentialCarrier = { in: "bearer", description: "Authorization: Bearer <WALLET_TOKEN>" };

const METER_HEADERS = {
  "X-Meter-Remaining": "whole decisions that the wallet holds after this call",
  "X-Meter-Unit": "`decisions`",
  "X-Meter-Balance-Micro": "what the wallet holds after this call, micro-euros",
};
const SALE_HEADERS = {
  ...METER_HEADERS,
  "X-Rail-Receipt": "the signed receipt, a compact JWS that binds question and answer",
  "X-Rail-Charge": "id of the charge",
  "Idempotency-Replayed": "`true` where the key was delivered before: nothing was charged again",
  "Server-Timing": "`wallet`, `router`, `decide`, `charge` and `total`, milliseconds",
};
const LIMIT_HEADERS = {
  "RateLimit-Policy": "decisions a minute and wallet",
  RateLimit: "what is left of them",
};

/** What browsers may read of an answer from another origin. */
export const GATEWAY_HEADERS: readonly string[] = [
  ...Object.keys(SALE_HEADERS),
  ...Object.keys(LIMIT_HEADERS),
  "X-Request-Id",
  "Retry-After",
  "Location",
  "Link",
  "PAYMENT-REQUIRED",
  "ETag",
  "x-typesafe-request-id",
];

const behind = ["router_failed", "router_unavailable", "rail_unavailable", "overloaded"] as const;
const walled = ["wallet_required", "wallet_unknown", "wallet_frozen", "rate_limited", ...behind] as const;
const sold: readonly ProblemCode[] = [
  ...walled,
  "wallet_empty",
  "validation_failed",
  "idempotency_key_reused",
  "idempotency_in_progress",
];

export const gatewayContract: ServiceContract = {
  name: "gateway",
  title: "Triptych gateway",
  description:
    "Which route a request takes, whether to hand it over, how complex it is: typed decisions with calibrated confidence. 1 cent buys 20; every delivered answer is paid for exactly once, with a signed receipt that proves question and answer. The free appliance answers the same API.",
  version: "1",
  endpoints: routingEndpoints.map(hosted),
  credentials: { header: [HEADER], wallet: [HEADER, BEARER], visitor: [HEADER, BEARER] },
  optionalCredentials: ["visitor"],
};

function hosted(endpoint: Endpoint): Endpoint {
  if (endpoint.auth === null) return endpoint;
  if (VISITED.has(endpoint.id))
    return { ...metered(endpoint), auth: "visitor", problems: [...behind, ...endpoint.problems] };
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

/** Every answer to a known wallet says what it holds, and what is left of its minute. */
function metered(endpoint: Endpoint): Endpoint {
  const answers = Object.entries(endpoint.answers).map(([status, answer]) => {
    return [status, { ...answer, headers: { ...answer.headers, ...METER_HEADERS, ...LIMIT_HEADERS } }];
  });
  return { ...endpoint, answers: Object.fromEntries(answers) };
}

/** Heads and feedback: free, for whoever has a wallet; the first head of a name has to be bought. */
function ofOwner(endpoint: Endpoint): Endpoint {
  const problems = endpoint.problems.filter((code) => code !== "router_token_required");
  const bought: readonly ProblemCode[] = endpoint.id === "createHead" ? ["entitlement_required"] : [];
  return { ...endpoint, auth: "wallet", problems: distinct([...walled, ...bought, ...problems]) };
}

function distinct(codes: readonly ProblemCode[]): readonly ProblemCode[] {
  return [...new Set(codes)];
}

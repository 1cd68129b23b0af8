/** The rail as the gateway sees it, what providers tell it, and the keys under which its receipts verify. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { ACKNOWLEDGED_MAX, CHARGES_MAX, SERVICE_BODY_BYTES, VOID_REASONS } from "./limits.ts";
import {
  ChargeRequest,
  ChargeResult,
  clientKey,
  closed,
  DeliveredCharge,
  Hello,
  nullable,
  OF_A_BODY,
  ResolvedWallet,
} from "./shapes.ts";

const instance = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$", description: "unique per running process" });
const boot = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$", description: "of this start of the process" });
const seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const walletHash = Type.String({ pattern: "^[0-9a-f]{64}$", description: "lower-case hex SHA-256 of the whole token" });

const internal = [...OF_A_BODY, "service_token_required", "not_ready"] as const;

export const helloInstance = defineEndpoint({
  id: "helloInstance",
  method: "POST",
  path: "/internal/v1/instances",
  summary: "A gateway process says hello",
  description: "Fences older boots of the instance and voids what they charged and nobody acknowledged.",
  auth: "service",
  body: closed({ instance, boot }),
  answers: { 200: { description: "the boot is the one that counts now", schema: Hello } },
  problems: [...internal, "fenced"],
});

export const resolveWallet = defineEndpoint({
  id: "resolveWallet",
  method: "POST",
  path: "/internal/v1/wallets/resolve",
  summary: "Whose token is this, and what is left",
  auth: "service",
  body: closed({ wallet_hash: walletHash }),
  answers: { 200: { description: "the wallet", schema: ResolvedWallet } },
  problems: [...internal, "wallet_not_found"],
});

export const chargeBatch = defineEndpoint({
  id: "chargeBatch",
  method: "POST",
  path: "/internal/v1/charges",
  summary: "Acknowledgements, voids and charges of one gateway; empty, a heartbeat",
  description:
    "Applied in this order: acknowledgements, voids, charges. The answer comes after the commit. The same attempt (instance, boot, seq) sent again gets the same charge and receipt.",
  auth: "service",
  bodyLimit: SERVICE_BODY_BYTES,
  body: closed({
    instance,
    boot,
    ack: Type.Optional(
      closed({
        through: seq,
        also: Type.Optional(Type.Array(seq, { maxItems: ACKNOWLEDGED_MAX, description: "delivered above `through`" })),
      }),
    ),
    voids: Type.Optional(
      Type.Array(closed({ seq, reason: Type.Enum([...VOID_REASONS]) }), { maxItems: ACKNOWLEDGED_MAX }),
    ),
    charges: Type.Optional(Type.Array(ChargeRequest, { maxItems: CHARGES_MAX })),
  }),
  answers: {
    200: {
      description: "one result for each charge, in their order; none for a replay whose receipt cannot be made again",
      schema: closed({ results: Type.Array(ChargeResult, { maxItems: CHARGES_MAX }) }, { title: "ChargeResults" }),
    },
  },
  problems: [...internal, "fenced"],
});

export const findDelivered = defineEndpoint({
  id: "findDelivered",
  method: "POST",
  path: "/internal/v1/charges/delivered",
  summary: "Was this key delivered before, for this request?",
  description:
    "For a gateway that has no new answer to charge, because no router gives one: what was delivered is final, so it may be answered again. Moves nothing.",
  auth: "service",
  body: closed({
    wallet_hash: walletHash,
    key: clientKey,
    op: ChargeRequest.properties.op,
    req: ChargeRequest.properties.req,
  }),
  answers: {
    200: {
      description: "the charge; null where the key is unknown, still runs, or means another request",
      schema: closed({ charge: nullable(DeliveredCharge) }),
    },
  },
  problems: [...internal, "wallet_not_found"],
});

export const checkEntitlement = defineEndpoint({
  id: "checkEntitlement",
  method: "GET",
  path: "/internal/v1/entitlements",
  summary: "Has this wallet bought this?",
  auth: "service",
  query: closed({
    wallet_hash: walletHash,
    sku: Type.String({ minLength: 1, maxLength: 40 }),
    ref: Type.String({ minLength: 1, maxLength: 40 }),
  }),
  answers: {
    200: { description: "yes or no", schema: closed({ entitled: Type.Boolean(), wallet_id: Type.String() }) },
  },
  problems: ["validation_failed", "service_token_required", "not_ready", "wallet_not_found"],
});

export const stripeWebhook = defineEndpoint({
  id: "stripeWebhook",
  method: "POST",
  path: "/v1/webhooks/stripe",
  summary: "Events of Stripe, signed",
  description: "Answers 200 after the commit, also for types it does not know; 400 on a bad or stale signature.",
  auth: null,
  rawBody: true,
  answers: { 200: { description: "heard", schema: closed({ received: Type.Literal(true) }) } },
  problems: ["signature_invalid", "payload_too_large", "not_found", "not_ready"],
});

const jwk = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Type.String(),
  kid: Type.String({ description: "RFC 7638 thumbprint" }),
  use: Type.Literal("sig"),
});

export const getJwks = defineEndpoint({
  id: "getJwks",
  method: "GET",
  path: "/.well-known/jwks.json",
  summary: "Keys under which receipts verify: the next, the present and all retired ones",
  auth: null,
  answers: { 200: { description: "a JSON Web Key Set", schema: closed({ keys: Type.Array(jwk) }) } },
  problems: ["not_ready"],
  examples: ["/.well-known/jwks.json"],
});

export const getRevokedKeys = defineEndpoint({
  id: "getRevokedKeys",
  method: "GET",
  path: "/.well-known/revoked-keys.json",
  summary: "Keys that were compromised, and since when not to believe them",
  auth: null,
  answers: {
    200: {
      description: "receipts of these keys issued at or after `not_after` prove nothing",
      schema: closed({
        keys: Type.Array(closed({ kid: Type.String(), not_after: Type.String({ format: "date-time" }), jwk })),
      }),
    },
  },
  problems: ["not_ready"],
  examples: ["/.well-known/revoked-keys.json"],
});

/** The rail's API for the gateway and payment providers, and the keys that verify receipts. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { jwk, jwkSet } from "../jwk-set.ts";
import { ACKNOWLEDGED_MAX, CHARGES_MAX, SERVICE_BODY_BYTES, VOID_REASONS } from "./limits.ts";
import {
  ChargeRequest,
  ChargeResult,
  clientKey,
  strictObject,
  DeliveredCharge,
  Hello,
  nullable,
  BODY_ERRORS,
  ResolvedWallet,
} from "./schemas.ts";

const instance = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$", description: "unique per running process" });
const boot = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$", description: "unique per start of the process" });
const seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const walletHash = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "lower-case hex SHA-256 of the complete token",
});

const SERVICE_ERRORS = [...BODY_ERRORS, "service_token_required", "not_ready"] as const;

export const helloInstance = defineEndpoint({
  id: "helloInstance",
  method: "POST",
  path: "/internal/v1/instances",
  summary: "Register a gateway process",
  description: "Fences older boots of the instance and voids their unacknowledged charges.",
  auth: "service",
  body: strictObject({ instance, boot }),
  answers: { 200: { description: "the boot is now the current one", schema: Hello } },
  problems: [...SERVICE_ERRORS, "fenced"],
});

export const resolveWallet = defineEndpoint({
  id: "resolveWallet",
  method: "POST",
  path: "/internal/v1/wallets/resolve",
  summary: "Look up the wallet of a token and its balance",
  description: "The gateway sends the hash of the token only, never the token.",
  auth: "service",
  body: strictObject({ wallet_hash: walletHash }),
  answers: { 200: { description: "the wallet", schema: ResolvedWallet } },
  problems: [...SERVICE_ERRORS, "wallet_not_found"],
});

export const chargeBatch = defineEndpoint({
  id: "chargeBatch",
  method: "POST",
  path: "/internal/v1/charges",
  summary: "Apply acknowledgements, voids and charges of one gateway; an empty batch is a heartbeat",
  description:
    "Applied in this order: acknowledgements, voids, charges. The response follows the commit. Retrying an attempt (instance, boot, seq) returns the same charge and receipt.",
  auth: "service",
  bodyLimit: SERVICE_BODY_BYTES,
  body: strictObject({
    instance,
    boot,
    ack: Type.Optional(
      strictObject({
        through: seq,
        also: Type.Optional(Type.Array(seq, { maxItems: ACKNOWLEDGED_MAX, description: "delivered above `through`" })),
      }),
    ),
    voids: Type.Optional(
      Type.Array(strictObject({ seq, reason: Type.Enum([...VOID_REASONS]) }), { maxItems: ACKNOWLEDGED_MAX }),
    ),
    charges: Type.Optional(Type.Array(ChargeRequest, { maxItems: CHARGES_MAX })),
  }),
  answers: {
    200: {
      description: "one result per charge, in order; none for a replay whose receipt cannot be recreated",
      schema: strictObject(
        { results: Type.Array(ChargeResult, { maxItems: CHARGES_MAX }) },
        { title: "ChargeResults" },
      ),
    },
  },
  problems: [...SERVICE_ERRORS, "fenced"],
});

export const findDelivered = defineEndpoint({
  id: "findDelivered",
  method: "POST",
  path: "/internal/v1/charges/delivered",
  summary: "Check whether a key was already delivered for this request",
  description:
    "For a gateway that has no new response to charge because no router is available. A delivery is final, so it can be replayed. Moves no money.",
  auth: "service",
  body: strictObject({
    wallet_hash: walletHash,
    key: clientKey,
    op: ChargeRequest.properties.op,
    req: ChargeRequest.properties.req,
  }),
  answers: {
    200: {
      description: "the charge; null if the key is unknown, in progress, or used for another request",
      schema: strictObject({ charge: nullable(DeliveredCharge) }),
    },
  },
  problems: [...SERVICE_ERRORS, "wallet_not_found"],
});

export const checkEntitlement = defineEndpoint({
  id: "checkEntitlement",
  method: "GET",
  path: "/internal/v1/entitlements",
  summary: "Check whether a wallet has purchased an item",
  description: "The gateway calls this before it accepts the first version of a head.",
  auth: "service",
  query: strictObject({
    wallet_hash: walletHash,
    sku: Type.String({ minLength: 1, maxLength: 40 }),
    ref: Type.String({ minLength: 1, maxLength: 40 }),
  }),
  answers: {
    200: {
      description: "whether it is purchased",
      schema: strictObject({ entitled: Type.Boolean(), wallet_id: Type.String() }),
    },
  },
  problems: ["validation_failed", "service_token_required", "not_ready", "wallet_not_found"],
});

export const stripeWebhook = defineEndpoint({
  id: "stripeWebhook",
  method: "POST",
  path: "/v1/webhooks/stripe",
  summary: "Receive signed Stripe events",
  description: "Returns 200 after the commit, also for unknown event types; 400 for an invalid or stale signature.",
  auth: null,
  rawBody: true,
  answers: { 200: { description: "received", schema: strictObject({ received: Type.Literal(true) }) } },
  problems: ["signature_invalid", "payload_too_large", "not_found", "not_ready"],
});

export const getJwks = defineEndpoint({
  id: "getJwks",
  method: "GET",
  path: "/.well-known/jwks.json",
  summary: "List the keys that verify receipts: next, current and all retired ones",
  description: "The set can be cached: keys are published 24 h before their first use and are never removed.",
  auth: null,
  answers: {
    200: { description: "a JSON Web Key Set", schema: jwkSet },
  },
  problems: ["validation_failed", "not_ready"],
  examples: ["/.well-known/jwks.json"],
});

export const getRevokedKeys = defineEndpoint({
  id: "getRevokedKeys",
  method: "GET",
  path: "/.well-known/revoked-keys.json",
  summary: "List compromised keys and the time from which they are not trusted",
  description: "Empty unless an operator has revoked a key.",
  auth: null,
  answers: {
    200: {
      description: "receipts of these keys issued at or after `not_after` are invalid",
      schema: strictObject(
        {
          keys: Type.Array(
            strictObject(
              { kid: Type.String(), not_after: Type.String({ format: "date-time" }), jwk },
              { title: "RevokedKey" },
            ),
          ),
        },
        { title: "RevokedKeys" },
      ),
    },
  },
  problems: ["validation_failed", "not_ready"],
  examples: ["/.well-known/revoked-keys.json"],
});

/** The operator API of the ledger as a whole: signing keys, clock, log of operators, audit, anchors. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { id, operator, reason, action, OPERATOR_ERRORS, READ_BODY_ERRORS, CHANGE_ERRORS } from "./admin-schemas.ts";
import { OPERATOR_ACTIONS, OPERATOR_MAX } from "./limits.ts";
import { strictObject, nullable, signedMicro } from "./schemas.ts";

const Key = strictObject(
  {
    kid: Type.String(),
    state: Type.Enum(["next", "active", "retired", "revoked"]),
    created_at: Type.String({ format: "date-time" }),
    active_from: Type.String({ format: "date-time" }),
    retired_at: nullable(Type.String({ format: "date-time" })),
    not_after: nullable(Type.String({ format: "date-time", description: "revoked: not trusted from this time" })),
  },
  { title: "SigningKey" },
);
const Keys = strictObject({ items: Type.Array(Key) }, { title: "SigningKeys" });

export const adminListKeys = defineEndpoint({
  id: "adminListKeys",
  method: "GET",
  path: "/v1/admin/keys",
  summary: "List the signing keys",
  description: "Private keys are never returned.",
  auth: "admin",
  answers: { 200: { description: "all keys, newest first", schema: Keys } },
  problems: OPERATOR_ERRORS,
});

export const adminRotateKeys = defineEndpoint({
  id: "adminRotateKeys",
  method: "POST",
  path: "/v1/admin/keys/rotate",
  summary: "Publish the next signing key, active after 24 h",
  description: "Receipts of older keys stay valid.",
  auth: "admin",
  body: action,
  answers: { 200: { description: "all keys", schema: Keys } },
  problems: [...CHANGE_ERRORS, "rotation_pending"],
});

export const adminRevokeKey = defineEndpoint({
  id: "adminRevokeKey",
  method: "POST",
  path: "/v1/admin/keys/{id}/revoke",
  summary: "Revoke a compromised key: its receipts from this time are invalid",
  description: "`/.well-known/revoked-keys.json` lists the key afterwards.",
  auth: "admin",
  params: id,
  body: strictObject({ operator, reason, not_after: Type.Optional(Type.String({ format: "date-time" })) }),
  answers: { 200: { description: "all keys", schema: Keys } },
  problems: [...CHANGE_ERRORS, "key_not_found"],
});

const Clock = strictObject(
  {
    state: Type.Enum(["trusted", "ahead", "behind"], { description: "the system clock, relative to the ledger time" }),
    expiry_suspended: Type.Boolean({
      description: "true: promo credit, keys and names do not expire until the clock is confirmed",
    }),
    clock_at: Type.String({ format: "date-time" }),
    ledger_at: Type.String({ format: "date-time", description: "time of entries that are posted now" }),
  },
  { title: "LedgerClock" },
);

export const adminGetClock = defineEndpoint({
  id: "adminGetClock",
  method: "GET",
  path: "/v1/admin/clock",
  summary: "Get the state of the system clock",
  description: "After a jump of the clock, expiry is suspended until an operator confirms the clock.",
  auth: "admin",
  answers: { 200: { description: "the system clock and the ledger time", schema: Clock } },
  problems: OPERATOR_ERRORS,
});

export const adminConfirmClock = defineEndpoint({
  id: "adminConfirmClock",
  method: "POST",
  path: "/v1/admin/clock/confirm",
  summary: "Confirm that the system clock is right, and resume expiry",
  description: "Ends `expiry_suspended` after a jump of the clock.",
  auth: "admin",
  body: action,
  answers: { 200: { description: "the system clock and the ledger time", schema: Clock } },
  problems: CHANGE_ERRORS,
});

const LogEntry = strictObject(
  {
    action_id: Type.String({ description: "movements only: the ID of the entry" }),
    action: Type.Enum([...OPERATOR_ACTIONS], { title: "OperatorActionName" }),
    wallet_id: nullable(Type.String()),
    subject: nullable(Type.String({ description: "the charge, top-up or signing key" })),
    amount_micro: nullable(signedMicro("change of the balance; null if no money moved")),
    operator: Type.String(),
    reason: Type.String(),
    at: Type.String({ format: "date-time" }),
  },
  { title: "OperatorLogEntry" },
);

export const adminListActions = defineEndpoint({
  id: "adminListActions",
  method: "GET",
  path: "/v1/admin/actions",
  summary: "List the actions of operators, newest first",
  description:
    "Lists every change by an operator with the operator's name and the reason, and the amount if money moved. Entries are never changed or removed. Filter by wallet, operator and action. Pages continue with `next_cursor`.",
  auth: "admin",
  query: strictObject({
    action: Type.Optional(
      Type.Array(Type.Enum([...OPERATOR_ACTIONS], { title: "OperatorActionName" }), {
        maxItems: OPERATOR_ACTIONS.length,
      }),
    ),
    wallet_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    operator: Type.Optional(Type.String({ minLength: 1, maxLength: OPERATOR_MAX })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  }),
  answers: {
    200: {
      description: "a page",
      schema: strictObject(
        { items: Type.Array(LogEntry, { maxItems: 200 }), next_cursor: nullable(Type.String()) },
        { title: "OperatorLogPage" },
      ),
    },
  },
  problems: ["validation_failed", ...OPERATOR_ERRORS],
});

export const adminAudit = defineEndpoint({
  id: "adminAudit",
  method: "POST",
  path: "/v1/admin/audit",
  summary: "Verify the ledger: L1 to L5, L8 and the signatures",
  description: "Reads the whole ledger. `violations` is empty if every invariant holds.",
  auth: "admin",
  takesNoBody: true,
  answers: {
    200: {
      description: "the checks, and every violation",
      schema: strictObject(
        {
          ok: Type.Boolean(),
          transfers: Type.Integer({ minimum: 0 }),
          entries: Type.Integer({ minimum: 0 }),
          receipts: Type.Integer({ minimum: 0 }),
          violations: Type.Array(
            strictObject({ invariant: Type.String(), subject: Type.String(), message: Type.String() }),
          ),
        },
        { title: "AuditReport" },
      ),
    },
  },
  problems: READ_BODY_ERRORS,
});

const ANCHOR_PAGE = 1000;
const HeadLine = Type.String({
  pattern: "^[!-~]{1,64} [0-9]{1,15} [A-Za-z0-9_-]{43}$",
  examples: [`wal_01m814bsy4rxaeaz5dyf4p4cq0 12 ${"A".repeat(43)}`],
  maxLength: 124,
  description: "wallet, number and SHA-256 (base64url) of its last entry",
});

export const adminReadAnchor = defineEndpoint({
  id: "adminReadAnchor",
  method: "GET",
  path: "/v1/admin/anchor",
  summary: "Export a signed page of the heads of all chains, to be stored elsewhere",
  description: "Store the pages outside this machine, and check them later against the ledger.",
  auth: "admin",
  query: strictObject({
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "`next` of the previous page" })),
  }),
  answers: {
    200: {
      description: "up to 1 000 heads, ordered by wallet ID",
      schema: strictObject(
        {
          page: Type.String({
            description: "compact JWS, `typ` rail-anchor+jwt: digest of the heads, and the next page",
          }),
          heads: Type.Array(HeadLine, { maxItems: ANCHOR_PAGE }),
          next: nullable(Type.String({ description: "`after` of the next page; null on the last one" })),
        },
        { title: "AnchorPage" },
      ),
    },
  },
  problems: ["validation_failed", ...OPERATOR_ERRORS],
});

export const adminCheckAnchor = defineEndpoint({
  id: "adminCheckAnchor",
  method: "POST",
  path: "/v1/admin/anchor/check",
  summary: "Check whether the ledger still contains the entries of these heads",
  description: "Detects a ledger that was restored from an older copy or changed afterwards.",
  auth: "admin",
  body: strictObject({ heads: Type.Array(HeadLine, { minItems: 1, maxItems: ANCHOR_PAGE }) }),
  answers: {
    200: {
      description: "wallets whose entry is missing or different; longer chains are valid",
      schema: strictObject(
        { ok: Type.Boolean(), issues: Type.Array(strictObject({ wallet_id: Type.String(), message: Type.String() })) },
        { title: "AnchorCheck" },
      ),
    },
  },
  problems: READ_BODY_ERRORS,
});

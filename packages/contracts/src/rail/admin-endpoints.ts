/** The rail's operator API: the HTTP counterpart of `triptych rail …`. Every movement records who made it and why. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import {
  EMAIL_MAX,
  LABEL_MAX,
  OPERATOR_ACTS,
  OPERATOR_MAX,
  REASON_MAX,
  TOPUP_MAX_MICRO,
  TOPUP_STATES,
} from "./limits.ts";
import {
  Charge,
  strictObject,
  CreatedWallet,
  nullable,
  OF_A_BODY,
  signedMicro,
  Topup,
  TopupsPage,
  Wallet,
} from "./schemas.ts";

const id = strictObject({ id: Type.String({ maxLength: 64 }) });
const operator = Type.String({
  minLength: 1,
  maxLength: OPERATOR_MAX,
  description: "who makes the change; recorded in the entry",
});
const reason = Type.String({ minLength: 1, maxLength: REASON_MAX, description: "reason; recorded in the entry" });
const act = strictObject({ operator, reason }, { title: "OperatorAction" });

const operated = ["admin_token_required", "not_ready"] as const;
const READ_BODY_ERRORS = [...OF_A_BODY, ...operated] as const;
/** An endpoint that lists `read_only_token` is closed to the read token. */
const CHANGE_ERRORS = [...READ_BODY_ERRORS, "read_only_token"] as const;
const IDEMPOTENT_ERRORS = ["idempotency_key_reused", "idempotency_in_progress"] as const;

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

export const adminCreateWallet = defineEndpoint({
  id: "adminCreateWallet",
  method: "POST",
  path: "/v1/admin/wallets",
  summary: "Create a wallet for a customer; no starter credit in mode live",
  description: "The token is in the response only. Pass it to the customer over a safe channel.",
  auth: "admin",
  idempotent: true,
  body: strictObject({
    email: Type.String({ format: "email", maxLength: EMAIL_MAX }),
    label: Type.Optional(Type.String({ maxLength: LABEL_MAX })),
  }),
  answers: { 201: { description: "the wallet and its token, which is shown once", schema: CreatedWallet } },
  problems: [...CHANGE_ERRORS, ...IDEMPOTENT_ERRORS],
});

export const adminGetWallet = defineEndpoint({
  id: "adminGetWallet",
  method: "GET",
  path: "/v1/admin/wallets/{id}",
  summary: "One wallet",
  description: "The same fields as for its owner; the email address stays masked.",
  auth: "admin",
  params: id,
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...operated, "wallet_not_found"],
});

export const adminFreezeWallet = defineEndpoint({
  id: "adminFreezeWallet",
  method: "POST",
  path: "/v1/admin/wallets/{id}/freeze",
  summary: "Freeze a wallet: no charges until it is unfrozen",
  description: "Charges, top-ups and purchases of a frozen wallet are rejected with `wallet_frozen`.",
  auth: "admin",
  params: id,
  body: act,
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...CHANGE_ERRORS, "wallet_not_found", "wallet_closed"],
});

export const adminUnfreezeWallet = defineEndpoint({
  id: "adminUnfreezeWallet",
  method: "POST",
  path: "/v1/admin/wallets/{id}/unfreeze",
  summary: "Unfreeze a wallet: charges are possible again",
  description: "Balance and tokens stay unchanged.",
  auth: "admin",
  params: id,
  body: act,
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...CHANGE_ERRORS, "wallet_not_found", "wallet_closed"],
});

export const adminAdjustWallet = defineEndpoint({
  id: "adminAdjustWallet",
  method: "POST",
  path: "/v1/admin/wallets/{id}/adjust",
  summary: "Add or remove paid money of a wallet",
  description: "The entry names operator and reason.",
  auth: "admin",
  idempotent: true,
  params: id,
  body: strictObject({
    amount_micro: Type.Integer({
      minimum: -TOPUP_MAX_MICRO,
      maximum: TOPUP_MAX_MICRO,
      description: "not 0; a negative amount is limited by the balance",
    }),
    operator,
    reason,
  }),
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...CHANGE_ERRORS, "wallet_not_found", "wallet_closed", "balance_too_low", ...IDEMPOTENT_ERRORS],
});

export const adminListTopups = defineEndpoint({
  id: "adminListTopups",
  method: "GET",
  path: "/v1/admin/topups",
  summary: "List all top-ups, newest first",
  description: "Filter by status and wallet. Pages continue with `next_cursor`.",
  auth: "admin",
  query: strictObject({
    status: Type.Optional(Type.Array(Type.Enum([...TOPUP_STATES], { title: "TopupStatus" }), { maxItems: 7 })),
    wallet_id: Type.Optional(Type.String({ maxLength: 64 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  }),
  answers: { 200: { description: "a page", schema: TopupsPage } },
  problems: ["validation_failed", ...operated],
});

export const adminSettleTopup = defineEndpoint({
  id: "adminSettleTopup",
  method: "POST",
  path: "/v1/admin/topups/{id}/settle",
  summary: "Confirm the payment of a pending or reviewed top-up",
  description: "For a payment that the provider has not reported.",
  auth: "admin",
  params: id,
  body: act,
  answers: { 200: { description: "the top-up", schema: Topup } },
  problems: [...CHANGE_ERRORS, "topup_not_found", "topup_state"],
});

export const adminRefundTopup = defineEndpoint({
  id: "adminRefundTopup",
  method: "POST",
  path: "/v1/admin/topups/{id}/refund",
  summary: "Refund a top-up",
  description: "The money goes back to the payer through the provider.",
  auth: "admin",
  params: id,
  body: act,
  answers: { 200: { description: "the top-up", schema: Topup } },
  problems: [...CHANGE_ERRORS, "topup_not_found", "topup_state", "provider_unavailable"],
});

export const adminGetCharge = defineEndpoint({
  id: "adminGetCharge",
  method: "GET",
  path: "/v1/admin/charges/{id}",
  summary: "One charge",
  description: "The same fields as for the owner of the wallet, for any wallet.",
  auth: "admin",
  params: id,
  answers: { 200: { description: "the charge", schema: Charge } },
  problems: [...operated, "charge_not_found"],
});

export const adminRefundCharge = defineEndpoint({
  id: "adminRefundCharge",
  method: "POST",
  path: "/v1/admin/charges/{id}/refund",
  summary: "Refund a delivered charge, at most once",
  description: "Adds the price to the balance as a new entry.",
  auth: "admin",
  params: id,
  body: act,
  answers: { 200: { description: "the charge", schema: Charge } },
  problems: [...CHANGE_ERRORS, "charge_not_found", "charge_state"],
});

export const adminListKeys = defineEndpoint({
  id: "adminListKeys",
  method: "GET",
  path: "/v1/admin/keys",
  summary: "Signing keys",
  description: "Private keys are never returned.",
  auth: "admin",
  answers: { 200: { description: "all keys, newest first", schema: Keys } },
  problems: operated,
});

export const adminRotateKeys = defineEndpoint({
  id: "adminRotateKeys",
  method: "POST",
  path: "/v1/admin/keys/rotate",
  summary: "Publish the next signing key, active after 24 h",
  description: "Receipts of older keys stay valid.",
  auth: "admin",
  body: act,
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
    state: Type.Enum(["trusted", "ahead", "behind"], { description: "of the clock against the time of the ledger" }),
    expiry_suspended: Type.Boolean({
      description: "no promo credit, key or name expires until the clock is confirmed",
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
  summary: "Whether the clock of the machine is trusted",
  description: "After a jump of the clock, expiry is suspended until an operator confirms the clock.",
  auth: "admin",
  answers: { 200: { description: "the clock and the time of the ledger", schema: Clock } },
  problems: operated,
});

export const adminConfirmClock = defineEndpoint({
  id: "adminConfirmClock",
  method: "POST",
  path: "/v1/admin/clock/confirm",
  summary: "The clock of the machine is right: expire by it again",
  description: "Ends `expiry_suspended` after a jump of the clock.",
  auth: "admin",
  body: act,
  answers: { 200: { description: "the clock and the time of the ledger", schema: Clock } },
  problems: CHANGE_ERRORS,
});

const OperatorAct = strictObject(
  {
    act_id: Type.String({ description: "of a movement: the ID of its entry" }),
    act: Type.Enum([...OPERATOR_ACTS], { title: "OperatorActName" }),
    wallet_id: nullable(Type.String()),
    subject: nullable(Type.String({ description: "the charge, top-up or signing key" })),
    amount_micro: nullable(signedMicro("change of the balance; null if no money moved")),
    operator: Type.String(),
    reason: Type.String(),
    at: Type.String({ format: "date-time" }),
  },
  { title: "OperatorAct" },
);

export const adminListActs = defineEndpoint({
  id: "adminListActs",
  method: "GET",
  path: "/v1/admin/acts",
  summary: "List what operators did, newest first",
  description:
    "Every change by an operator, with its name and reason, and for movements the amount. Acts are never changed or removed. Filter by wallet, operator and act. Pages continue with `next_cursor`.",
  auth: "admin",
  query: strictObject({
    act: Type.Optional(
      Type.Array(Type.Enum([...OPERATOR_ACTS], { title: "OperatorActName" }), { maxItems: OPERATOR_ACTS.length }),
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
        { items: Type.Array(OperatorAct, { maxItems: 200 }), next_cursor: nullable(Type.String()) },
        { title: "OperatorActsPage" },
      ),
    },
  },
  problems: ["validation_failed", ...operated],
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
  problems: ["validation_failed", ...operated],
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

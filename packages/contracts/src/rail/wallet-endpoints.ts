import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import {
  EMAIL_MAX,
  ENTRY_KINDS,
  GRACE_MAX_SECONDS,
  HEAD_NAME_PATTERN,
  LABEL_MAX,
  STATEMENT_FORMATS,
  STATEMENT_MOVEMENTS_MAX,
  TOKEN_NAME_MAX,
  TOPUP_MAX_MICRO,
  TOPUP_MIN_MICRO,
  TOPUP_STEP_MICRO,
  USAGE_BUCKETS,
  USAGE_DAYS_MAX,
} from "./limits.ts";
import {
  AutoTopupSetting,
  alerts,
  Catalog,
  Charge,
  strictObject,
  CreatedWallet,
  CreatedWalletToken,
  Entitlements,
  EntriesPage,
  NewTokenCaps,
  nullable,
  BODY_ERRORS,
  Purchase,
  RecoveredToken,
  RotatedToken,
  Statement,
  tokenOps,
  Topup,
  TopupsPage,
  VerifiedWallet,
  Wallet,
  WalletCapsChange,
  WalletTokensPage,
  WalletUsage,
} from "./schemas.ts";

const email = Type.String({ format: "email", maxLength: EMAIL_MAX, description: "stored encrypted, shown masked" });
const label = Type.String({ maxLength: LABEL_MAX, description: "your name for the wallet" });
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "entries per page, default 50" }));
const cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: "`next_cursor` of the previous page" }),
);
const token = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: "only entries of this sub-token; a sub-token always sees only its own",
  }),
);
const id = strictObject({ id: Type.String({ maxLength: 64 }) });
const address = Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2000 });

const WALLET_ERRORS = ["wallet_token_required", "wallet_token_invalid", "rate_limited", "not_ready"] as const;
/** Errors of operations that a sub-token may not perform. */
const MAIN_TOKEN_ERRORS = [...WALLET_ERRORS, "main_token_required"] as const;
const IDEMPOTENT_ERRORS = ["idempotency_key_reused", "idempotency_in_progress"] as const;

export const createWallet = defineEndpoint({
  id: "createWallet",
  method: "POST",
  path: "/v1/wallets",
  summary: "Create a wallet; the token is shown once",
  description:
    "Free, and includes starter credit. Retrying with the same `Idempotency-Key` within 24 h returns the same token. The rail cannot decrypt the stored token without that key.",
  auth: null,
  idempotent: true,
  body: strictObject({ email, label: Type.Optional(label) }),
  answers: { 201: { description: "the wallet and its token", schema: CreatedWallet } },
  problems: [...BODY_ERRORS, "rate_limited", ...IDEMPOTENT_ERRORS, "not_ready"],
});

export const getWallet = defineEndpoint({
  id: "getWallet",
  method: "GET",
  path: "/v1/wallets/me",
  summary: "Get balance and settings",
  description:
    "`balance_micro` is the sum of paid money and promo credit. A sub-token sees that sum, or less if its caps allow less.",
  auth: "wallet",
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: WALLET_ERRORS,
});

export const changeWallet = defineEndpoint({
  id: "changeWallet",
  method: "PATCH",
  path: "/v1/wallets/me",
  summary: "Change the label, the caps, automatic top-up, or when emails are sent",
  description:
    "Omitted members stay unchanged. `null` removes the label or a cap. Caps limit what all tokens of the wallet spend together, per decision, UTC day and UTC month. `auto_topup` is off by default. While it is on, each checkout saves its payment method. A top-up charges that method when the balance falls below the threshold. The first failure stops automatic top-ups; setting `auto_topup` again resumes them. `null` switches them off and deletes the method.",
  auth: "wallet",
  body: strictObject({
    label: Type.Optional(nullable(label)),
    low_balance_micro: Type.Optional(
      Type.Integer({ minimum: 0, maximum: TOPUP_MAX_MICRO, description: "micro-euros; 0 means no email" }),
    ),
    auto_topup: Type.Optional(nullable(AutoTopupSetting)),
    caps: Type.Optional(nullable(WalletCapsChange)),
    alerts: Type.Optional(alerts),
  }),
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS],
});

export const createWalletToken = defineEndpoint({
  id: "createWalletToken",
  method: "POST",
  path: "/v1/wallets/me/tokens",
  summary: "Create a sub-token that pays from the wallet within its own caps; shown once",
  description:
    "For an agent that should not control the whole wallet. A sub-token pays for decisions and reads its own balance, entries and receipts. It cannot create or rotate tokens, or close the wallet.",
  auth: "wallet",
  idempotent: true,
  body: strictObject({
    name: Type.String({ minLength: 1, maxLength: TOKEN_NAME_MAX, description: "your name for the token" }),
    caps: Type.Optional(NewTokenCaps),
    ops: Type.Optional(tokenOps),
    expires_at: Type.Optional(Type.String({ format: "date-time", description: "in the future; default never" })),
  }),
  answers: { 201: { description: "the token, shown once", schema: CreatedWalletToken } },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS, "too_many_tokens", ...IDEMPOTENT_ERRORS],
});

export const listWalletTokens = defineEndpoint({
  id: "listWalletTokens",
  method: "GET",
  path: "/v1/wallets/me/tokens",
  summary: "List the sub-tokens with their caps and spend, newest first",
  description: "Expired and revoked tokens stay in the list. The tokens themselves are never returned.",
  auth: "wallet",
  query: strictObject({ limit, cursor }),
  answers: { 200: { description: "a page", schema: WalletTokensPage } },
  problems: ["validation_failed", ...MAIN_TOKEN_ERRORS],
});

export const revokeWalletToken = defineEndpoint({
  id: "revokeWalletToken",
  method: "DELETE",
  path: "/v1/wallets/me/tokens/{id}",
  summary: "Revoke a sub-token",
  description: "It stops working immediately. Its entries, charges and receipts stay.",
  auth: "wallet",
  takesNoBody: true,
  params: id,
  answers: { 204: { description: "revoked" } },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS, "token_not_found"],
});

export const closeWallet = defineEndpoint({
  id: "closeWallet",
  method: "DELETE",
  path: "/v1/wallets/me",
  summary: "Close the wallet permanently",
  description:
    "Destroys the encryption key of its email address. Entries remain under a pseudonym. The remaining balance is not paid out.",
  auth: "wallet",
  takesNoBody: true,
  answers: { 204: { description: "closed" } },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS],
});

export const listEntries = defineEndpoint({
  id: "listEntries",
  method: "GET",
  path: "/v1/wallets/me/entries",
  summary: "List all movements, newest first",
  description: "Entries are immutable and form a hash chain. Pages continue with `next_cursor`.",
  auth: "wallet",
  query: strictObject({
    kind: Type.Optional(
      Type.Array(Type.Enum([...ENTRY_KINDS], { title: "EntryKind" }), {
        maxItems: 9,
        description: "any of these kinds",
      }),
    ),
    since: Type.Optional(Type.String({ format: "date-time", description: "not before" })),
    until: Type.Optional(Type.String({ format: "date-time", description: "before" })),
    token,
    limit,
    cursor,
  }),
  answers: { 200: { description: "a page", schema: EntriesPage } },
  problems: ["validation_failed", ...WALLET_ERRORS, "token_not_found"],
});

export const getWalletUsage = defineEndpoint({
  id: "getWalletUsage",
  method: "GET",
  path: "/v1/wallets/me/usage",
  summary: "Get the number of decisions and their cost",
  description: "Counts billed charges per day, hour, operation or token. Voided charges are excluded.",
  auth: "wallet",
  query: strictObject({
    from: Type.Optional(
      Type.String({ format: "date", description: "first day (UTC), default the first of the month" }),
    ),
    to: Type.Optional(
      Type.String({
        format: "date",
        description: `last day, default today; at most ${USAGE_DAYS_MAX.day} days, by \`hour\` ${USAGE_DAYS_MAX.hour}`,
      }),
    ),
    by: Type.Optional(Type.Enum([...USAGE_BUCKETS], { description: "default `day`" })),
    token,
  }),
  answers: { 200: { description: "sums without voided charges", schema: WalletUsage } },
  problems: ["validation_failed", ...WALLET_ERRORS, "token_not_found"],
});

export const getCharge = defineEndpoint({
  id: "getCharge",
  method: "GET",
  path: "/v1/wallets/me/charges/{id}",
  summary: "Get a charge with its state and receipt",
  description: "`receipt` is the signed receipt. A charge is final once it is delivered.",
  auth: "wallet",
  params: id,
  answers: { 200: { description: "the charge", schema: Charge } },
  problems: [...WALLET_ERRORS, "charge_not_found"],
});

export const getReceipt = defineEndpoint({
  id: "getReceipt",
  method: "GET",
  path: "/v1/wallets/me/receipts/{id}",
  summary: "Get the receipt of a charge or purchase, byte-identical to the original",
  description: "The text is a compact JWS. Verify it offline with the keys of `/.well-known/jwks.json`.",
  auth: "wallet",
  params: id,
  answers: {
    200: {
      description: "compact JWS",
      schema: Type.String({ description: "compact JWS" }),
      media: ["application/jwt"],
    },
  },
  problems: [...WALLET_ERRORS, "receipt_not_found"],
});

export const getStatement = defineEndpoint({
  id: "getStatement",
  method: "GET",
  path: "/v1/wallets/me/statement",
  summary: "Get a signed statement of all movements of a month",
  description: `A month of more than ${STATEMENT_MOVEMENTS_MAX} movements has no statement. Read its entries page by page (\`/v1/wallets/me/entries\`), which form a hash chain, and its sums from \`/v1/wallets/me/usage\`.`,
  auth: "wallet",
  query: strictObject({
    month: Type.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$", description: "for example 2026-11 (UTC)" }),
    format: Type.Optional(Type.Enum([...STATEMENT_FORMATS])),
    token,
  }),
  answers: {
    200: {
      description: "the statement",
      schema: Statement,
      media: ["application/json", "text/csv"],
      headers: { "X-Statement-Signature": "csv only: the signature of the same statement" },
    },
  },
  problems: ["validation_failed", ...WALLET_ERRORS, "token_not_found", "statement_too_long"],
});

export const rotateToken = defineEndpoint({
  id: "rotateToken",
  method: "POST",
  path: "/v1/wallets/me/rotate",
  summary: "Rotate the token; the old one expires after a grace period",
  description: "During the grace period, both tokens are valid. Sub-tokens stay as they are.",
  auth: "wallet",
  idempotent: true,
  body: strictObject({ grace_seconds: Type.Integer({ minimum: 0, maximum: GRACE_MAX_SECONDS }) }),
  answers: { 200: { description: "the new token, shown once", schema: RotatedToken } },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS, ...IDEMPOTENT_ERRORS],
});

export const recoverWallet = defineEndpoint({
  id: "recoverWallet",
  method: "POST",
  path: "/v1/wallets/recover",
  summary: "Request an email link for a new token",
  description:
    "Always returns 202, so that the response does not reveal whether an address is known. An email is sent if a mailer is configured.",
  auth: null,
  body: strictObject({ email }),
  answers: { 202: { description: "received" } },
  problems: [...BODY_ERRORS, "rate_limited", "not_ready"],
});

const code = Type.String({
  minLength: 1,
  maxLength: 400,
  description: "from the fragment of the link in the email; single use",
});

export const redeemRecovery = defineEndpoint({
  id: "redeemRecovery",
  method: "POST",
  path: "/v1/wallets/recover/redeem",
  summary: "Exchange the code of a recovery email for a new token; old tokens expire immediately",
  description: "`POST /v1/wallets/recover` sends the code by email.",
  auth: null,
  body: strictObject({ code }),
  answers: { 200: { description: "the new token, shown once", schema: RecoveredToken } },
  problems: [...BODY_ERRORS, "rate_limited", "not_ready"],
});

export const verifyWallet = defineEndpoint({
  id: "verifyWallet",
  method: "POST",
  path: "/v1/wallets/verify",
  summary: "Verify the email address with the code from the email, and grant the starter credit",
  description: "The code is in the fragment of the link in the email.",
  auth: null,
  body: strictObject({ code }),
  answers: { 200: { description: "result of the credit grant", schema: VerifiedWallet } },
  problems: [...BODY_ERRORS, "rate_limited", "not_ready"],
});

export const createTopup = defineEndpoint({
  id: "createTopup",
  method: "POST",
  path: "/v1/topup",
  summary: "Top up the wallet",
  description: `\`amount_micro\` is in whole cents: a multiple of ${TOPUP_STEP_MICRO}. Without an \`Idempotency-Key\`, each call creates a new top-up. No one is charged twice by mistake, because the payer confirms every payment.`,
  auth: "wallet",
  idempotent: true,
  body: strictObject({
    amount_micro: Type.Integer({ minimum: TOPUP_MIN_MICRO, maximum: TOPUP_MAX_MICRO, multipleOf: TOPUP_STEP_MICRO }),
    success_url: Type.Optional(address),
    cancel_url: Type.Optional(address),
  }),
  answers: { 201: { description: "the top-up; if `checkout_url` is set, the payer pays there", schema: Topup } },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS, "wallet_frozen", ...IDEMPOTENT_ERRORS, "provider_unavailable"],
});

export const getTopup = defineEndpoint({
  id: "getTopup",
  method: "GET",
  path: "/v1/topups/{id}",
  summary: "Get a top-up",
  description: "Poll this endpoint after the payer returns from `checkout_url`.",
  auth: "wallet",
  params: id,
  answers: { 200: { description: "the top-up", schema: Topup } },
  problems: [...MAIN_TOKEN_ERRORS, "topup_not_found"],
});

export const listTopups = defineEndpoint({
  id: "listTopups",
  method: "GET",
  path: "/v1/topups",
  summary: "List top-ups, newest first",
  description: "Includes pending, failed and refunded top-ups.",
  auth: "wallet",
  query: strictObject({ limit, cursor }),
  answers: { 200: { description: "a page", schema: TopupsPage } },
  problems: ["validation_failed", ...MAIN_TOKEN_ERRORS],
});

export const getCatalog = defineEndpoint({
  id: "getCatalog",
  method: "GET",
  path: "/v1/catalog",
  summary: "List the one-time purchases on offer",
  description: "Prices in micro-euros. Also contains starter credit and limits of top-ups.",
  auth: null,
  answers: { 200: { description: "the catalog", schema: Catalog } },
  problems: ["validation_failed"],
  examples: ["/v1/catalog"],
});

export const createPurchase = defineEndpoint({
  id: "createPurchase",
  method: "POST",
  path: "/v1/purchases",
  summary: "Purchase an item once, from paid money",
  description: "Purchasing the same item again returns 200 with the first purchase and moves no money.",
  auth: "wallet",
  idempotent: true,
  body: strictObject({
    sku: Type.String({ minLength: 1, maxLength: 40 }),
    ref: Type.String({ pattern: HEAD_NAME_PATTERN, description: "name of the head" }),
  }),
  answers: {
    201: { description: "bought", schema: Purchase },
    200: { description: "already purchased", schema: Purchase },
  },
  problems: [...BODY_ERRORS, ...MAIN_TOKEN_ERRORS, "wallet_frozen", "wallet_empty", ...IDEMPOTENT_ERRORS],
});

export const listEntitlements = defineEndpoint({
  id: "listEntitlements",
  method: "GET",
  path: "/v1/wallets/me/entitlements",
  summary: "List the purchases of the wallet",
  description: "An entitlement belongs to one SKU and one name, for example a head.",
  auth: "wallet",
  answers: { 200: { description: "all purchases", schema: Entitlements } },
  problems: MAIN_TOKEN_ERRORS,
});

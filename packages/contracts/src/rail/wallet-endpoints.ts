/** The rail as the owner of a wallet sees it. */
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
  TOPUP_MAX_MICRO,
  TOPUP_MIN_MICRO,
  TOPUP_STEP_MICRO,
  USAGE_BUCKETS,
  USAGE_DAYS_MAX,
} from "./limits.ts";
import {
  Catalog,
  Charge,
  closed,
  CreatedWallet,
  Entitlements,
  EntriesPage,
  nullable,
  OF_A_BODY,
  Purchase,
  RecoveredToken,
  RotatedToken,
  Statement,
  Topup,
  TopupsPage,
  VerifiedWallet,
  Wallet,
  WalletUsage,
} from "./shapes.ts";

const email = Type.String({ format: "email", maxLength: EMAIL_MAX, description: "kept encrypted, shown masked" });
const label = Type.String({ maxLength: LABEL_MAX, description: "your own name for the wallet" });
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "entries of a page, default 50" }));
const cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: "`next_cursor` of the page before" }),
);
const id = closed({ id: Type.String({ maxLength: 64 }) });
const address = Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2000 });

const walled = ["wallet_token_required", "wallet_token_invalid", "rate_limited", "not_ready"] as const;
const keyed = ["idempotency_key_reused", "idempotency_in_progress"] as const;

export const createWallet = defineEndpoint({
  id: "createWallet",
  method: "POST",
  path: "/v1/wallets",
  summary: "Create a wallet; the token is shown once",
  description:
    "Costs nothing and starts with free credit. Repeated with its `Idempotency-Key` within 24 h it answers the same token, although nothing that the rail keeps can decrypt it.",
  auth: null,
  idempotent: true,
  body: closed({ email, label: Type.Optional(label) }),
  answers: { 201: { description: "the wallet and its token", schema: CreatedWallet } },
  problems: [...OF_A_BODY, "rate_limited", ...keyed, "not_ready"],
});

export const getWallet = defineEndpoint({
  id: "getWallet",
  method: "GET",
  path: "/v1/wallets/me",
  summary: "Balance and settings",
  auth: "wallet",
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: walled,
});

export const changeWallet = defineEndpoint({
  id: "changeWallet",
  method: "PATCH",
  path: "/v1/wallets/me",
  summary: "Change the label or the level at which a mail warns",
  auth: "wallet",
  body: closed({
    label: Type.Optional(nullable(label)),
    low_balance_micro: Type.Optional(
      Type.Integer({ minimum: 0, maximum: TOPUP_MAX_MICRO, description: "0 = no warning, micro-euros" }),
    ),
  }),
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...OF_A_BODY, ...walled],
});

export const closeWallet = defineEndpoint({
  id: "closeWallet",
  method: "DELETE",
  path: "/v1/wallets/me",
  summary: "Close the wallet for ever",
  description:
    "Destroys the key of its e-mail address; entries stay under their pseudonym. What is left is not paid out.",
  auth: "wallet",
  takesNoBody: true,
  answers: { 204: { description: "closed" } },
  problems: [...OF_A_BODY, ...walled],
});

export const listEntries = defineEndpoint({
  id: "listEntries",
  method: "GET",
  path: "/v1/wallets/me/entries",
  summary: "Every movement, newest first",
  auth: "wallet",
  query: closed({
    kind: Type.Optional(Type.Array(Type.Enum([...ENTRY_KINDS]), { maxItems: 9, description: "any of these" })),
    since: Type.Optional(Type.String({ format: "date-time", description: "not before" })),
    until: Type.Optional(Type.String({ format: "date-time", description: "before" })),
    limit,
    cursor,
  }),
  answers: { 200: { description: "a page", schema: EntriesPage } },
  problems: ["validation_failed", ...walled],
});

export const getWalletUsage = defineEndpoint({
  id: "getWalletUsage",
  method: "GET",
  path: "/v1/wallets/me/usage",
  summary: "Decisions and what they cost, summed",
  auth: "wallet",
  query: closed({
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
  }),
  answers: { 200: { description: "sums; voided charges count nowhere", schema: WalletUsage } },
  problems: ["validation_failed", ...walled],
});

export const getCharge = defineEndpoint({
  id: "getCharge",
  method: "GET",
  path: "/v1/wallets/me/charges/{id}",
  summary: "One charge, its state and receipt",
  auth: "wallet",
  params: id,
  answers: { 200: { description: "the charge", schema: Charge } },
  problems: [...walled, "charge_not_found"],
});

export const getReceipt = defineEndpoint({
  id: "getReceipt",
  method: "GET",
  path: "/v1/wallets/me/receipts/{id}",
  summary: "The receipt of a charge or purchase: the very bytes that were sent with it",
  auth: "wallet",
  params: id,
  answers: {
    200: {
      description: "compact JWS",
      schema: Type.String({ description: "compact JWS" }),
      media: ["application/jwt"],
    },
  },
  problems: [...walled, "receipt_not_found"],
});

export const getStatement = defineEndpoint({
  id: "getStatement",
  method: "GET",
  path: "/v1/wallets/me/statement",
  summary: "All movements of a month, signed",
  description: `A month of more than ${STATEMENT_MOVEMENTS_MAX} movements has no statement: read its entries page by page (\`/v1/wallets/me/entries\`), which are chained, and its sums from \`/v1/wallets/me/usage\`.`,
  auth: "wallet",
  query: closed({
    month: Type.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$", description: "as in 2026-11 (UTC)" }),
    format: Type.Optional(Type.Enum([...STATEMENT_FORMATS])),
  }),
  answers: {
    200: {
      description: "the statement",
      schema: Statement,
      media: ["application/json", "text/csv"],
      headers: { "X-Statement-Signature": "csv: the signature of the same statement" },
    },
  },
  problems: ["validation_failed", ...walled, "statement_too_long"],
});

export const rotateToken = defineEndpoint({
  id: "rotateToken",
  method: "POST",
  path: "/v1/wallets/me/rotate",
  summary: "A new token; the old one ends after a grace",
  auth: "wallet",
  idempotent: true,
  body: closed({ grace_seconds: Type.Integer({ minimum: 0, maximum: GRACE_MAX_SECONDS }) }),
  answers: { 200: { description: "the new token, shown once", schema: RotatedToken } },
  problems: [...OF_A_BODY, ...walled, ...keyed],
});

export const recoverWallet = defineEndpoint({
  id: "recoverWallet",
  method: "POST",
  path: "/v1/wallets/recover",
  summary: "Ask for a link that gives a new token",
  description: "Always 202: nobody learns whether an address is known. A mail is sent when a mailer is configured.",
  auth: null,
  body: closed({ email }),
  answers: { 202: { description: "heard" } },
  problems: [...OF_A_BODY, "rate_limited", "not_ready"],
});

const code = Type.String({
  minLength: 1,
  maxLength: 400,
  description: "from the fragment of the link in the mail; good once",
});

export const redeemRecovery = defineEndpoint({
  id: "redeemRecovery",
  method: "POST",
  path: "/v1/wallets/recover/redeem",
  summary: "A new token for the code of a recovery mail; the old tokens end at once",
  auth: null,
  body: closed({ code }),
  answers: { 200: { description: "the new token, shown once", schema: RecoveredToken } },
  problems: [...OF_A_BODY, "rate_limited", "not_ready"],
});

export const verifyWallet = defineEndpoint({
  id: "verifyWallet",
  method: "POST",
  path: "/v1/wallets/verify",
  summary: "Proves the e-mail address of a wallet by the code of its mail, and grants its starter credit",
  auth: null,
  body: closed({ code }),
  answers: { 200: { description: "what became of the credit", schema: VerifiedWallet } },
  problems: [...OF_A_BODY, "rate_limited", "not_ready"],
});

export const createTopup = defineEndpoint({
  id: "createTopup",
  method: "POST",
  path: "/v1/topup",
  summary: "Pay money in",
  description: `\`amount_micro\` is in whole cents: a multiple of ${TOPUP_STEP_MICRO}. Without an \`Idempotency-Key\` each call is a new top-up; nobody is billed by that, because every payment needs the payer's own act.`,
  auth: "wallet",
  idempotent: true,
  body: closed({
    amount_micro: Type.Integer({ minimum: TOPUP_MIN_MICRO, maximum: TOPUP_MAX_MICRO, multipleOf: TOPUP_STEP_MICRO }),
    success_url: Type.Optional(address),
    cancel_url: Type.Optional(address),
  }),
  answers: { 201: { description: "the top-up; with `checkout_url` the payer goes there", schema: Topup } },
  problems: [...OF_A_BODY, ...walled, "wallet_frozen", ...keyed, "provider_unavailable"],
});

export const getTopup = defineEndpoint({
  id: "getTopup",
  method: "GET",
  path: "/v1/topups/{id}",
  summary: "One top-up",
  auth: "wallet",
  params: id,
  answers: { 200: { description: "the top-up", schema: Topup } },
  problems: [...walled, "topup_not_found"],
});

export const listTopups = defineEndpoint({
  id: "listTopups",
  method: "GET",
  path: "/v1/topups",
  summary: "Top-ups, newest first",
  auth: "wallet",
  query: closed({ limit, cursor }),
  answers: { 200: { description: "a page", schema: TopupsPage } },
  problems: ["validation_failed", ...walled],
});

export const getCatalog = defineEndpoint({
  id: "getCatalog",
  method: "GET",
  path: "/v1/catalog",
  summary: "What can be bought once",
  auth: null,
  answers: { 200: { description: "the catalogue", schema: Catalog } },
  problems: [],
  examples: ["/v1/catalog"],
});

export const createPurchase = defineEndpoint({
  id: "createPurchase",
  method: "POST",
  path: "/v1/purchases",
  summary: "Buy something once, from paid money",
  description: "Bought again, the same thing answers 200 with the first purchase and moves nothing.",
  auth: "wallet",
  idempotent: true,
  body: closed({
    sku: Type.String({ minLength: 1, maxLength: 40 }),
    ref: Type.String({ pattern: HEAD_NAME_PATTERN, description: "name of the head" }),
  }),
  answers: {
    201: { description: "bought", schema: Purchase },
    200: { description: "bought before", schema: Purchase },
  },
  problems: [...OF_A_BODY, ...walled, "wallet_frozen", "wallet_empty", ...keyed],
});

export const listEntitlements = defineEndpoint({
  id: "listEntitlements",
  method: "GET",
  path: "/v1/wallets/me/entitlements",
  summary: "What the wallet has bought",
  auth: "wallet",
  answers: { 200: { description: "all of them", schema: Entitlements } },
  problems: walled,
});

/** Request and response schemas of the rail. Every amount ends in `_micro` and is an integer. */
import { Type, type Static, type TProperties, type TSchema } from "typebox";
import type { ProblemCode } from "../problems.ts";
import {
  AUTO_TOPUP_STATES,
  AUTO_TOPUP_STOPS,
  AUTO_TOPUPS_PER_MONTH_MAX,
  ALERTS_MAX,
  CAP_NAMES,
  CAP_OWNERS,
  CHARGE_REFUSALS,
  CHARGE_STATES,
  CHARGED_OPERATIONS,
  ENTRY_KINDS,
  PROVIDERS,
  STARTER_STATES,
  TOPUP_MAX_MICRO,
  TOPUP_MIN_MICRO,
  TOKEN_STATES,
  TOPUP_STATES,
  TOPUP_STEP_MICRO,
  WALLET_STATES,
} from "./limits.ts";

export const BODY_ERRORS = [
  "invalid_json",
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];

export const strictObject = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** A balance or price: never negative, and within the exact integers of a double. */
export const micro = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `${description}, micro-euros` });
export const signedMicro = (description: string) =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `${description}, micro-euros`,
  });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const time = (description: string) => Type.String({ format: "date-time", description });
const currency = Type.Literal("EUR");
const receipt = Type.String({
  title: "Receipt",
  description: "compact JWS, at most 800 bytes, 860 with `tok`; verifiable with /.well-known/jwks.json alone",
});
/** Base64url without padding; the example is the digest of empty input. */
const digest = (description: string) =>
  Type.String({
    pattern: "^[A-Za-z0-9_-]{43}$",
    examples: ["47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"],
    description,
  });

export const CreatedWallet = strictObject(
  {
    wallet_id: Type.String(),
    wallet_token: Type.String({ description: "shown once; send it as `X-Rail-Wallet`" }),
    currency,
    balance_micro: micro("spendable amount"),
    decisions_remaining: count("number of decisions the balance buys"),
    starter_credit: strictObject({
      amount_micro: micro("granted now"),
      status: Type.Enum([...STARTER_STATES], { title: "StarterCreditStatus" }),
    }),
    created_at: time("mode of the wallet"),
    links: strictObject({ self: Type.String(), topup: Type.String(), entries: Type.String(), pricing: Type.String() }),
  },
  { title: "CreatedWallet" },
);

/** `auto_topup` as sent in a PATCH request. */
export const AutoTopupSetting = strictObject(
  {
    threshold_micro: Type.Integer({
      minimum: 1,
      maximum: TOPUP_MAX_MICRO,
      description: "a charge that takes the balance below this starts a top-up, micro-euros",
    }),
    amount_micro: Type.Integer({
      minimum: TOPUP_MIN_MICRO,
      maximum: TOPUP_MAX_MICRO,
      multipleOf: TOPUP_STEP_MICRO,
      description: "amount of each top-up, micro-euros",
    }),
    max_per_month: Type.Integer({
      minimum: 1,
      maximum: AUTO_TOPUPS_PER_MONTH_MAX,
      description: "maximum number of top-ups per UTC month, including failed ones",
    }),
  },
  { title: "AutoTopupSetting" },
);

export const AutoTopup = strictObject(
  {
    ...AutoTopupSetting.properties,
    status: Type.Enum([...AUTO_TOPUP_STATES], {
      title: "AutoTopupStatus",
      description:
        "`needs_payment_method`: the next top-up saves one; `stopped`: a top-up failed or was returned, and the owner has to switch it on again",
    }),
    stop_reason: nullable(Type.Enum([...AUTO_TOPUP_STOPS], { title: "AutoTopupStop" })),
    stopped_at: nullable(time("when it stopped")),
  },
  { title: "AutoTopup" },
);

const capsOf = <W extends TSchema>(wrap: (schema: ReturnType<typeof micro>) => W) => ({
  per_charge_micro: wrap(micro("highest price of one decision")),
  per_day_micro: wrap(micro("per UTC day")),
  per_month_micro: wrap(micro("per UTC month")),
});
const total = micro("over the lifetime of the token");
const optional = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema));

/** Omitted caps stay unchanged; on a new token they are not set. null removes a cap. */
export const WalletCapsChange = strictObject(capsOf(optional), { title: "WalletCapsChange" });
export const NewTokenCaps = strictObject(
  { ...capsOf(optional), total_micro: optional(total) },
  { title: "NewTokenCaps" },
);

const Caps = strictObject(
  { ...capsOf(nullable), total_micro: nullable(total) },
  { title: "Caps", description: "null: no limit; `total_micro` is for tokens only" },
);
const Spent = strictObject(
  {
    day_micro: micro("in the current UTC day"),
    month_micro: micro("in the current UTC month"),
    total_micro: micro("in total, since spending is recorded"),
  },
  { title: "Spent", description: "without voided and refunded charges" },
);
export const alerts = Type.Array(Type.Integer({ minimum: 1, maximum: 100, description: "percentage of a cap" }), {
  maxItems: ALERTS_MAX,
  uniqueItems: true,
  description: "one email per threshold and window",
});
export const tokenOps = Type.Array(Type.Enum([...CHARGED_OPERATIONS], { title: "ChargedOperation" }), {
  minItems: 1,
  maxItems: CHARGED_OPERATIONS.length,
  uniqueItems: true,
  description: "operations that the token may pay for",
});

const tokenFields = {
  token_id: Type.String(),
  name: Type.String(),
  token_hint: Type.String({ description: "last 4 characters of the token" }),
  state: Type.Enum([...TOKEN_STATES], { title: "WalletTokenState" }),
  caps: Caps,
  ops: nullable(tokenOps),
  spent: Spent,
  spendable_micro: micro("what it can spend now: the wallet balance, or less if the caps allow less"),
  created_at: time("when it was created"),
  expires_at: nullable(time("when it expires")),
  revoked_at: nullable(time("when it was revoked")),
};
export const WalletToken = strictObject(tokenFields, { title: "WalletToken" });
export const CreatedWalletToken = strictObject(
  { ...tokenFields, wallet_token: Type.String({ description: "shown once; send it as `X-Rail-Wallet`" }) },
  { title: "CreatedWalletToken" },
);
export const WalletTokensPage = strictObject(
  { items: Type.Array(WalletToken, { maxItems: 200 }), next_cursor: nullable(Type.String()) },
  { title: "WalletTokensPage" },
);

export const Wallet = strictObject(
  {
    wallet_id: Type.String(),
    status: Type.Enum([...WALLET_STATES], { title: "WalletStatus" }),
    label: nullable(Type.String()),
    email_masked: nullable(
      Type.String({
        description: "first letter and domain; null after the wallet is closed, or if the encryption secret was lost",
      }),
    ),
    token_hint: Type.String({ description: "last 4 characters of the token" }),
    currency,
    balance_micro: micro("spendable amount: paid and promo together; for a sub-token, at most what its caps allow"),
    paid_micro: micro("bought"),
    promo_micro: micro("granted credit; spent first, not refundable, cannot pay for heads"),
    promo_expires_at: nullable(time("when the remaining promo expires")),
    decisions_remaining: count("number of decisions this token can buy now, within its caps"),
    price_micro: micro("price of one decision"),
    low_balance_micro: micro("an email is sent when a charge takes the balance below this amount; 0 means never"),
    auto_topup: nullable(AutoTopup),
    caps: Caps,
    spent: Spent,
    alerts,
    token: nullable(
      strictObject(
        {
          token_id: Type.String(),
          name: Type.String(),
          ops: nullable(tokenOps),
          expires_at: nullable(time("when it expires")),
        },
        { title: "PresentedToken", description: "the sub-token of this request, with its caps and spending" },
      ),
    ),
    created_at: time("status of the wallet"),
  },
  { title: "Wallet" },
);

export const JournalEntry = strictObject(
  {
    id: Type.String(),
    seq: Type.Integer({ minimum: 1, description: "per wallet, without gaps" }),
    kind: Type.Enum([...ENTRY_KINDS], { title: "EntryKind" }),
    amount_micro: signedMicro("change of the balance"),
    balance_after_micro: micro("balance after the entry"),
    charge_id: nullable(Type.String()),
    topup_id: nullable(Type.String()),
    reverses: nullable(Type.String({ description: "ID of the entry that this one reverses" })),
    op: nullable(Type.String({ description: "operation of a charge, SKU of a purchase, reason of an adjustment" })),
    created_at: time("time of the entry"),
    prev: Type.String({
      pattern: "^[A-Za-z0-9_-]{22}$",
      description: "first 16 bytes of the hash of the previous entry, base64url; zeros for the first",
    }),
    token_id: Type.Optional(Type.String({ description: "the sub-token that paid; absent for the main token" })),
  },
  { title: "Entry" },
);

export const EntriesPage = strictObject(
  { items: Type.Array(JournalEntry, { maxItems: 200 }), next_cursor: nullable(Type.String()) },
  { title: "EntriesPage" },
);

export const WalletUsage = strictObject(
  {
    items: Type.Array(
      strictObject(
        {
          bucket: Type.String({
            description:
              "`2026-11-21`, `2026-11-21T13:00:00.000Z`, the operation, or the token (`main` for the main one)",
          }),
          decisions: count("number of billed charges, without voided ones"),
          amount_micro: micro("their total price"),
        },
        { title: "UsageBucket" },
      ),
      { maxItems: 2300 },
    ),
  },
  { title: "WalletUsage" },
);

export const Charge = strictObject(
  {
    charge_id: Type.String(),
    wallet_id: Type.String(),
    state: Type.Enum([...CHARGE_STATES], { title: "ChargeState" }),
    op: Type.String(),
    qty: Type.Integer({ minimum: 1 }),
    price_id: Type.String(),
    amount_micro: micro("price"),
    balance_after_micro: micro("balance after the charge"),
    wallet_seq: Type.Integer({ minimum: 1 }),
    created_at: time("time of the charge"),
    delivered_at: nullable(time("when the gateway acknowledged delivery")),
    voided_at: nullable(time("when the charge was reversed")),
    void_reason: nullable(Type.String()),
    token_id: nullable(Type.String({ description: "the sub-token that paid; null for the main token" })),
    receipt,
  },
  { title: "Charge" },
);

export const Statement = strictObject(
  {
    wallet_id: Type.String(),
    month: Type.String(),
    token_id: Type.Optional(
      Type.String({
        description: "only movements of this sub-token; movements of other tokens also change the balance in between",
      }),
    ),
    opening_micro: micro("balance before the first movement"),
    closing_micro: micro("balance after the last movement"),
    movements: Type.Array(JournalEntry),
    signature: Type.String({ description: "detached compact JWS over the canonical JSON without this member" }),
  },
  { title: "Statement" },
);

export const RotatedToken = strictObject(
  {
    wallet_token: Type.String({ description: "the new token, shown once" }),
    previous_valid_until: time("when the old token expires"),
  },
  { title: "RotatedToken" },
);

export const RecoveredToken = strictObject(
  {
    wallet_id: Type.String(),
    wallet_token: Type.String({ description: "the new token, shown once" }),
  },
  { title: "RecoveredToken" },
);

export const VerifiedWallet = strictObject(
  {
    wallet_id: Type.String(),
    balance_micro: micro("spendable amount"),
    starter_credit: strictObject({
      amount_micro: micro("portion of it that is left"),
      status: Type.Enum([...STARTER_STATES], { title: "StarterCreditStatus" }),
    }),
  },
  { title: "VerifiedWallet" },
);

export const Topup = strictObject(
  {
    topup_id: Type.String(),
    status: Type.Enum([...TOPUP_STATES], { title: "TopupStatus" }),
    provider: Type.Enum([...PROVIDERS], { title: "PaymentProvider" }),
    amount_micro: micro("credited amount"),
    currency,
    checkout_url: nullable(Type.String({ description: "checkout page of the payer; null if no action is required" })),
    balance_micro: micro("current balance of the wallet"),
    created_at: time("status of the top-up"),
    expires_at: nullable(time("when the checkout expires")),
    automatic: Type.Boolean({ description: "started by `auto_topup` of the wallet" }),
  },
  { title: "Topup" },
);
export const TopupsPage = strictObject(
  { items: Type.Array(Topup, { maxItems: 200 }), next_cursor: nullable(Type.String()) },
  { title: "TopupsPage" },
);

export const Catalog = strictObject(
  {
    items: Type.Array(
      strictObject(
        {
          sku: Type.String(),
          price_id: Type.String(),
          amount_micro: micro("once"),
          title: Type.String(),
        },
        { title: "CatalogItem" },
      ),
    ),
    starter_credit: strictObject(
      { amount_micro: micro("credit of a new wallet"), days: count("days until it expires") },
      { description: "starting credit of a new wallet" },
    ),
    topup: strictObject(
      {
        provider: Type.Enum([...PROVIDERS], { title: "PaymentProvider" }),
        step_micro: micro("amounts must be multiples of this"),
        min_micro: micro("minimum for this provider"),
        max_micro: micro("most"),
      },
      { description: "suggested amounts" },
    ),
  },
  { title: "Catalog" },
);

export const Purchase = strictObject(
  {
    purchase_id: Type.String(),
    entitlement_id: Type.String(),
    sku: Type.String(),
    ref: Type.String(),
    amount_micro: micro("price"),
    balance_micro: micro("current balance of the wallet"),
    receipt,
  },
  { title: "Purchase" },
);

export const Entitlements = strictObject(
  {
    items: Type.Array(
      strictObject(
        {
          entitlement_id: Type.String(),
          purchase_id: Type.String(),
          sku: Type.String(),
          ref: Type.String(),
          created_at: time("time of the purchase"),
        },
        { title: "Entitlement" },
      ),
    ),
  },
  { title: "Entitlements" },
);

export const Hello = strictObject(
  {
    voided: count("reversed charges of older boots"),
    lease_seconds: count("seconds until an instance without a heartbeat is fenced"),
  },
  { title: "Registration" },
);
export const ReachedCap = strictObject(
  {
    cap: Type.Enum([...CAP_NAMES], { title: "CapName" }),
    owner: Type.Enum([...CAP_OWNERS], { title: "CapOwner", description: "whose cap it is" }),
    limit_micro: micro("the cap"),
    spent_micro: micro("spent in its window"),
    resets_at: nullable(time("when the window ends; null if waiting does not help")),
  },
  { title: "ReachedCap", description: "the cap that one more decision would exceed" },
);
export const ResolvedWallet = strictObject(
  {
    wallet_id: Type.String(),
    status: Type.Enum([...WALLET_STATES], { title: "WalletStatus" }),
    balance_micro: micro("balance that this token sees: for a sub-token, at most what its caps allow"),
    spendable_micro: micro("what this token can spend now"),
    ops: nullable(Type.Array(Type.String(), { description: "operations that the token may pay for; null for all" })),
    reached: nullable(ReachedCap),
  },
  { title: "ResolvedWallet" },
);
export type ReachedCap = Static<typeof ReachedCap>;

/** Not wrapped in `Type.Optional`, because some endpoints require an idempotency key. */
export const clientKey = Type.String({
  pattern: "^[\\x21-\\x7e]{1,255}$",
  description: "the client's Idempotency-Key",
});

export const ChargeRequest = strictObject(
  {
    seq: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "attempt number, increasing per boot",
    }),
    wallet_hash: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the complete token" }),
    key: Type.Optional(clientKey),
    op: Type.String({
      enum: [...CHARGED_OPERATIONS],
      description: "the billed operation; purchases are charged elsewhere",
    }),
    qty: Type.Literal(1),
    price_id: Type.String({
      minLength: 1,
      maxLength: 40,
      description: "version of the price list; the rail sets the price",
    }),
    req: digest("digest of the request"),
    res: digest("digest of the response"),
    response: Type.Optional(
      Type.String({ maxLength: 22_000, description: "sealed response, base64url; only with `key`" }),
    ),
  },
  { title: "ChargeRequest" },
);
export const ChargeResult = strictObject(
  {
    seq: Type.Integer({ minimum: 1 }),
    status: Type.Enum([201, 200, 402, 403, 409, 422]),
    code: Type.Optional(Type.Enum([...CHARGE_REFUSALS], { title: "ChargeRefusal" })),
    charge_id: Type.Optional(Type.String()),
    amount_micro: Type.Optional(micro("price")),
    balance_micro: Type.Optional(nullable(micro("balance after the charge; the current balance if rejected"))),
    spendable_micro: Type.Optional(micro("what the token can spend now, if its caps allow less than the balance")),
    reached: Type.Optional(ReachedCap),
    wallet_seq: Type.Optional(Type.Integer({ minimum: 1 })),
    receipt: Type.Optional(receipt),
    response: Type.Optional(nullable(Type.String({ description: "200: the sealed response of the first delivery" }))),
  },
  { title: "ChargeResult" },
);

/** The replayable result of a delivered charge, by idempotency key. */
export const DeliveredCharge = strictObject(
  {
    charge_id: Type.String(),
    amount_micro: micro("price"),
    balance_micro: micro("balance after the charge"),
    spendable_micro: Type.Optional(
      micro("what the token could spend after the charge, if its caps allowed less than the balance"),
    ),
    wallet_seq: Type.Integer({ minimum: 1 }),
    receipt,
    response: nullable(Type.String({ description: "the sealed response; null if none was stored" })),
  },
  { title: "DeliveredCharge" },
);

export type ChargeRequest = Static<typeof ChargeRequest>;
export type ChargeResult = Static<typeof ChargeResult>;
export type DeliveredCharge = Static<typeof DeliveredCharge>;

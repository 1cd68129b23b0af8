/** Prices, limits and closed lists of the payment rail. Money is an integer of micro-euros: 1 cent = 10 000. */

export const DECISION_PRICE_MICRO = 500;
export const DECISION_PRICE_ID = "decision-v1";
/** `pay.price_cents` of a 402 response, and the number of decisions that it buys. */
export const PAY_CENTS = 1;
export const PAY_DECISIONS = 20;

export const STARTER_CREDIT_MICRO = 100_000;
export const STARTER_CREDIT_DAYS = 90;

export const TOPUP_STEP_MICRO = 10_000;
export const TOPUP_MIN_MICRO = 10_000;
/** Card payments have a fixed fee, which would exceed smaller payments. */
export const TOPUP_MIN_STRIPE_MICRO = 500_000;
export const TOPUP_MAX_MICRO = 1_000_000_000;

export const AUTO_TOPUPS_PER_MONTH_MAX = 100;

export const GRACE_MAX_SECONDS = 86_400;
export const EMAIL_MAX = 254;
export const LABEL_MAX = 80;
export const TOKEN_NAME_MAX = 80;
/** Active sub-tokens of one wallet. */
export const WALLET_TOKENS_MAX = 100;
export const ALERTS_MAX = 5;
/** Percentages of a cap at which the owner gets an email. */
export const ALERTS_DEFAULT = [80, 100] as const;
export const REASON_MAX = 500;
export const OPERATOR_MAX = 80;
/** Operator actions; those that move money come first. */
export const OPERATOR_ACTIONS = [
  "adjust",
  "settle_topup",
  "refund_topup",
  "refund_charge",
  "freeze",
  "unfreeze",
  "rotate_keys",
  "revoke_key",
  "confirm_clock",
] as const;
export const HEAD_NAME_PATTERN = "^[a-z][a-z0-9_]{1,39}$";

/**
 * Operations that a gateway may charge: IDs of the billed routing endpoints. Longer names could push a receipt over
 * 800 bytes.
 */
export const CHARGED_OPERATIONS = ["route", "decide", "noul", "score", "assess", "systemone", "decisions"] as const;

export const CHARGES_MAX = 64;
/** Acknowledgements above the watermark, and voids, per batch: the most that one gateway can have in flight. */
export const ACKNOWLEDGED_MAX = 4096;
export const SEALED_RESPONSE_MAX = 16_384;
export const SERVICE_BODY_BYTES = 2 * 1024 * 1024;
export const LEASE_SECONDS = 30;
/** A charge without acknowledgement is voided after this time. */
export const UNACKNOWLEDGED_SECONDS = 60;

export const USAGE_DAYS_MAX = { day: 92, hour: 31, op: 92, token: 92 } as const;
/** Maximum movements of one statement, which is signed and therefore loaded as a whole. */
export const STATEMENT_MOVEMENTS_MAX = 20_000;

export const WALLET_REQUESTS_PER_MINUTE = 600;
export const FAILED_AUTHENTICATIONS_PER_MINUTE = 30;

export const WALLET_STATES = ["active", "frozen", "closed"] as const;
export const ENTRY_KINDS = [
  "starter",
  "topup",
  "charge",
  "void",
  "refund",
  "dispute",
  "purchase",
  "promo_expired",
  "adjustment",
] as const;
export const CHARGE_STATES = ["posted", "delivered", "voided", "refunded"] as const;
export const TOPUP_STATES = ["pending", "succeeded", "failed", "expired", "review", "refunded", "disputed"] as const;
export const AUTO_TOPUP_STATES = ["needs_payment_method", "active", "stopped"] as const;
/** `returned`: refunded or disputed. `rejected`: the provider does not accept the saved method. */
export const AUTO_TOPUP_STOPS = ["declined", "authentication_required", "rejected", "review", "returned"] as const;
export const STARTER_STATES = ["granted", "pending_verification", "already_used", "deferred"] as const;
export const PROVIDERS = ["test", "manual", "stripe"] as const;
export const USAGE_BUCKETS = ["day", "hour", "op", "token"] as const;
export const STATEMENT_FORMATS = ["json", "csv"] as const;
export const VOID_REASONS = ["client_gone", "aborted", "fenced", "lease", "unacknowledged"] as const;
export const CAP_NAMES = ["per_charge", "per_day", "per_month", "total"] as const;
export const CAP_OWNERS = ["token", "wallet"] as const;
export const TOKEN_STATES = ["active", "expired", "revoked"] as const;
export const CHARGE_REFUSALS = [
  "wallet_unknown",
  "wallet_empty",
  "wallet_frozen",
  "cap_reached",
  "operation_not_allowed",
  "idempotency_in_progress",
  "idempotency_key_reused",
] as const;

export type WalletState = (typeof WALLET_STATES)[number];
export type EntryKind = (typeof ENTRY_KINDS)[number];
export type OperatorActionName = (typeof OPERATOR_ACTIONS)[number];
export type ChargeState = (typeof CHARGE_STATES)[number];
export type TopupState = (typeof TOPUP_STATES)[number];
export type AutoTopupStop = (typeof AUTO_TOPUP_STOPS)[number];
export type StarterState = (typeof STARTER_STATES)[number];
export type ProviderName = (typeof PROVIDERS)[number];
export type UsageBucket = (typeof USAGE_BUCKETS)[number];
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];
export type VoidReason = (typeof VOID_REASONS)[number];
export type CapName = (typeof CAP_NAMES)[number];
export type CapOwner = (typeof CAP_OWNERS)[number];
export type TokenState = (typeof TOKEN_STATES)[number];
export type ChargeRefusal = (typeof CHARGE_REFUSALS)[number];

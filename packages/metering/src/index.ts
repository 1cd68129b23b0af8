export { hashKey, liveAndTest, generateKey, parseKey, type KeyForm, type ParsedKey } from "./key.ts";
export {
  dailyItemsOf,
  KeyError,
  type DailyItems,
  type KeyErrorCode,
  type ApiKey,
  type KeyState,
  type ApiKeyView,
} from "./key-record.ts";
export type { KeyChange, KeyChanges, KeyStore, KeyWithSecrets, StoredSecret } from "./key-store.ts";
export {
  createKeys,
  type ApiKeyService,
  type KeySettings,
  type KeysOptions,
  type KeyWithSecret,
  type NewKey,
} from "./keys.ts";
export { openKeyCache, type KeyCache, type KeyRingOptions, type KeyVerdict } from "./key-cache.ts";
export { timingSafeMatcher } from "./token-matcher.ts";
export { definePlans, planOf, type Plan, type Plans } from "./plan.ts";
export { parsePriceTiers, priceOf, type PriceTier } from "./price.ts";
export {
  openRateWindows,
  windowMigrations,
  windowTables,
  type RateWindow,
  type RateWindows,
  type RateWindowsOptions,
} from "./rate-windows.ts";
export { createSlidingWindow, type SlidingWindow, type WindowState } from "./sliding-window.ts";
export {
  ALL_ITEMS,
  type Admission,
  type Meter,
  type Outcome,
  type Reservation,
  type RateLimitStatus,
} from "./meter.ts";
export { totalOf, type DayUsage, type UsageSums } from "./usage.ts";
export {
  policyFields,
  rateLimitHeaders,
  type PolicyNames,
  type RateLimitFields,
  type RatePolicy,
} from "./rate-limit-headers.ts";
export { dayOf, monthBounds } from "./day.ts";
export { randomPool, ulid, type RandomSource } from "./ulid.ts";
export { openEmbeddedMeter, type EmbeddedMeterOptions } from "./embedded-meter.ts";
export { openPostgresMeter, type PostgresMeterOptions } from "./postgres-meter.ts";
export {
  BillingError,
  createBillingLedger,
  type BillingLedger,
  type BillingLedgerOptions,
  type Correction,
  type InvoiceLine,
} from "./billing-ledger.ts";
export type { KeyUsage, RowDifference } from "./store/read-usage.ts";
export { openKeyStore } from "./store/key-store.ts";
export { rollUpUsage } from "./store/sqlite.ts";
export type { MeteringTables } from "./store/tables.ts";
export { meteringMigrations, meteringNotCopied } from "./migrations.ts";

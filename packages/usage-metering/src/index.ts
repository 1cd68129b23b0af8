export { dailyItemsOf, definePlans, planOf, type MeteredKey, type Plan, type Plans } from "./plan.ts";
export { parsePriceTiers, priceOf, type PriceTier } from "./price.ts";
export {
  ALL_ITEMS,
  type Admission,
  type Meter,
  type MeterLag,
  type Outcome,
  type RateLimitStatus,
  type RequestWindow,
  type Reservation,
} from "./meter.ts";
export { totalOf, type DayUsage, type InvoiceLine, type UsageSums } from "./usage.ts";
export { dayOf, monthBounds } from "./day.ts";
export { openEmbeddedMeter, type EmbeddedMeterOptions } from "./embedded-meter.ts";
export { openPostgresMeter, type PostgresMeterOptions } from "./postgres-meter.ts";
export {
  BillingError,
  createBillingLedger,
  type BillingLedger,
  type BillingLedgerOptions,
  type Correction,
} from "./billing-ledger.ts";
export type { KeyUsage, RowDifference } from "./store/read-usage.ts";
export { rollUpUsage } from "./store/sqlite.ts";
export { meteringMigrations, meteringNotCopied, type MeteringTables } from "./store/tables.ts";

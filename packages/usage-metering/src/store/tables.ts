/**
 * Migrations and their Kysely types. Services combine them with their own: `openDatabase<MeteringTables & MyTables>`.
 */
import type { MigrationSource } from "@triptych/storage";

export const meteringMigrations: MigrationSource = {
  component: "metering",
  directory: new URL("../../migrations/", import.meta.url),
};

/**
 * Engine-specific data that a copy omits: short-lived rows in PostgreSQL, row order and sum marks in SQLite. Update the
 * sums before copying, because all rows count as summed without a mark.
 */
export const meteringNotCopied: readonly string[] = [
  "usage_window",
  "usage_reservation",
  "usage_mark",
  "usage_row.number",
];

export interface MeteringTables {
  /** The other columns belong to the package `api-keys`. */
  readonly api_key: { id: string; test: number };
  readonly usage_row: UsageRowTable;
  readonly usage_day: UsageDayTable;
  /** A view of the parts that add up to the sums per key and day. */
  readonly usage_part: UsageDayTable;
  readonly usage_closed_day: { day: string; closed_at: number };
  readonly invoice_line: InvoiceLineTable;
}

interface SumColumns {
  requests: number;
  items: number;
  billed_items: number;
  bytes: number;
  amount_micro: number;
}

interface UsageRowTable extends SumColumns {
  key_id: string;
  id: string;
  request_id: string;
  at: number;
  day: string;
  route: string;
  status: number;
  geo: number;
  test: number;
}

interface UsageDayTable extends SumColumns {
  key_id: string;
  day: string;
  geo_requests: number;
}

interface InvoiceLineTable {
  name: string;
  key_id: string;
  month: string;
  requests: number;
  items: number;
  amount_micro: number;
  made_at: number;
}

export type StoredUsageRow = UsageRowTable;

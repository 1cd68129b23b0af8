/**
 * Kysely types of the migration tables. A service combines them with its own: `openDatabase<MeteringTables &
 * MyTables>`.
 */

export interface MeteringTables {
  readonly api_key: ApiKeyTable;
  readonly api_key_secret: ApiKeySecretTable;
  readonly api_key_sequence: { single: number; value: number };
  readonly usage_row: UsageRowTable;
  readonly usage_day: UsageDayTable;
  /** A view: the parts that make up the sums per key and day. */
  readonly usage_part: UsageDayTable;
  readonly usage_closed_day: { day: string; closed_at: number };
  readonly invoice_line: InvoiceLineTable;
}

interface ApiKeyTable {
  id: string;
  name: string;
  plan: string;
  test: number;
  daily_items: number | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  rotated_at: number | null;
  changed: number;
}

interface ApiKeySecretTable {
  hash: string;
  key_id: string;
  created_at: number;
  valid_until: number | null;
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

/** A row as stored on both engines. */
export type StoredUsageRow = UsageRowTable;

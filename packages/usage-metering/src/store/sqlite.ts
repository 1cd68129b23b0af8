/**
 * Billing operations for SQLite. One process writes rows in batches. The CLI may close a day concurrently; the single
 * writer serializes both.
 */
import { sql, type Database } from "@triptych/storage";
import { MINUTE_MS } from "../day.ts";
import type { UsageBatch, DayToClose } from "./insert-usage.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

const MODULE = new URL("./insert-usage.ts", import.meta.url);

export async function insertUsage(database: Database<MeteringTables>, batch: UsageBatch): Promise<void> {
  await proceduresOf(database).call({ module: MODULE, name: "bookRows" }, batch);
}

export async function appendRows(database: Database<MeteringTables>, rows: readonly StoredUsageRow[]): Promise<void> {
  await proceduresOf(database).call({ module: MODULE, name: "appendRows" }, { rows });
}

export async function rollUpUsage(database: Database<MeteringTables>): Promise<void> {
  await proceduresOf(database).call({ module: MODULE, name: "bringSumsUpToDate" }, null);
}

export async function closeDay(database: Database<MeteringTables>, day: string, at: number): Promise<void> {
  const closing: DayToClose = { day, at };
  await proceduresOf(database).call({ module: MODULE, name: "closeDay" }, closing);
}

/** Times of the last minute's requests by key, ascending. Skips rows up to an older mark. */
export async function readRecent({ db }: Database<MeteringTables>, now: number): Promise<Map<string, number[]>> {
  const since = now - MINUTE_MS;
  const { rows } = await sql<{ readonly keyId: string; readonly at: number }>`
    select key_id as "keyId", at from usage_row
     where number > coalesce((select max(number) from usage_mark where at <= ${since}), 0) and at > ${since} and requests = 1
     order by at`.execute(db);

  const recent = new Map<string, number[]>();
  for (const { keyId, at } of rows) {
    const times = recent.get(keyId) ?? [];
    times.push(at);
    recent.set(keyId, times);
  }
  return recent;
}

function proceduresOf({ procedures }: Database<MeteringTables>) {
  if (procedures === null) throw new Error("embedded billing requires an embedded store");
  return procedures;
}

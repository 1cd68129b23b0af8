/**
 * Usage queries, the same on both engines. On SQLite, results add the last few thousand rows, which are not in the sums
 * yet. Every query is bounded by days and uses an index.
 */
import { sql, type Database } from "@triptych/storage";
import { DAY_MS, dayOf, monthBounds } from "../day.ts";
import type { DayUsage, UsageSums } from "../usage.ts";
import type { MeteringTables } from "./tables.ts";

const SUMS = sql`
           cast(sum(requests) as bigint) as requests, cast(sum(items) as bigint) as items, cast(sum(bytes) as bigint) as bytes,
           cast(sum(geo_requests) as bigint) as "geoRequests", cast(sum(amount_micro) as bigint) as "amountMicro"`;

export async function readUsage(
  { db }: Database<MeteringTables>,
  { keyId, from, to }: { readonly keyId: string; readonly from: string; readonly to: string },
): Promise<readonly DayUsage[]> {
  const { rows } = await sql<DayUsage>`
    select day as date, ${SUMS}
      from usage_part
     where key_id = ${keyId} and day between ${from} and ${to}
     group by day order by day`.execute(db);
  return rows;
}

export async function readDays(
  { db }: Database<MeteringTables>,
  now: number,
): Promise<readonly { readonly keyId: string; readonly day: string; readonly items: number }[]> {
  const [yesterday, today] = [dayOf(now - DAY_MS), dayOf(now)];
  const { rows } = await sql<{ readonly keyId: string; readonly day: string; readonly items: number }>`
    select key_id as "keyId", day, cast(sum(items) as bigint) as items
      from usage_part
     where day in (${yesterday}, ${today})
     group by key_id, day`.execute(db);
  return rows;
}

/** Reads one row per key and day, so use it for operator lists, not for requests. */
export async function readLastUse({ db }: Database<MeteringTables>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ readonly keyId: string; readonly day: string }>`
    select key_id as "keyId", max(day) as day from usage_part where requests > 0 group by key_id`.execute(db);
  return new Map(rows.map(({ keyId, day }) => [keyId, day]));
}

export interface KeyUsage extends UsageSums {
  readonly keyId: string;
}

export async function readMonth(
  { db }: Database<MeteringTables>,
  month: string,
  keyId?: string,
): Promise<readonly KeyUsage[]> {
  const [first, last] = monthBounds(month);
  const { rows } = await sql<KeyUsage>`
    select key_id as "keyId", ${SUMS}
      from usage_part
     where day between ${first} and ${last} ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
     group by key_id order by key_id`.execute(db);
  return rows;
}

/** No request runs longer, so nothing is booked on days that are more than this older than the last closed day. */
const LATEST_MS = 7 * DAY_MS;

/** Open days with usage up to `last`, ascending. Reads one week; reads all history only before the first closing. */
export async function readOpenDays({ db }: Database<MeteringTables>, last: string): Promise<readonly string[]> {
  const { closed } = await db
    .selectFrom("usage_closed_day")
    .select(({ fn }) => fn.max<string | null>("day").as("closed"))
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom("usage_part")
    .select("day")
    .distinct()
    .where("day", ">=", closed === null ? "" : dayOf(Date.parse(closed) - LATEST_MS))
    .where("day", "<=", last)
    .where("day", "not in", db.selectFrom("usage_closed_day").select("day"))
    .orderBy("day")
    .execute();
  return rows.map(({ day }) => day);
}

/** A mismatch: rows minus sums; at least one figure is not 0. */
export interface RowDifference extends UsageSums {
  readonly keyId: string;
  readonly day: string;
}

/** One statement, so one snapshot: rows count as positive and sums as negative, and a nonzero total is a difference. */
export async function readDifferences(
  { db }: Database<MeteringTables>,
  from: string,
  to: string,
): Promise<readonly RowDifference[]> {
  const { rows } = await sql<RowDifference>`
    select key_id as "keyId", day, cast(sum(requests) as bigint) as requests, cast(sum(items) as bigint) as items,
           cast(sum(bytes) as bigint) as bytes, cast(sum(geo) as bigint) as "geoRequests", cast(sum(amount) as bigint) as "amountMicro"
      from (
        select key_id, day, requests, items, billed_items as billed, bytes, geo, amount_micro as amount
          from usage_row where day between ${from} and ${to}
        union all
        select key_id, day, -requests, -items, -billed_items, -bytes, -geo_requests, -amount_micro
          from usage_part where day between ${from} and ${to}
      ) as both_sides
     group by key_id, day
    having sum(requests) <> 0 or sum(items) <> 0 or sum(billed) <> 0 or sum(bytes) <> 0 or sum(geo) <> 0 or sum(amount) <> 0
     order by day, key_id limit 100`.execute(db);
  return rows;
}

/**
 * Billing operations for PostgreSQL, for any number of processes. Each calls a function of the migrations, which
 * document the locking.
 */
import { sql, type Database } from "@triptych/storage";
import type { PriceTier } from "../price.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

type Db = Database<MeteringTables>;

export interface AdmitQuery {
  readonly keyId: string;
  readonly limit: number;
  readonly cap: number | null;
  readonly items: number;
  readonly id: string;
  readonly leaseMs: number;
  readonly now: number | null;
}

export interface AdmitAnswer {
  readonly at: number;
  readonly accepted: number;
  readonly counted: number;
  readonly oldest: number;
  readonly used: number;
  readonly reserved: number;
  readonly granted: number;
}

export async function admit({ db }: Db, query: AdmitQuery): Promise<AdmitAnswer> {
  const { keyId, limit, cap, items, id, leaseMs, now } = query;
  const { rows } = await sql<AdmitAnswer>`
    select * from metering_admit(
      ${keyId}, ${limit}::integer, ${cap}::bigint, ${items}::bigint, ${id}, ${leaseMs}::bigint, ${now}::bigint
    )`.execute(db);
  const [answer] = rows;
  if (answer === undefined) throw new Error("metering_admit returned no row");
  return answer;
}

export async function settle(
  { db }: Db,
  {
    row,
    tiers,
    now,
  }: { readonly row: StoredUsageRow; readonly tiers: readonly PriceTier[]; readonly now: number | null },
): Promise<void> {
  const list = tiers.map(({ upTo, priceMicro }) => ({ up_to: upTo, price_micro: priceMicro }));
  await sql`select metering_settle(${JSON.stringify(row)}::jsonb, ${JSON.stringify(list)}::jsonb, ${now}::bigint)`.execute(
    db,
  );
}

/**
 * Renews the reservations of this process; `held` lists pairs of key and reservation. Expired reservations stay
 * expired: another process may be deleting them, and locking them in a different order would deadlock.
 */
/** One statement, so that the items are released atomically. An expired reservation stays unchanged. */
export async function shrinkReservation(
  { db }: Db,
  { keyId, id }: { readonly keyId: string; readonly id: string },
  items: number,
): Promise<void> {
  await sql`update usage_reservation set items = least(items, ${items}::bigint) where key_id = ${keyId} and id = ${id}`.execute(
    db,
  );
}

export async function renew(
  { db }: Db,
  {
    leases,
    leaseMs,
    now,
  }: { readonly leases: readonly (readonly [string, string])[]; readonly leaseMs: number; readonly now: number | null },
): Promise<void> {
  await sql`
    update usage_reservation as r set expires_at = coalesce(${now}::bigint, metering_now()) + ${leaseMs}::bigint
      from jsonb_array_elements(${JSON.stringify(leases)}::jsonb) as h (pair)
     where r.key_id = h.pair ->> 0 and r.id = h.pair ->> 1
       and r.expires_at > coalesce(${now}::bigint, metering_now())`.execute(db);
}

export async function closeDay({ db }: Db, day: string, at: number): Promise<void> {
  await sql`select metering_close_day(${day}, ${at}::bigint)`.execute(db);
}

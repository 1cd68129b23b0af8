/**
 * The verbs of the books that SQLite needs in its own words. One process writes rows here in batches; the command line may close a
 * day beside it, and the single writer keeps the two apart.
 */
import { sql, type Database, type Transaction } from "@triptych/storage";
import { dayOf } from "../day.ts";
import { planOf, type Plans } from "../plan.ts";
import { priceOf } from "../price.ts";
import type { UsageRow } from "../usage.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

type Tx = Transaction<MeteringTables>;
type DaySums = MeteringTables["usage_day"];

/**
 * Books rows and adds them to their days, in one transaction: the sums equal the rows at every moment, whatever dies when. A batch
 * is booked whole or not at all, so a batch whose first row is there was booked before, by a commit whose answer was lost.
 */
export function bookRows(
  database: Database<MeteringTables>,
  rows: readonly UsageRow[],
  { plans, now }: { plans: Plans; now: number },
): Promise<void> {
  return database.transaction(async (tx) => {
    const [first] = rows;
    if (first === undefined || (await isBooked(tx, first))) return;

    const closed = await closedAmong(tx, rows);
    const today = dayOf(now);
    const open = rows.map((row) => (closed.has(row.day) ? { ...row, day: today } : row));
    await store(tx, await price(tx, open, plans));
  });
}

/** Appends rows whose amounts are known, and adds them up. */
export async function store(tx: Tx, rows: readonly StoredUsageRow[]): Promise<void> {
  // One parameter of JSON instead of fourteen a row: the statement stays the same, and so does the message to the writer.
  await sql`
    insert into usage_row (key_id, id, request_id, at, day, route, status, requests, items, billed_items, bytes, geo, test, amount_micro)
    select value ->> 'key_id', value ->> 'id', value ->> 'request_id', value ->> 'at', value ->> 'day', value ->> 'route',
           value ->> 'status', value ->> 'requests', value ->> 'items', value ->> 'billed_items', value ->> 'bytes',
           value ->> 'geo', value ->> 'test', value ->> 'amount_micro'
      from json_each(${JSON.stringify(rows)})`.execute(tx);
  await sql`
    insert into usage_day (key_id, day, requests, items, billed_items, bytes, geo_requests, amount_micro)
    select value ->> 'key_id', value ->> 'day', value ->> 'requests', value ->> 'items', value ->> 'billed_items',
           value ->> 'bytes', value ->> 'geo_requests', value ->> 'amount_micro'
      from json_each(${JSON.stringify(sumByDay(rows))}) where true
    on conflict (key_id, day) do update set
      requests     = requests     + excluded.requests,
      items        = items        + excluded.items,
      billed_items = billed_items + excluded.billed_items,
      bytes        = bytes        + excluded.bytes,
      geo_requests = geo_requests + excluded.geo_requests,
      amount_micro = amount_micro + excluded.amount_micro`.execute(tx);
}

export async function closeDay(database: Database<MeteringTables>, day: string, at: number): Promise<void> {
  await database.db
    .insertInto("usage_closed_day")
    .values({ day, closed_at: at })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute();
}

async function isBooked(tx: Tx, { keyId, id }: UsageRow): Promise<boolean> {
  const row = await tx
    .selectFrom("usage_row")
    .select("id")
    .where("key_id", "=", keyId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

async function closedAmong(tx: Tx, rows: readonly UsageRow[]): Promise<ReadonlySet<string>> {
  const days = [...new Set(rows.map((row) => row.day))];
  const closed = await tx.selectFrom("usage_closed_day").select("day").where("day", "in", days).execute();
  return new Set(closed.map(({ day }) => day));
}

/** Finds what each row costs at its place in its month's price tiers, in the order of the rows. */
async function price(tx: Tx, rows: readonly UsageRow[], plans: Plans): Promise<StoredUsageRow[]> {
  const billed = rows.filter((row) => isBilled(row, plans));
  const places = await placesInTiers(tx, billed);

  return rows.map((row) => {
    const { tiers } = planOf(plans, row.plan);
    const billedItems = isBilled(row, plans) ? row.items : 0;
    const place = `${row.keyId} ${row.day.slice(0, 7)}`;
    const before = places.get(place) ?? 0;
    places.set(place, before + billedItems);
    return stored(row, { billed_items: billedItems, amount_micro: priceOf(tiers, before, billedItems) });
  });
}

function isBilled(row: UsageRow, plans: Plans): boolean {
  return planOf(plans, row.plan).tiers.length > 0;
}

/** Billed items so far, by key and month. */
async function placesInTiers(tx: Tx, rows: readonly UsageRow[]): Promise<Map<string, number>> {
  const wanted = [...new Set(rows.map((row) => `${row.keyId} ${row.day.slice(0, 7)}`))].map((place) =>
    place.split(" "),
  );
  if (wanted.length === 0) return new Map();

  const found = await sql<{ key_id: string; month: string; billed: number }>`
    select d.key_id, w.value ->> 1 as month, sum(d.billed_items) as billed
      from json_each(${JSON.stringify(wanted)}) as w
      join usage_day as d on d.key_id = w.value ->> 0 and d.day between (w.value ->> 1) || '-01' and (w.value ->> 1) || '-31'
     group by d.key_id, w.value ->> 1`.execute(tx);
  return new Map(found.rows.map((row) => [`${row.key_id} ${row.month}`, row.billed]));
}

function stored(row: UsageRow, price: Pick<StoredUsageRow, "billed_items" | "amount_micro">): StoredUsageRow {
  const { id, at, day, route, status, items, bytes } = row;
  const flags = { geo: row.geo ? 1 : 0, test: row.test ? 1 : 0 };
  return {
    key_id: row.keyId,
    id,
    request_id: row.requestId,
    at,
    day,
    route,
    status,
    requests: 1,
    items,
    bytes,
    ...flags,
    ...price,
  };
}

function sumByDay(rows: readonly StoredUsageRow[]): DaySums[] {
  const days = new Map<string, DaySums>();
  for (const row of rows) {
    const place = `${row.key_id} ${row.day}`;
    const sum = days.get(place) ?? emptyDay(row.key_id, row.day);
    sum.requests += row.requests;
    sum.items += row.items;
    sum.billed_items += row.billed_items;
    sum.bytes += row.bytes;
    sum.geo_requests += row.geo;
    sum.amount_micro += row.amount_micro;
    days.set(place, sum);
  }
  return [...days.values()];
}

function emptyDay(keyId: string, day: string): DaySums {
  return { key_id: keyId, day, requests: 0, items: 0, billed_items: 0, bytes: 0, geo_requests: 0, amount_micro: 0 };
}

/**
 * The verbs of the books that SQLite needs in its own words. One process writes rows here in batches; the command line may close a
 * day beside it, and the single writer keeps the two apart.
 */
import { batch, insertMany, sql, type Database, type Transaction } from "@triptych/storage";
import { dayOf } from "../day.ts";
import { planOf, type Plans } from "../plan.ts";
import { priceOf } from "../price.ts";
import type { UsageRow } from "../usage.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

type Tx = Transaction<MeteringTables>;
type DaySums = MeteringTables["usage_day"];

export interface Booking {
  readonly plans: Plans;
  readonly now: number;
  /** The same rows were tried before, and it is not known what became of them. */
  readonly again: boolean;
}

/**
 * Books rows and adds them to their days, in one transaction: the sums equal the rows at every moment, whatever dies when. A batch
 * is booked whole or not at all, so when it comes again and its first row is there, a commit booked it whose answer was lost.
 */
export function bookRows(
  database: Database<MeteringTables>,
  rows: readonly UsageRow[],
  { plans, now, again }: Booking,
): Promise<void> {
  return database.transaction(async (tx) => {
    const [first] = rows;
    if (first === undefined || (again && (await isBooked(tx, first)))) return;

    const today = dayOf(now);
    // A day is closed an hour after its end: that of now is open, unless the clock was set back, which the first try notices.
    const mayBeClosed = again || rows.some((row) => row.day !== today);
    const closed = mayBeClosed ? await closedAmong(tx, rows) : NONE;
    const open = rows.map((row) => (closed.has(row.day) ? { ...row, day: today } : row));
    await store(tx, await price(tx, open, plans));
  });
}

const NONE: ReadonlySet<string> = new Set();

/** Appends rows whose amounts are known, and adds them up. */
export async function store(tx: Tx, rows: readonly StoredUsageRow[]): Promise<void> {
  await insertMany(tx, "usage_row", rows);
  const sums = sumByDay(rows).map((day) => DAY_COLUMNS.map((column) => day[column]));
  await batch(tx, addToDay.compile(tx), sums);
}

const DAY_COLUMNS = [
  "key_id",
  "day",
  "requests",
  "items",
  "billed_items",
  "bytes",
  "geo_requests",
  "amount_micro",
] as const satisfies readonly (keyof DaySums)[];

const addToDay = sql`
  insert into usage_day (${sql.join(DAY_COLUMNS.map((column) => sql.ref(column)))})
  values (${sql.join(DAY_COLUMNS.map(() => null))})
  on conflict (key_id, day) do update set
    requests     = requests     + excluded.requests,
    items        = items        + excluded.items,
    billed_items = billed_items + excluded.billed_items,
    bytes        = bytes        + excluded.bytes,
    geo_requests = geo_requests + excluded.geo_requests,
    amount_micro = amount_micro + excluded.amount_micro`;

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
  // With one price for every item it does not matter which item of the month one is.
  const tiered = rows.filter((row) => isBilled(row, plans) && planOf(plans, row.plan).tiers.length > 1);
  const places = await placesInTiers(tx, tiered);

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

/**
 * A procedure of SQLite's writer: books rows and adds them to their days. Prices are found and sums are made in the writer's own
 * thread, so the thread that answers requests only hands the rows over.
 *
 * What this file imports is loaded by the writer's thread too: no Kysely.
 */
import type { OpenProcedures, Statements } from "@triptych/storage";
import { dayOf } from "../day.ts";
import { planOf, type Plans } from "../plan.ts";
import { priceOf } from "../price.ts";
import type { UsageRow } from "../usage.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

type DaySums = MeteringTables["usage_day"];

export interface RowsToBook {
  readonly rows: readonly UsageRow[];
  readonly plans: Plans;
  readonly now: number;
  /** The same rows were tried before, and it is not known what became of them. */
  readonly again: boolean;
}

export const procedures: OpenProcedures = (statements) => {
  const append = appending(statements);
  const find = finding(statements);
  return {
    /**
     * A batch is booked whole or not at all, so when it comes again and its first row is there, a commit booked it whose answer
     * was lost.
     */
    bookRows({ rows, plans, now, again }: RowsToBook): void {
      const [first] = rows;
      if (first === undefined || (again && find.isBooked(first))) return;

      const today = dayOf(now);
      // A day is closed an hour after its end: that of now is open, unless the clock was set back, which the first try notices.
      const mayBeClosed = again || rows.some((row) => row.day !== today);
      const closed = mayBeClosed ? closedAmong(find, rows) : NONE;
      const open = rows.map((row) => (closed.has(row.day) ? { ...row, day: today } : row));
      append(price(find, open, plans));
    },

    /** Rows whose amounts are known. */
    appendRows({ rows }: { readonly rows: readonly StoredUsageRow[] }): void {
      append(rows);
    },
  };
};

const NONE: ReadonlySet<string> = new Set();

const ROW_COLUMNS = [
  "key_id",
  "id",
  "request_id",
  "at",
  "day",
  "route",
  "status",
  "requests",
  "items",
  "billed_items",
  "bytes",
  "geo",
  "test",
  "amount_micro",
] as const satisfies readonly (keyof StoredUsageRow)[];

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

/** Appends rows and adds them up: the sums equal the rows at every moment, whatever dies when. */
function appending(statements: Statements): (rows: readonly StoredUsageRow[]) => void {
  const row = statements.prepare(`insert into usage_row (${ROW_COLUMNS.join(", ")}) values (${placesOf(ROW_COLUMNS)})`);
  const day = statements.prepare(
    `insert into usage_day (${DAY_COLUMNS.join(", ")}) values (${placesOf(DAY_COLUMNS)})
         on conflict (key_id, day) do update set
            requests     = requests     + excluded.requests,
            items        = items        + excluded.items,
            billed_items = billed_items + excluded.billed_items,
            bytes        = bytes        + excluded.bytes,
            geo_requests = geo_requests + excluded.geo_requests,
            amount_micro = amount_micro + excluded.amount_micro`,
  );
  return (rows) => {
    for (const one of rows) row.run(...ROW_COLUMNS.map((column) => one[column]));
    for (const sums of sumByDay(rows)) day.run(...DAY_COLUMNS.map((column) => sums[column]));
  };
}

function placesOf(columns: readonly string[]): string {
  return columns.map(() => "?").join(", ");
}

type Find = ReturnType<typeof finding>;

function finding(statements: Statements) {
  const booked = statements.prepare("select 1 as found from usage_row where key_id = ? and id = ?");
  const closed = statements.prepare("select 1 as found from usage_closed_day where day = ?");
  const billed = statements.prepare<{ billed: number | null }>(
    "select sum(billed_items) as billed from usage_day where key_id = ? and day between ? and ?",
  );
  return {
    isBooked: ({ keyId, id }: UsageRow) => booked.first(keyId, id) !== undefined,
    isClosed: (day: string) => closed.first(day) !== undefined,
    billedIn: (keyId: string, month: string) => billed.first(keyId, `${month}-01`, `${month}-31`)?.billed ?? 0,
  };
}

function closedAmong(find: Find, rows: readonly UsageRow[]): ReadonlySet<string> {
  return new Set([...new Set(rows.map((row) => row.day))].filter((day) => find.isClosed(day)));
}

/** Finds what each row costs at its place in its month's price tiers, in the order of the rows. */
function price(find: Find, rows: readonly UsageRow[], plans: Plans): StoredUsageRow[] {
  /** Billed items of the month so far, by key and month. */
  const places = new Map<string, number>();

  return rows.map((row) => {
    const { tiers } = planOf(plans, row.plan);
    if (tiers.length === 0) return stored(row, { billed_items: 0, amount_micro: 0 });
    // With one price for every item it does not matter which item of the month one is.
    if (tiers.length === 1) return stored(row, { billed_items: row.items, amount_micro: priceOf(tiers, 0, row.items) });

    const month = row.day.slice(0, 7);
    const place = `${row.keyId} ${month}`;
    const before = places.get(place) ?? find.billedIn(row.keyId, month);
    places.set(place, before + row.items);
    return stored(row, { billed_items: row.items, amount_micro: priceOf(tiers, before, row.items) });
  });
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

/**
 * Books rows and updates the daily sums inside the SQLite writer. `usage_day` is updated once per several thousand
 * rows, because each update touches most of its pages. Invariant: rows up to the newest mark are in the sums, later
 * rows are not; both change in one transaction. The writer thread loads all imports, so do not import Kysely here.
 */
import type { OpenProcedures, Statements } from "@triptych/storage";
import { dayOf, MINUTE_MS } from "../day.ts";
import { planOf, type Plans } from "../plan.ts";
import { priceOf } from "../price.ts";
import type { UsageRow } from "../usage.ts";
import type { StoredUsageRow } from "./tables.ts";

export interface UsageBatch {
  readonly rows: readonly UsageRow[];
  readonly plans: Plans;
  readonly now: number;
  /** Whether the same rows were tried before, with an unknown result. */
  readonly again: boolean;
}

export interface DayToClose {
  readonly day: string;
  readonly at: number;
}

/**
 * Summing this many rows takes 10 ms, a fifth of the time that a crash may lose. Readers add the remaining rows even
 * faster.
 */
const MOST_UNSUMMED = 5000;

export const procedures: OpenProcedures = (statements) => {
  const append = appending(statements);
  const sums = summing(statements);
  const find = finding(statements);
  return {
    /**
     * Batches are booked atomically: if the first row of a retried batch exists, an earlier commit booked the batch,
     * but its response was lost.
     */
    bookRows({ rows, plans, now, again }: UsageBatch): void {
      const [first] = rows;
      if (first === undefined || (again && find.isBooked(first.id))) return;

      // Tiered prices depend on the position in the month, which is read from the sums.
      if (rows.some(({ plan }) => planOf(plans, plan).tiers.length > 1)) sums.bringUpToDate();
      sums.begin();
      for (const row of storedRows(find, { rows, plans, today: dayOf(now) })) append(row);
      if (sums.behind() >= MOST_UNSUMMED) sums.bringUpToDate();
    },

    /** Appends rows with known amounts. They are added to the sums immediately, which rejects a closed day. */
    appendRows({ rows }: { readonly rows: readonly StoredUsageRow[] }): void {
      sums.begin();
      for (const row of rows) append(row);
      sums.bringUpToDate();
    },

    bringSumsUpToDate: () => sums.bringUpToDate(),

    /** Updates the sums first: those of a closed day never change, so they must include all its rows. */
    closeDay({ day, at }: DayToClose): void {
      sums.bringUpToDate();
      find.close(day, at);
    },
  };
};

function appending(statements: Statements): (row: StoredUsageRow) => void {
  const append = statements.prepare(
    `insert into usage_row (id, key_id, request_id, at, day, route, status, requests, items, billed_items, bytes, geo, test, amount_micro)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (row) =>
    append.insert(
      row.id,
      row.key_id,
      row.request_id,
      row.at,
      row.day,
      row.route,
      row.status,
      row.requests,
      row.items,
      row.billed_items,
      row.bytes,
      row.geo,
      row.test,
      row.amount_micro,
    );
}

interface Mark {
  readonly number: number;
  readonly at: number;
}

/** Marks are kept this long before the newest one, so that reads of the last minute find an older mark. */
const MARK_RETENTION_MS = 2 * MINUTE_MS;

function summing(statements: Statements) {
  const newestMark = statements.prepare<Mark>("select number, at from usage_mark order by number desc limit 1");
  const lastRow = statements.prepare<{ number: number | null }>("select max(number) as number from usage_row");
  const lastTime = statements.prepare<{ at: number | null }>("select max(at) as at from usage_row where number > ?");
  const addMark = statements.prepare("insert into usage_mark (number, at) values (?, ?)");
  const dropMarks = statements.prepare(
    "delete from usage_mark where number < (select max(number) from usage_mark where at <= ?)",
  );
  const addRows = statements.prepare(
    `insert into usage_day (key_id, day, requests, items, billed_items, bytes, geo_requests, amount_micro)
     select key_id, day, sum(requests), sum(items), sum(billed_items), sum(bytes), sum(geo), sum(amount_micro)
       from usage_row where number > ? group by key_id, day
         on conflict (key_id, day) do update set
            requests     = requests     + excluded.requests,
            items        = items        + excluded.items,
            billed_items = billed_items + excluded.billed_items,
            bytes        = bytes        + excluded.bytes,
            geo_requests = geo_requests + excluded.geo_requests,
            amount_micro = amount_micro + excluded.amount_micro`,
  );
  const last = () => lastRow.first()?.number ?? 0;

  return {
    /** Must run before rows are added, because rows without an earlier mark count as summed. */
    begin(): void {
      if (newestMark.first() === undefined) addMark.run(last(), lastTime.first(0)?.at ?? 0);
    },
    behind: () => last() - (newestMark.first()?.number ?? last()),
    bringUpToDate(): void {
      const mark = newestMark.first();
      const number = last();
      if (mark === undefined || mark.number === number) return;

      const at = Math.max(mark.at, lastTime.first(mark.number)?.at ?? 0);
      addRows.run(mark.number);
      addMark.run(number, at);
      dropMarks.run(at - MARK_RETENTION_MS);
    },
  };
}

type Find = ReturnType<typeof finding>;

/** A retried batch was the last one of its process, so only a few corrections can follow it. */
const LOOKED_THROUGH = 10_000;

function finding(statements: Statements) {
  const booked = statements.prepare(
    "select 1 as found from usage_row where number > (select max(number) from usage_row) - ? and id = ?",
  );
  const closed = statements.prepare("select 1 as found from usage_closed_day where day = ?");
  const close = statements.prepare(
    "insert into usage_closed_day (day, closed_at) values (?, ?) on conflict (day) do nothing",
  );
  const billed = statements.prepare<{ billed: number | null }>(
    "select sum(billed_items) as billed from usage_day where key_id = ? and day between ? and ?",
  );
  return {
    isBooked: (id: string) => booked.first(LOOKED_THROUGH, id) !== undefined,
    isClosed: (day: string) => closed.first(day) !== undefined,
    close: (day: string, at: number) => close.run(day, at),
    billedIn: (keyId: string, month: string) => billed.first(keyId, `${month}-01`, `${month}-31`)?.billed ?? 0,
  };
}

/** The day on which requests of `day` are booked: today, if `day` has been closed in the meantime. */
function openDay(find: Find, day: string, today: string): string {
  if (!find.isClosed(day)) return day;
  // Days close an hour after they end, so today can only be closed if the clock was set back.
  if (find.isClosed(today)) throw new Error(`the day ${today} is closed, but the clock says that it is today`);
  return today;
}

function storedRows(
  find: Find,
  { rows, plans, today }: Pick<UsageBatch, "rows" | "plans"> & { readonly today: string },
): StoredUsageRow[] {
  const days = new Map([...new Set(rows.map(({ day }) => day))].map((day) => [day, openDay(find, day, today)]));
  /** Billed items of the month so far, by key and month. */
  const billedByMonth = new Map<string, number>();
  /** Advances the position of a key in its month and returns the previous position. */
  const take = (keyId: string, month: string, items: number): number => {
    const monthKey = `${keyId} ${month}`;
    const before = billedByMonth.get(monthKey) ?? find.billedIn(keyId, month);
    billedByMonth.set(monthKey, before + items);
    return before;
  };

  return rows.map(({ id, keyId, requestId, at, route, status, items, bytes, geo, test, ...row }) => {
    const day = days.get(row.day) ?? row.day;
    const { tiers } = planOf(plans, row.plan);
    // With a single price, the position in the month does not matter.
    const before = tiers.length > 1 ? take(keyId, day.slice(0, 7), items) : 0;
    return {
      id,
      key_id: keyId,
      request_id: requestId,
      at,
      day,
      route,
      status,
      requests: 1,
      items,
      billed_items: tiers.length === 0 ? 0 : items,
      bytes,
      geo: geo ? 1 : 0,
      test: test ? 1 : 0,
      amount_micro: priceOf(tiers, before, items),
    };
  });
}

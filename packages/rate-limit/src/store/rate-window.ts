/** A window in PostgreSQL: one call of a function whose migration documents the locking. */
import { sql, type Database } from "@triptych/storage";

export interface WindowQuery {
  readonly name: string;
  readonly limit: number;
  readonly spanMs: number;
  readonly now: number | null;
}

export interface WindowAnswer {
  readonly at: number;
  readonly accepted: number;
  readonly counted: number;
  readonly oldest: number;
}

export async function takeInWindow<Schema>(
  { db }: Pick<Database<Schema>, "db">,
  { name, limit, spanMs, now }: WindowQuery,
): Promise<WindowAnswer> {
  const { rows } = await sql<WindowAnswer>`
    select * from rate_window_take_many(${name}, ${limit}::integer, ${spanMs}::bigint, 1, ${now}::bigint)`.execute(db);
  const [answer] = rows;
  if (answer === undefined) throw new Error("rate_window_take_many returned no row");
  return answer;
}

/** Takes no lock: the result may be slightly stale. */
export async function peekWindow<Schema>(
  { db }: Pick<Database<Schema>, "db">,
  { name, spanMs, now }: Omit<WindowQuery, "limit">,
): Promise<{ readonly at: number; readonly counted: number; readonly oldest: number | null }> {
  const { rows } = await sql<{ at: number; counted: number; oldest: number | null }>`
    select clock.at, count(t.stamp) as counted, min(t.stamp) as oldest
      from (select coalesce(${now}::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as at) as clock
      left join rate_window as w on w.name = ${name}
      left join lateral (select unnest(w.leaving || w.stamps)
                         union all
                         select unnest(p.stamps) from rate_window_part as p where p.name = w.name) as t (stamp)
             on t.stamp > clock.at - ${spanMs}::bigint
     group by clock.at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("the database returned no time");
  return row;
}

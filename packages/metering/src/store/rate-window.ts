/** The window that PostgreSQL decides itself: one call of a function of the migrations, which holds the reasoning beside the lock. */
import { sql, type Database } from "@triptych/storage";

export interface WindowQuery {
  readonly name: string;
  readonly limit: number;
  readonly spanMs: number;
  /** null = the database's clock. */
  readonly now: number | null;
}

export interface WindowAnswer {
  readonly at: number;
  readonly accepted: number;
  /** Requests in the window, this one included when accepted. */
  readonly counted: number;
  readonly oldest: number;
}

export async function takeInWindow<Schema>(
  { db }: Pick<Database<Schema>, "db">,
  { name, limit, spanMs, now }: WindowQuery,
): Promise<WindowAnswer> {
  const { rows } = await sql<WindowAnswer>`
    select * from rate_window_take(${name}, ${limit}::integer, ${spanMs}::bigint, ${now}::bigint)`.execute(db);
  const [answer] = rows;
  if (answer === undefined) throw new Error("the database accepted nothing and refused nothing");
  return answer;
}

/**
 * The verbs of the books that SQLite needs in its own words. One process writes rows here in batches; the command line may close a
 * day beside it, and the single writer keeps the two apart.
 */
import type { Database } from "@triptych/storage";
import type { RowsToBook } from "./book-rows.ts";
import type { MeteringTables, StoredUsageRow } from "./tables.ts";

const MODULE = new URL("./book-rows.ts", import.meta.url);

/** Books rows and adds them to their days, in one transaction. */
export async function bookRows(database: Database<MeteringTables>, rows: RowsToBook): Promise<void> {
  await proceduresOf(database).call({ module: MODULE, name: "bookRows" }, rows);
}

/** Appends rows whose amounts are known, and adds them up. */
export async function appendRows(database: Database<MeteringTables>, rows: readonly StoredUsageRow[]): Promise<void> {
  await proceduresOf(database).call({ module: MODULE, name: "appendRows" }, { rows });
}

export async function closeDay(database: Database<MeteringTables>, day: string, at: number): Promise<void> {
  await database.db
    .insertInto("usage_closed_day")
    .values({ day, closed_at: at })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute();
}

function proceduresOf({ procedures }: Database<MeteringTables>) {
  if (procedures === null) throw new Error("the embedded books need an embedded store");
  return procedures;
}

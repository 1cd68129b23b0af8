/**
 * Rows cannot always be inserted after the rows that they reference, for example in a tree. Such constraints are
 * checked at the end. Others stay immediate, because a deferred check costs server memory per row.
 */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database.ts";
import type { TableShape } from "./describe-tables.ts";

/** Returns a function that checks the constraints before the commit. */
export async function deferForeignKeys<Schema>(
  tx: Kysely<Schema>,
  location: { readonly engine: Database<Schema>["engine"]; readonly schema: string },
  sorted: readonly TableShape[],
): Promise<() => Promise<void>> {
  if (location.engine === "sqlite") {
    await sql`pragma defer_foreign_keys = on`.execute(tx);
    return () => Promise.resolve();
  }

  const early = sorted.filter((table, index) =>
    table.pointsAt.some((target) => sorted.findIndex(({ name }) => name === target) >= index),
  );
  const names = early.map(({ name }) => name);
  if (names.length === 0) return () => Promise.resolve();

  const { rows: constraints } = await sql<{ table: string; name: string }>`
    select c.relname as "table", f.conname as name
    from pg_constraint as f join pg_class as c on c.oid = f.conrelid join pg_namespace as n on n.oid = c.relnamespace
    where f.contype = 'f' and not f.condeferrable and n.nspname = ${location.schema} and c.relname in (${sql.join(names)})`.execute(
    tx,
  );
  for (const { table, name } of constraints) {
    await sql`alter table ${sql.id(table)} alter constraint ${sql.id(name)} deferrable initially deferred`.execute(tx);
  }
  await sql`set constraints all deferred`.execute(tx);

  return async () => {
    await sql`set constraints all immediate`.execute(tx);
    for (const { table, name } of constraints) {
      await sql`alter table ${sql.id(table)} alter constraint ${sql.id(name)} not deferrable`.execute(tx);
    }
  };
}

/**
 * Autoincrement counters. A copy transfers the counter itself, not the highest number in the table, because numbers of
 * deleted rows must not be reused.
 */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database.ts";

export interface Sequence {
  readonly engine: Database<unknown>["engine"];
  readonly schema: string;
  readonly table: string;
  readonly column: string;
}

export async function readSequence<Schema>(
  db: Kysely<Schema>,
  { engine, schema, table, column }: Sequence,
): Promise<number | null> {
  if (engine === "sqlite") {
    const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(db);
    return rows[0]?.seq ?? null;
  }
  const { rows } = await sql<{ last: number | null }>`
    select s.last_value as last from pg_sequences as s
    where quote_ident(s.schemaname) || '.' || quote_ident(s.sequencename) = ${sequenceOf(schema, table, column)}`.execute(
    db,
  );
  return rows[0]?.last ?? null;
}

export async function writeSequence<Schema>(tx: Kysely<Schema>, sequence: Sequence, last: number): Promise<void> {
  const { engine, schema, table, column } = sequence;
  if (engine === "postgres") {
    await sql`select setval(${sequenceOf(schema, table, column)}::regclass, ${sql.lit(last)})`.execute(tx);
    return;
  }
  // The counter row exists if the table has ever had a row, even if it is empty now.
  await sql`delete from sqlite_sequence where name = ${table}`.execute(tx);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(tx);
}

function sequenceOf(schema: string, table: string, column: string) {
  return sql`pg_get_serial_sequence(quote_ident(${schema}) || '.' || quote_ident(${table}), ${column})`;
}

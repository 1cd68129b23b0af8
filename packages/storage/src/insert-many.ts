/**
 * Bulk inserts. On SQLite, all rows go to the writer in one message and use one prepared statement. On PostgreSQL, they
 * use a few multi-row statements. Inserts are always atomic, inside or outside a transaction.
 */
import { type CompiledQuery, type Insertable, type Kysely, SqliteAdapter, sql } from "kysely";
import { asBatch, toValue } from "./statement.ts";

export interface InsertManyOptions<Column extends string> {
  /** By default, a conflict fails the whole call. */
  readonly onConflict?: { readonly columns: readonly Column[]; readonly do: "ignore" | "replace" };
}

/** PostgreSQL's limit: parameter numbers have 16 bits. */
const PARAMETERS = 65_535;

const ROWS_AT_ONCE = 1_000;

/**
 * Inserts rows with identical columns. With `onConflict.do = "replace"`, the last row of a call wins per key. Returns
 * the number of inserted or replaced rows.
 */
export async function insertMany<Schema, Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
  options: InsertManyOptions<keyof Schema[Table] & string> = {},
): Promise<number> {
  const [first] = rows;
  if (first === undefined) return 0;

  const columns = Object.keys(first);
  const distinct = options.onConflict === undefined ? rows : lastOfEachKey(rows, options.onConflict.columns);
  const values = distinct.map((row) => toValues(columns, row));
  const shape = { table, columns, onConflict: options.onConflict };
  if (isSqlite(db)) return await runBatch(db, insertion(shape, [columns.map(() => null)]).compile(db), values);

  const size = Math.min(ROWS_AT_ONCE, Math.floor(PARAMETERS / columns.length));
  const insertAll = async (tx: Kysely<Schema>): Promise<number> => {
    let changed = 0;
    for (let at = 0; at < values.length; at += size) {
      const result = await insertion(shape, values.slice(at, at + size)).execute(tx);
      changed += Number(result.numAffectedRows ?? 0n);
    }
    return changed;
  };
  return await atOnce(db, insertAll);
}

/**
 * Runs one statement per row of parameters, atomically. Parameters inside `statement` are placeholders: compile it
 * with any values. Returns the number of changed rows.
 */
export async function batch<Schema>(
  db: Kysely<Schema>,
  statement: CompiledQuery,
  rows: readonly (readonly unknown[])[],
): Promise<number> {
  if (rows.length === 0) return 0;
  if (isSqlite(db)) return await runBatch(db, statement, rows);

  return await atOnce(db, async (tx) => {
    let changed = 0;
    for (const parameters of rows) {
      const result = await tx.executeQuery({ ...statement, parameters: parameters.map(toValue) });
      changed += Number(result.numAffectedRows ?? 0n);
    }
    return changed;
  });
}

async function runBatch<Schema>(
  db: Kysely<Schema>,
  statement: CompiledQuery,
  rows: readonly (readonly unknown[])[],
): Promise<number> {
  const result = await db.executeQuery(asBatch({ ...statement }, rows));
  return Number(result.numAffectedRows ?? 0n);
}

async function atOnce<Schema, T>(db: Kysely<Schema>, work: (tx: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.isTransaction ? await work(db) : await db.transaction().execute(work);
}

function isSqlite<Schema>(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

interface Shape {
  readonly table: string;
  readonly columns: readonly string[];
  readonly onConflict: InsertManyOptions<string>["onConflict"];
}

function insertion({ table, columns, onConflict }: Shape, rows: readonly (readonly unknown[])[]) {
  const names = sql.join(columns.map((column) => sql.id(column)));
  const tuples = sql.join(rows.map((row) => sql`(${sql.join(row)})`));
  return sql`insert into ${sql.id(table)} (${names}) values ${tuples}${conflict(columns, onConflict)}`;
}

function conflict(columns: readonly string[], onConflict: Shape["onConflict"]) {
  if (onConflict === undefined) return sql``;

  const key = sql.join(onConflict.columns.map((column) => sql.id(column)));
  const others = columns.filter((column) => !onConflict.columns.includes(column));
  if (onConflict.do === "ignore" || others.length === 0) return sql` on conflict (${key}) do nothing`;

  const assignments = sql.join(others.map((column) => sql`${sql.id(column)} = excluded.${sql.id(column)}`));
  return sql` on conflict (${key}) do update set ${assignments}`;
}

/**
 * PostgreSQL refuses to replace a row twice in one statement, while on SQLite the last row wins. Keeping only the last
 * row per key gives the same result on both.
 */
function lastOfEachKey<R extends object>(rows: readonly R[], key: readonly string[]): readonly R[] {
  const distinct = new Map<string, R>();
  for (const row of rows) distinct.set(JSON.stringify(pick(key, row)), row);
  return [...distinct.values()];
}

function toValues(columns: readonly string[], row: object): unknown[] {
  if (Object.keys(row).length !== columns.length || columns.some((column) => !Object.hasOwn(row, column))) {
    throw new TypeError(`Rows inserted together must have the same columns, here ${columns.join(", ")}.`);
  }
  return pick(columns, row);
}

function pick(columns: readonly string[], row: object): unknown[] {
  return columns.map((column): unknown => Reflect.get(row, column));
}

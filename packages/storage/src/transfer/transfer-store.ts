/**
 * Copies a store to the other engine, from one snapshot and in one transaction. If the copy fails or row counts differ,
 * the target stays unchanged. The target must be empty except for rows that its migrations insert. Stop writers of the
 * source first.
 */
import { existsSync } from "node:fs";
import { type Kysely, type Transaction, sql } from "kysely";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { hasMigrationTable, type MigrationSource } from "../migrations/migrate.ts";
import { insertMany } from "../insert-many.ts";
import { openPostgres } from "../postgres/open-postgres.ts";
import { parseUrl } from "../url.ts";
import { readSequence, writeSequence } from "./counters.ts";
import { describeTables, sortByReference, type TableShape } from "./describe-tables.ts";
import { deferForeignKeys } from "./foreign-keys.ts";

export interface CopyOptions {
  readonly from: StoreAddress;
  readonly to: StoreAddress;
  readonly migrations: readonly MigrationSource[];
  /** Tables, and columns as `table.column`, that the service rebuilds or that only one engine has. */
  readonly skip?: readonly string[];
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface StoreAddress {
  readonly url: string;
  readonly schema: string;
}

export interface CopyProgress {
  readonly table: string;
  readonly copied: number;
  readonly total: number;
}

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

const PORTION = 1_000;

/** Copying a large store takes long, and nobody else uses the target during that time. */
const COPY_MS = 24 * 3_600_000;

type Row = Record<string, unknown>;
type AnyTables = Record<string, Row>;
type Store = Database<AnyTables>;

/** Whether a service has a store at an address. Creates nothing. */
export async function holdsStore({ url, schema }: StoreAddress): Promise<boolean> {
  const parsed = parseUrl(url);
  if (parsed.engine === "sqlite") return existsSync(parsed.path);
  await using database = await openPostgres({ url, schema, readOnly: true });
  return await hasMigrationTable(database, schema);
}

/** Returns a table with more rows than its migrations inserted; null if the store is unused. */
export async function usedTable(
  address: StoreAddress,
  { migrations, skip }: Pick<CopyOptions, "migrations" | "skip">,
): Promise<string | null> {
  const pristine = await pristineCounts(migrations);
  await using database = await openDatabase<AnyTables>({ ...address, migrations, readOnly: true });
  for (const { name } of await describeTables(
    database.db,
    { engine: database.engine, schema: address.schema },
    skip ?? [],
  ))
    if ((await count(database.db, name)) !== (pristine.get(name) ?? 0)) return name;
  return null;
}

export async function copyStore(options: CopyOptions): Promise<readonly CopiedTable[]> {
  const { from, to, migrations } = options;
  const pristine = await pristineCounts(migrations);
  await using source = await openDatabase<AnyTables>({ ...from, migrations, readOnly: true, statementMs: 0 });
  await using target = await openDatabase<AnyTables>({ ...to, migrations, statementMs: 0 });

  return await source.snapshot((reading) =>
    target.transaction((writing) => copyTables({ source, target, reading, writing, pristine }, options), {
      limitMs: COPY_MS,
    }),
  );
}

interface Copying {
  readonly source: Store;
  readonly target: Store;
  readonly reading: Transaction<AnyTables>;
  readonly writing: Transaction<AnyTables>;
  readonly pristine: ReadonlyMap<string, number>;
}

async function copyTables(
  { source, target, reading, writing, pristine }: Copying,
  options: CopyOptions,
): Promise<readonly CopiedTable[]> {
  const { skip = [] } = options;
  const from = { engine: source.engine, schema: options.from.schema };
  const to = { engine: target.engine, schema: options.to.schema };
  const theirs = await describeTables(reading, from, skip);
  const ours = sortByReference(await describeTables(writing, to, skip));
  refuseDifferentShapes(theirs, ours);
  await refuseUsedTarget(writing, ours, pristine);
  // Only tables filled by migrations: a table that forbids deletes rejects even a delete of no rows.
  const filled = ours.toReversed().filter(({ name }) => (pristine.get(name) ?? 0) > 0);
  for (const table of filled) await sql`delete from ${sql.id(table.name)}`.execute(writing);

  const checkForeignKeys = await deferForeignKeys(writing, to, ours);
  const copied: CopiedTable[] = [];
  for (const table of ours) {
    const total = await count(reading, table.name);
    const report = (done: number): void => options.onProgress?.({ table: table.name, copied: done, total });
    const rows = await copyTable({ reading, writing, table, report });
    const stored = await count(writing, table.name);
    if (rows !== total || stored !== total) {
      throw new Error(`${table.name} has ${total} rows, but ${stored} were copied; nothing was stored.`);
    }
    copied.push({ table: table.name, rows });
  }
  for (const { name, identityColumn } of ours) {
    if (identityColumn === null) continue;
    const column = theirs.find((table) => table.name === name)?.identityColumn ?? identityColumn;
    const last = await readSequence(reading, { ...from, table: name, column });
    if (last !== null) await writeSequence(writing, { ...to, table: name, column: identityColumn }, last);
  }
  await checkForeignKeys();
  return copied;
}

interface TableCopy {
  readonly reading: Kysely<AnyTables>;
  readonly writing: Kysely<AnyTables>;
  readonly table: TableShape;
  readonly report: (copied: number) => void;
}

async function copyTable({ reading, writing, table, report }: TableCopy): Promise<number> {
  let copied = 0;
  let portion: Row[] = [];
  const store = async (): Promise<void> => {
    await insertMany(writing, table.name, portion);
    copied += portion.length;
    portion = [];
    report(copied);
  };
  try {
    for await (const row of reading.selectFrom(table.name).select(table.columns).stream(PORTION)) {
      portion.push(row);
      if (portion.length === PORTION) await store();
    }
    await store();
  } catch (error) {
    throw new Error(`Copying ${table.name} failed after ${copied} rows; nothing was stored.`, { cause: error });
  }
  return copied;
}

/** Row counts of a new store: the rows inserted by migrations. */
async function pristineCounts(migrations: readonly MigrationSource[]): Promise<ReadonlyMap<string, number>> {
  const schema = "pristine";
  await using fresh = await openDatabase<AnyTables>({ url: "sqlite::memory:", schema, migrations });
  const counts = new Map<string, number>();
  for (const { name } of await describeTables(fresh.db, { engine: fresh.engine, schema })) {
    counts.set(name, await count(fresh.db, name));
  }
  return counts;
}

function refuseDifferentShapes(theirs: readonly TableShape[], ours: readonly TableShape[]): void {
  const columnNames = (tables: readonly TableShape[]): string[] =>
    tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
  const missing = columnNames(theirs).filter((name) => !columnNames(ours).includes(name));
  const added = columnNames(ours).filter((name) => !columnNames(theirs).includes(name));
  if (missing.length + added.length === 0) return;

  const lists = [
    missing.length > 0 ? `only the source has ${missing.join(", ")}` : "",
    added.length > 0 ? `only the target has ${added.join(", ")}` : "",
  ];
  throw new Error(`The two stores differ: ${lists.filter((list) => list !== "").join("; ")}. Nothing was copied.`);
}

async function refuseUsedTarget(
  writing: Kysely<AnyTables>,
  tables: readonly TableShape[],
  pristine: ReadonlyMap<string, number>,
): Promise<void> {
  for (const { name } of tables) {
    const rows = await count(writing, name);
    if (rows !== (pristine.get(name) ?? 0)) {
      throw new Error(`The target is in use: ${name} contains ${rows} rows. Copy into an empty store.`);
    }
  }
}

async function count(db: Kysely<AnyTables>, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id(table)}`.execute(db);
  return rows[0]?.n ?? 0;
}

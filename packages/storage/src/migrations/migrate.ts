/**
 * Applies pending migrations. Each file runs in one transaction with its log row. The transaction first takes a lock
 * (SQLite: the single writer; PostgreSQL: an advisory lock per schema) and reads the log again. Stores with unknown or
 * modified migrations are rejected.
 */
import { CompiledQuery, type Kysely, sql } from "kysely";
import type { Database } from "../database.ts";
import { markScript } from "../statement.ts";
import { type Migration, type MigrationSource, readMigrations } from "./read-migrations.ts";

export type { MigrationSource } from "./read-migrations.ts";

export interface MigrateOptions {
  readonly sources: readonly MigrationSource[];
  readonly schema: string;
  readonly readOnly: boolean;
}

export const MIGRATION_TABLE = "triptych_migration";

/** Generous, because a migration may rewrite a large table. The service is not ready until it ends. */
const MIGRATION_MS = 3_600_000;

export async function migrate<Schema>(database: Database<Schema>, options: MigrateOptions): Promise<void> {
  const perSource = await Promise.all(options.sources.map((source) => readMigrations(source, database.engine)));
  const migrations = perSource.flat();
  // Usually the store is up to date, which a single read confirms.
  if (await hasMigrationTable(database, options.schema)) {
    const missing = findMissing(migrations, await readApplied(database.db));
    if (missing.length === 0) return;
  }
  if (migrations.length === 0) return;
  if (options.readOnly) {
    throw new Error("The store has pending migrations; start the service once, then open it read-only.");
  }

  let finished = false;
  while (!finished) finished = await applyNext(database, migrations, options.schema);
}

/** Applies the next pending migration; returns true if there is none. */
async function applyNext<Schema>(
  database: Database<Schema>,
  migrations: readonly Migration[],
  schema: string,
): Promise<boolean> {
  return await database.transaction(
    async (tx) => {
      if (database.engine === "postgres") await lockSchema(tx, schema);
      await tx.executeQuery(CompiledQuery.raw(createTable(database.engine)));
      const [next, ...later] = findMissing(migrations, await readApplied(tx));
      if (next === undefined) return true;

      await run(tx, next);
      return later.length === 0;
    },
    { limitMs: MIGRATION_MS },
  );
}

async function run<Schema>(tx: Kysely<Schema>, migration: Migration): Promise<void> {
  const { component, number, name, checksum } = migration;
  try {
    await tx.executeQuery(markScript(CompiledQuery.raw(migration.sql)));
  } catch (error) {
    throw new Error(`Migration ${component}/${number} (${name}) failed and was rolled back.`, {
      cause: error,
    });
  }
  await sql`insert into triptych_migration (component, number, name, checksum, applied_at)
    values (${component}, ${number}, ${name}, ${checksum}, ${Date.now()})`.execute(tx);
}

/** Takes the migration lock, and disables the statement timeout for this transaction. */
async function lockSchema<Schema>(tx: Kysely<Schema>, schema: string): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(MIGRATION_MS)}, true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`triptych migrations of ${schema}`}, 0))`.execute(tx);
  await sql`create schema if not exists ${sql.id(schema)}`.execute(tx);
}

function createTable(engine: Database<unknown>["engine"]): string {
  const [integer, strict] = engine === "sqlite" ? ["integer", " strict"] : ["bigint", ""];
  return `create table if not exists ${MIGRATION_TABLE} (
    component text not null,
    number ${integer} not null,
    name text not null,
    checksum text not null,
    applied_at ${integer} not null,
    primary key (component, number)
  )${strict}`;
}

interface Applied {
  readonly component: string;
  readonly number: number;
  readonly checksum: string;
}

export async function hasMigrationTable<Schema>(database: Database<Schema>, schema: string): Promise<boolean> {
  const query =
    database.engine === "sqlite"
      ? sql`select 1 from sqlite_schema where type = 'table' and name = ${MIGRATION_TABLE}`
      : sql`select 1 from pg_tables where schemaname = ${schema} and tablename = ${MIGRATION_TABLE}`;
  return (await query.execute(database.db)).rows.length > 0;
}

async function readApplied<Schema>(db: Kysely<Schema>): Promise<readonly Applied[]> {
  const { rows } =
    await sql<Applied>`select component, number, checksum from triptych_migration order by component, number`.execute(
      db,
    );
  return rows;
}

function findMissing(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const ours = new Map(migrations.map((migration) => [`${migration.component}/${migration.number}`, migration]));
  const done = new Set<string>();
  for (const { component, number, checksum } of applied) {
    const key = `${component}/${number}`;
    const migration = ours.get(key);
    if (migration === undefined) {
      throw new Error(
        `The store contains migration ${key}, which this version does not know: a newer version created it. Start that version.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new Error(
        `Migration ${key} (${migration.name}) was modified after it was applied to this store. Restore the file; write changes as a new migration.`,
      );
    }
    done.add(key);
  }
  return migrations.filter(({ component, number }) => !done.has(`${component}/${number}`));
}

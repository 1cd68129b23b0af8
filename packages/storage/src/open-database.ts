import type { Database } from "./database.ts";
import { type MigrationSource, migrate } from "./migrations/migrate.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";
import { parseUrl } from "./url.ts";

export interface OpenOptions {
  /** `sqlite:/absolute/path.db`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  /** PostgreSQL schema of the service, created if missing. SQLite has a file per service instead. */
  readonly schema: string;
  readonly migrations: readonly MigrationSource[];
  /** Rejects writes, and a store with pending migrations. */
  readonly readOnly?: boolean;
  /** SQLite: `normal` syncs occasionally; a power failure may undo the last commits, in order. Default `full`. */
  readonly sync?: "full" | "normal";
  /** PostgreSQL: maximum connections of this process; 10. */
  readonly connections?: number;
  /** PostgreSQL: statement timeout in milliseconds; 30 s. */
  readonly statementMs?: number;
}

/** Opens the store and applies pending migrations. Throws an operator-readable error if the store cannot be used. */
export async function openDatabase<Schema>(options: OpenOptions): Promise<Database<Schema>> {
  const parsed = parseUrl(options.url);
  const readOnly = options.readOnly ?? false;
  const database =
    parsed.engine === "sqlite"
      ? await openSqlite<Schema>(parsed.path, { readOnly, sync: options.sync })
      : await openPostgres<Schema>({ ...options, readOnly });
  try {
    await migrate(database, { sources: options.migrations, schema: options.schema, readOnly });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

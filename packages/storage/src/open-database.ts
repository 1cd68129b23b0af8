import type { Database } from "./database.ts";
import { type MigrationSource, migrate } from "./migrations/migrate.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";
import { parseUrl } from "./url.ts";

export interface OpenOptions {
  /** `sqlite:/absolute/path.db`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  /** PostgreSQL schema of the service, created if missing. With SQLite, each service has its own file instead. */
  readonly schema: string;
  readonly migrations: readonly MigrationSource[];
  /** Rejects writes, and rejects a store with pending migrations. */
  readonly readOnly?: boolean;
  /** SQLite: with `normal`, a power failure may undo the most recent commits. Default `full`. */
  readonly sync?: "full" | "normal";
  /** PostgreSQL: maximum connections of this process. Default 10. */
  readonly connections?: number;
  /** PostgreSQL: statement timeout in milliseconds. Default 30 000. */
  readonly statementMs?: number;
}

/**
 * Opens the store and applies pending migrations. If the store cannot be used, throws an error with a message for
 * operators.
 */
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

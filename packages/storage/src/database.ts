/**
 * One interface to SQLite and PostgreSQL: services open a store by URL and use Kysely, independent of the engine.
 *
 * Portability rules: IDs are TEXT; times are integers in epoch milliseconds; booleans are integers 0 or 1; JSON is
 * TEXT; bytes are BLOB / BYTEA. Integers are read as JavaScript numbers and throw beyond 2^53.
 */
import type { Kysely, Transaction } from "kysely";
import { type MigrationSource, migrate } from "./migrations/migrate.ts";
import type { Procedures } from "./sqlite/writer-procedures.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";
import { parseUrl } from "./url.ts";

export type Engine = "sqlite" | "postgres";

export interface Database<Schema> extends AsyncDisposable {
  readonly engine: Engine;
  /** Reads and single writes. The promise of a write resolves after its commit, so that later reads see it. */
  readonly db: Kysely<Schema>;
  /**
   * Runs `work` atomically. Queries must use `tx`; the outer `db` throws. On SQLite a transaction blocks all writers:
   * await nothing but the store in it.
   */
  transaction<T>(work: (tx: Transaction<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Procedures inside the embedded engine; null on PostgreSQL, where migrations define functions instead. */
  readonly procedures: Procedures | null;
  /** Many reads of one snapshot, concurrent with writers. Never writes. */
  snapshot<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
  /**
   * Changes with every visible commit, of this process or another: while it is equal, cached reads are valid. Null in
   * memory, or if it would require a server query.
   */
  version(): number | null;
  /**
   * Wakes listeners of a channel, in every process on PostgreSQL, in this process otherwise. Best effort: a
   * notification may be lost.
   */
  notify(channel: string, payload?: string): Promise<void>;
  /**
   * Calls `wake` per notification; with `undefined` if some may have been missed. Returns a function that
   * unsubscribes.
   */
  listen(channel: string, wake: (payload: string | undefined) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** Maximum duration on SQLite before a rollback; 4 s. Longer transactions make other processes fail. */
  readonly limitMs?: number;
}

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

/**
 * One door to SQLite and PostgreSQL. A service opens its store by URL and speaks Kysely to it; nothing outside this package
 * knows which engine answers.
 *
 * Conventions that make a store portable: ids are TEXT; times are integers, epoch milliseconds; booleans are integers, 0 or
 * 1; JSON is TEXT; bytes are BLOB / BYTEA. Integers come back as JavaScript numbers and throw beyond 2^53.
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
  /** Reads and single writes. A write's promise resolves after its commit: whoever reads later sees it. */
  readonly db: Kysely<Schema>;
  /**
   * Everything in `work` or nothing. Inside, all queries go through `tx`; the outer `db` is refused. After a failed statement
   * only a rollback is possible. Embedded, a transaction holds the only writer: do not wait for anything but the store in it.
   */
  transaction<T>(work: (tx: Transaction<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Work beside the data, where the store is embedded; null on PostgreSQL, whose migrations hold functions of its own. */
  readonly procedures: Procedures | null;
  /** Many reads of one unchanging moment, beside writers. Never stores anything. */
  snapshot<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
  /**
   * Differs after every commit that reads would see, of this process or another: what was read while it stays the same need not be
   * read again. Null where it cannot be told without asking a server, or in memory.
   */
  version(): number | null;
  /** Wakes listeners on this channel, in every process on PostgreSQL, in this one otherwise. A hint: it may be lost. */
  notify(channel: string, payload?: string): Promise<void>;
  /** Calls `wake` for each notification; with `undefined` when some may have been missed. Returns how to stop. */
  listen(channel: string, wake: (payload: string | undefined) => void): Promise<() => Promise<void>>;
  /** Lets what is under way finish. May be called twice; callers share the promise. */
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** How long it may hold the embedded writer before it is rolled back; 4 s. Longer makes other processes fail. */
  readonly limitMs?: number;
}

export interface OpenOptions {
  /** `sqlite:/absolute/path.db`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  /** PostgreSQL schema of the service; created when missing. SQLite has a file per service instead. */
  readonly schema: string;
  readonly migrations: readonly MigrationSource[];
  /** Refuses writes, and a store whose migrations are not all applied. */
  readonly readOnly?: boolean;
  /** SQLite: `normal` waits for the disk only now and then; a power cut may undo the last commits, in their order. Default `full`. */
  readonly sync?: "full" | "normal";
  /** PostgreSQL: connections of this process at most; 10. */
  readonly connections?: number;
  /** PostgreSQL: a statement that runs longer is cancelled; 30 s. */
  readonly statementMs?: number;
}

/** Opens the store and applies missing migrations. Throws a sentence for the operator when the store cannot be used. */
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

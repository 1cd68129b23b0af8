/**
 * One interface to SQLite and PostgreSQL: services open a store by URL and use Kysely, independent of the engine.
 *
 * Portability rules: IDs are TEXT; times are integers in epoch milliseconds; booleans are integers 0 or 1; JSON is
 * TEXT; bytes are BLOB / BYTEA. Integers are read as JavaScript numbers and throw beyond 2^53.
 */
import type { Kysely, Transaction } from "kysely";
import type { Procedures } from "./sqlite/writer-procedures.ts";

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

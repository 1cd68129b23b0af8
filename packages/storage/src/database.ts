/**
 * One interface to SQLite and PostgreSQL: services open a store by URL and use Kysely, whatever the engine. Portability
 * rules: IDs are TEXT, times are integers in epoch milliseconds, booleans are integers 0 or 1, JSON is TEXT, and bytes
 * are BLOB or BYTEA. Integers are read as JavaScript numbers; values beyond 2^53 throw.
 */
import type { Kysely, Transaction } from "kysely";
import type { Procedures } from "./sqlite/writer-procedures.ts";

export type Engine = "sqlite" | "postgres";

export interface Database<Schema> extends AsyncDisposable {
  readonly engine: Engine;
  /** Reads and single writes. The promise of a write resolves after its commit, so that later reads see it. */
  readonly db: Kysely<Schema>;
  /**
   * Runs `work` atomically. Queries must use `tx`; the outer `db` throws. On SQLite, a transaction blocks all other
   * writers, so await only store queries in it.
   */
  transaction<T>(work: (tx: Transaction<Schema>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Stored procedures of the embedded engine; null on PostgreSQL, where migrations define functions instead. */
  readonly procedures: Procedures | null;
  /** Runs reads on one snapshot, concurrently with writers. Writes are rejected. */
  snapshot<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
  /**
   * Changes with every visible commit of this or another process: while it stays the same, cached reads are valid. Null
   * for in-memory stores, and if it would require a server query.
   */
  version(): number | null;
  /**
   * Wakes the listeners of a channel: in every process on PostgreSQL, otherwise in this process. Best effort: a
   * notification may be lost.
   */
  notify(channel: string, payload?: string): Promise<void>;
  /**
   * Calls `wake` for each notification, and with `undefined` if some may have been missed. Returns a function that
   * unsubscribes.
   */
  listen(channel: string, wake: (payload: string | undefined) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** SQLite: maximum duration before a rollback. Default 4 s; longer transactions make other processes fail. */
  readonly limitMs?: number;
}

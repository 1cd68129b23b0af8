/**
 * Reads use a connection in the calling thread; writes go to the queue and resolve after their commit. An in-memory
 * store has only one connection, so its reads are queued too.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { SqliteError, StoreError } from "../errors.ts";
import type { Result, Row, Statement } from "../statement.ts";
import { type Connection, openConnection, type DurabilityLevel } from "./connection.ts";
import { executeHere, executeInThread } from "./writer-client.ts";
import type { WriteTransaction } from "./interactive-transaction.ts";
import type { ProcedureCall } from "./writer-procedures.ts";
import { createWriteQueue } from "./write-queue.ts";

export interface SqliteStore {
  read(statement: Statement): Promise<Result>;
  write(statement: Statement): Promise<Result>;
  call(call: ProcedureCall): Promise<unknown>;
  begin(options: { readonly limitMs: number }): Promise<WriteTransaction>;
  snapshot(): Promise<WriteTransaction>;
  stream(statement: Statement, size: number): AsyncGenerator<Row[], void>;
  /** Version that reads see; null if there is no second connection that could notice a commit. */
  version(): number | null;
  close(): Promise<void>;
}

export interface SqliteOptions {
  readonly readOnly: boolean;
  readonly sync?: DurabilityLevel | undefined;
}

/**
 * A snapshot of an in-memory store holds the only connection, and reading everything takes longer than a transaction is
 * allowed to.
 */
const MEMORY_SNAPSHOT_MS = 600_000;

/** SQLITE_READONLY: a statement that looked like a read is a write. */
const READ_ONLY = 8;

export async function openFileStore(path: string, options: SqliteOptions): Promise<SqliteStore> {
  if (!options.readOnly) createPrivately(path);
  const executor = options.readOnly ? null : await executeInThread(path, options.sync ?? "full");
  /** Cached for one turn of the event loop, unless a commit invalidates it. */
  let version: number | null = null;
  const forget = () => void (version = null);
  const writeQueue =
    executor === null
      ? null
      : createWriteQueue({
          perform: (request) => executor.perform(request).finally(forget),
          close: () => executor.close(),
        });
  let reader: Connection;
  try {
    reader = openConnection(path, "reader");
  } catch (error) {
    await writeQueue?.close();
    throw error;
  }
  const versions = reader.prepare<{ readonly data_version: number }>("pragma data_version");
  let closed = false;

  return {
    version() {
      assertOpen();
      if (version === null) setImmediate(forget);
      version ??= versions.first()?.data_version ?? null;
      return version;
    },
    async read(statement) {
      assertOpen();
      try {
        return reader.run(statement);
      } catch (error) {
        const writes = error instanceof SqliteError && (error.errcode & 0xff) === READ_ONLY;
        if (!writes) throw error;
        return await writing().write(statement);
      }
    },
    write: async (statement) => await writing().write(statement),
    call: async (call) => await writing().call(call),
    begin: async (settings) => await writing().begin(settings),
    async snapshot() {
      assertOpen();
      return openSnapshot(path);
    },
    async *stream(statement, size) {
      assertOpen();
      // Uses its own connection: on the shared one, an unfinished read would pin the snapshot of every later read.
      const connection = openConnection(path, "reader");
      try {
        yield* connection.batches(statement, size);
      } finally {
        connection.close();
      }
    },
    async close() {
      closed = true;
      // Closes the writer last, because the last writable connection checkpoints and removes the WAL.
      reader.close();
      await writeQueue?.close();
    },
  };

  function writing(): NonNullable<typeof writeQueue> {
    assertOpen();
    if (writeQueue === null) throw new StoreError("read_only", `The store ${path} is open read-only.`);
    return writeQueue;
  }

  function assertOpen(): void {
    if (closed) throw new StoreError("closed", "The store is closed.");
  }
}

export function openMemoryStore(): SqliteStore {
  const connection = openConnection(":memory:", "memory");
  const writeQueue = createWriteQueue(executeHere(connection));
  return {
    version: () => null,
    read: (statement) => writeQueue.write(statement),
    write: (statement) => writeQueue.write(statement),
    call: (call) => writeQueue.call(call),
    begin: (settings) => writeQueue.begin(settings),
    async snapshot() {
      const transaction = await writeQueue.begin({ limitMs: MEMORY_SNAPSHOT_MS });
      return { ...transaction, commit: () => transaction.rollback() };
    },
    async *stream(statement, size) {
      // Reads all rows at once: on the only connection, an open read would see partial writes.
      const { rows } = await writeQueue.write(statement);
      for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
    },
    close: () => writeQueue.close(),
  };
}

function openSnapshot(path: string): WriteTransaction {
  const connection = openConnection(path, "reader");
  connection.run({ sql: "begin", parameters: [] });
  // `begin` alone does not pin a snapshot; the first read does.
  connection.run({ sql: "select 1 from sqlite_schema limit 1", parameters: [] });
  return {
    execute: async (statement) => connection.run(statement),
    async *stream(statement, size) {
      yield* connection.batches(statement, size);
    },
    commit: async () => connection.close(),
    rollback: async () => connection.close(),
  };
}

/** Creates the folder and the file so that other users can access neither. */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}

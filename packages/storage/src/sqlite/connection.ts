/**
 * One SQLite connection with its pragmas, a bounded cache of prepared statements, and value conversion. It is
 * synchronous and independent of queues, threads and Kysely, so that the writer thread loads little code.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SqliteError } from "../errors.ts";
import type { Result, Row, Statement, Value } from "../statement.ts";
import { retryWhileBusy } from "./retry-on-busy.ts";
import type { Statements } from "./writer-procedures.ts";

export interface Connection extends Statements {
  inTransaction(): boolean;
  run(statement: Statement): Result;
  /** Returns rows in batches of `size`. The read stays open until it ends or `return()` is called. */
  batches(statement: Statement, size: number): Generator<Row[], void>;
  close(): void;
}

export type ConnectionRole = "writer" | "reader" | "memory";

export const BUSY_MS = 5_000;

/**
 * Maximum number of cached statements. A service has several hundred SQL texts, but generated IN lists would grow the
 * cache without limit.
 */
const CACHED_STATEMENTS = 256;

/** A checkpoint truncates the WAL file to this size, so that a large import does not occupy disk space permanently. */
const WAL_BYTES_MAX = 64 * 1024 * 1024;

/**
 * WAL pages (32 MB) before a checkpoint. An import touches most index pages in every transaction; with the default,
 * they would be written twice as often, each time waiting for the disk.
 */
const CHECKPOINT_PAGES = 8_000;

/**
 * Page cache of the writer. With the default of 2 MB, large transactions would spill their own pages and read them
 * again.
 */
const WRITER_CACHE_KB = 16 * 1024;

/** Durability of commits. With `normal`, the most recent ones may be lost in a power failure. */
export type DurabilityLevel = "full" | "normal";

export function openConnection(path: string, role: ConnectionRole, sync: DurabilityLevel = "full"): Connection {
  const database = guarded(() => openPath(path, role, sync), `Cannot open the store ${path}: `);
  const statements = new Map<string, Prepared>();

  return {
    inTransaction: () => database.isTransaction,

    run(statement) {
      return guarded(() => {
        if (statement.script === true) {
          database.exec(statement.sql);
          return { rows: [], changes: 0, lastId: null };
        }
        const prepared = keep(statement.sql);
        return statement.rows === undefined
          ? runOnce(prepared, statement.parameters)
          : runEach(prepared, statement.rows);
      });
    },

    *batches(statement, size) {
      // The statement is not cached: a second stream of the same SQL would reset this one.
      const prepared = guarded(() => toPrepared(database.prepare(statement.sql)));
      const rows = guarded(() => prepared.statement.iterate(...statement.parameters.map(toBinding)));
      let portion: Row[] = [];
      try {
        for (let next = guarded(() => rows.next()); next.done !== true; next = guarded(() => rows.next())) {
          portion.push(toRow(prepared.columns, next.value));
          if (portion.length < size) continue;

          yield portion;
          portion = [];
        }
        if (portion.length > 0) yield portion;
      } finally {
        rows.return?.();
      }
    },

    prepare<Found>(sql: string) {
      const prepared = guarded(() => database.prepare(sql));
      return {
        all: (...parameters) => guarded(() => prepared.all(...parameters.map(toBinding)) as Found[]),
        first: (...parameters) => guarded(() => prepared.get(...parameters.map(toBinding)) as Found | undefined),
        run: (...parameters) => guarded(() => Number(prepared.run(...parameters.map(toBinding)).changes)),
        insert: (...parameters) => guarded(() => void prepared.run(...parameters)),
      };
    },

    close() {
      statements.clear();
      if (database.isOpen) database.close();
    },
  };

  function keep(sql: string): Prepared {
    const cached = statements.get(sql);
    if (cached !== undefined) {
      // Move it to the end: the first key of the map is the least recently used.
      statements.delete(sql);
      statements.set(sql, cached);
      return cached;
    }
    const fresh = toPrepared(database.prepare(sql));
    statements.set(sql, fresh);
    if (statements.size > CACHED_STATEMENTS) {
      const [oldest] = statements.keys();
      if (oldest !== undefined) statements.delete(oldest);
    }
    return fresh;
  }
}

function openPath(path: string, role: ConnectionRole, sync: DurabilityLevel): DatabaseSync {
  const database = new DatabaseSync(path, {
    readOnly: role === "reader",
    timeout: BUSY_MS,
    enableForeignKeyConstraints: true,
    allowExtension: false,
  });
  try {
    if (role === "writer") prepareForWriting(database, sync);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareForWriting(database: DatabaseSync, sync: DurabilityLevel): void {
  // Switching a file to WAL can fail immediately if another process does the same.
  retryWhileBusy(BUSY_MS, () => guarded(() => database.exec("pragma journal_mode = wal")));
  database.exec(`pragma synchronous = ${sync}; pragma journal_size_limit = ${WAL_BYTES_MAX}`);
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KB}`);
  // From now on, only `begin immediate` can conflict with another writer, and `retryWhileBusy` retries it.
  database.exec("pragma busy_timeout = 0");
}

interface Prepared {
  readonly statement: StatementSync;
  /**
   * Column names; empty if the statement returns no rows. Cached, because querying them costs several times as much as
   * reading a row.
   */
  columns: readonly string[];
}

function toPrepared(statement: StatementSync): Prepared {
  statement.setReturnArrays(true);
  return { statement, columns: namesOf(statement) };
}

const namesOf = (statement: StatementSync): string[] => statement.columns().map((column) => column.name);

function runOnce(prepared: Prepared, parameters: readonly Value[]): Result {
  const { statement } = prepared;
  const bindings = parameters.map(toBinding);
  if (prepared.columns.length === 0) {
    const { changes, lastInsertRowid } = statement.run(...bindings);
    return { rows: [], changes: Number(changes), lastId: BigInt(lastInsertRowid) };
  }
  const found: readonly unknown[] = statement.all(...bindings);
  const [first] = found;
  // A migration has added a column: SQLite prepared the statement again, and `*` covers more columns.
  if (Array.isArray(first) && first.length !== prepared.columns.length) prepared.columns = namesOf(statement);
  return { rows: found.map((row) => toRow(prepared.columns, row)), changes: found.length, lastId: null };
}

function runEach(prepared: Prepared, rows: readonly (readonly Value[])[]): Result {
  let changes = 0;
  for (const row of rows) changes += runOnce(prepared, row).changes;
  return { rows: [], changes, lastId: null };
}

/**
 * Binds integers as integers. node:sqlite binds every number as a float, so `5 / 2` would be 2.5 and `5 || ''` would be
 * '5.0'.
 */
function toBinding(value: Value): SQLInputValue {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/**
 * Builds a plain object, which compares and clones better than node:sqlite's own. `setReturnArrays` returns arrays,
 * contrary to the declared type.
 */
function toRow(columns: readonly string[], values: unknown): Row {
  if (!Array.isArray(values)) throw new TypeError("SQLite returned a row that is not an array.");

  const row: Row = {};
  for (const [index, column] of columns.entries()) row[column] = values[index];
  return row;
}

function guarded<T>(work: () => T, saying = ""): T {
  try {
    return work();
  } catch (error) {
    throw asSqliteError(error, saying);
  }
}

function asSqliteError(error: unknown, saying: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;

  const converted = new SqliteError(`${saying}${error.message}`, error.errcode);
  if (error.stack !== undefined) converted.stack = error.stack.replace(error.message, converted.message);
  return converted;
}

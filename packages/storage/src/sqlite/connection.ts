/**
 * One SQLite connection: pragmas, a bounded cache of prepared statements, values in and out. Synchronous; knows nothing of
 * turns, threads or Kysely, so that the writer's thread loads nothing else.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SqliteError } from "../errors.ts";
import type { Result, Row, Statement, Value } from "../statement.ts";
import { retryWhileBusy } from "./retry-on-busy.ts";
import type { Statements } from "./writer-procedures.ts";

export interface Connection extends Statements {
  inTransaction(): boolean;
  run(statement: Statement): Result;
  /** Rows in portions of `size`. Keeps a read open until it ends or `return()` is called. */
  portions(statement: Statement, size: number): Generator<Row[], void>;
  close(): void;
}

export type ConnectionRole = "writer" | "reader" | "memory";

/** How long a lock of another process is waited for. */
export const BUSY_MS = 5_000;

/** Distinct SQL texts kept prepared. A service has some hundred; generated IN lists would otherwise grow it without end. */
const CACHED_STATEMENTS = 256;

/** After a checkpoint the WAL file is cut back to this, so that one large import does not keep its disk space for ever. */
const WAL_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Pages of the WAL (32 MB) before they are copied into the file. An import touches most pages of an index in every transaction:
 * copied after each of them, as by default, they are written twice as often, and the disk waited for each time.
 */
const CHECKPOINT_PAGES = 8_000;

/** What the writer keeps of the file. With the 2 MB of the default, a large transaction reads and spills its own pages. */
const WRITER_CACHE_KB = 16 * 1024;

/** How a commit reaches the disk: with `normal` the last ones may be lost with the power, and nothing else. */
export type DurabilityLevel = "full" | "normal";

export function openConnection(path: string, role: ConnectionRole, sync: DurabilityLevel = "full"): Connection {
  const database = guarded(() => openPath(path, role, sync), `The store ${path} cannot be opened: `);
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

    *portions(statement, size) {
      // Not from the cache: a second stream of the same SQL would reset this one.
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
      // Moved to the end: the first key of the map is always the one unused for longest.
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
  // The first switch of a file to WAL can be refused without waiting while another process makes the same switch.
  retryWhileBusy(BUSY_MS, () => guarded(() => database.exec("pragma journal_mode = wal")));
  database.exec(`pragma synchronous = ${sync}; pragma journal_size_limit = ${WAL_BYTES_MAX}`);
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KB}`);
  // From here on `begin immediate` is the only statement that can meet another writer, and waits by `whileBusy`.
  database.exec("pragma busy_timeout = 0");
}

interface Prepared {
  readonly statement: StatementSync;
  /** Names of its columns, none where it returns no rows. Asking for them costs several times what reading a row does. */
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
  // A column that a migration added meanwhile: SQLite has prepared the text again, and `*` stands for more.
  if (Array.isArray(first) && first.length !== prepared.columns.length) prepared.columns = namesOf(statement);
  return { rows: found.map((row) => toRow(prepared.columns, row)), changes: found.length, lastId: null };
}

function runEach(prepared: Prepared, rows: readonly (readonly Value[])[]): Result {
  let changes = 0;
  for (const row of rows) changes += runOnce(prepared, row).changes;
  return { rows: [], changes, lastId: null };
}

/** node:sqlite binds every number as a float, so that `5 / 2` would be 2.5 and `5 || ''` be '5.0'; integers go as integers. */
function toBinding(value: Value): SQLInputValue {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Arrays come out of SQLite with `setReturnArrays`, against their declared type; ordinary objects compare and clone better than theirs. */
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

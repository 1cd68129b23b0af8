/**
 * Errors of a store, and the questions a caller may ask about one. Engines name the same fault differently; nobody outside
 * this file knows how. What is not recognised here is a fault of ours and goes to the edge as it is.
 */

/** An SQL error of SQLite. `errcode` is SQLite's extended result code; it survives the way out of the writer's thread. */
export class SqliteError extends Error {
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.name = "SqliteError";
    this.errcode = errcode;
  }
}

/** Why a store refuses to work at all, or no longer does. */
export type StoreFault = "closed" | "crashed" | "overloaded" | "read_only" | "timeout" | "nested" | "aborted";

export class StoreError extends Error {
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string) {
    super(message);
    this.name = "StoreError";
    this.fault = fault;
  }
}

/** A row with this key exists already: UNIQUE or PRIMARY KEY. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, [1555, 2067, 2579], "23505");
}

/** The row points at one that does not exist, or is still pointed at. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, [787, 1811], "23503");
}

/** A CHECK or NOT NULL constraint refused the row. */
export function isCheckViolation(error: unknown): boolean {
  return hasCode(error, [275, 1299], "23514", "23502");
}

/** Somebody else held what was needed for too long; the same work may succeed when repeated. Nothing was written. */
export function isContention(error: unknown): boolean {
  return hasCode(error, [5, 261, 517, 773, 6, 262], "40001", "40P01", "55P03");
}

function hasCode(error: unknown, sqlite: readonly number[], ...postgres: readonly string[]): boolean {
  if (error instanceof SqliteError) return sqlite.includes(error.errcode);
  if (!(error instanceof Error) || !("code" in error)) return false;

  return typeof error.code === "string" && postgres.includes(error.code);
}

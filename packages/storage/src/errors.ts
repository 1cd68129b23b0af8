/** Classifies store errors, which have different names on each engine. Unrecognized errors pass through unchanged. */

/** An SQL error of SQLite. `errcode` is the extended result code and survives the transfer from the writer thread. */
export class SqliteError extends Error {
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.name = "SqliteError";
    this.errcode = errcode;
  }
}

/** `unreachable`: a remote store, such as the blob store, fails or denies access. */
export type StoreErrorCode =
  | "closed"
  | "crashed"
  | "unreachable"
  | "overloaded"
  | "read_only"
  | "timeout"
  | "nested"
  | "aborted";

export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = "StoreError";
    this.code = code;
  }
}

/** UNIQUE or PRIMARY KEY violation: the key already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, [1555, 2067, 2579], "23505");
}

/** The row references a missing row, or is still referenced. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, [787, 1811], "23503");
}

export function isCheckViolation(error: unknown): boolean {
  return hasCode(error, [275, 1299], "23514", "23502");
}

/** Another transaction held a lock for too long. Nothing was written; a retry may succeed. */
export function isContention(error: unknown): boolean {
  return hasCode(error, [5, 261, 517, 773, 6, 262], "40001", "40P01", "55P03");
}

function hasCode(error: unknown, sqlite: readonly number[], ...postgres: readonly string[]): boolean {
  if (error instanceof SqliteError) return sqlite.includes(error.errcode);
  if (!(error instanceof Error) || !("code" in error)) return false;

  return typeof error.code === "string" && postgres.includes(error.code);
}

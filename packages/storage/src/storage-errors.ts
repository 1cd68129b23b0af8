/** Classifies store errors for callers: overloaded, or unavailable. Everything else is an internal error. */
import { isContention, SqliteError, StoreError, type StoreErrorCode } from "./errors.ts";

type StorageErrorKind = "overloaded" | "down";

/** SQLite's primary result codes: read-only, I/O error, full, cannot open. */
const SQLITE_DOWN = new Set([8, 10, 13, 14]);
/** PostgreSQL error classes: connection, resources (including a full disk), operator intervention, system error. */
const POSTGRES_DOWN = /^(?:08|53|57P|58)/;
const SOCKET_DOWN = new Set(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE", "ENOTFOUND", "EHOSTUNREACH"]);

const STORE: Readonly<Record<StoreErrorCode, StorageErrorKind | null>> = {
  overloaded: "overloaded",
  timeout: "overloaded",
  closed: "down",
  crashed: "down",
  unreachable: "down",
  read_only: null,
  nested: null,
  aborted: null,
};

export function classifyStorageError(error: unknown): StorageErrorKind | null {
  if (isContention(error)) return "overloaded";
  if (error instanceof StoreError) return STORE[error.code];
  if (error instanceof SqliteError) return SQLITE_DOWN.has(error.errcode & 0xff) ? "down" : null;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  return POSTGRES_DOWN.test(code) || SOCKET_DOWN.has(code) ? "down" : null;
}

/**
 * The unit that an engine executes, and two marks for compiled queries: a batch of rows, and a script of several
 * statements. Kysely passes the same object to the connection, so the marks are in a WeakMap.
 */
import type { CompiledQuery } from "kysely";

/** Value types common to both engines. Times are epoch milliseconds, booleans are 0 or 1, JSON is text. */
export type Value = string | number | bigint | Uint8Array | null;

export type Row = Record<string, unknown>;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Value[];
  /** Runs the statement once per row of parameters, atomically; `parameters` is ignored. */
  readonly rows?: readonly (readonly Value[])[];
  /** Several statements without parameters, separated by semicolons. */
  readonly script?: boolean;
}

export interface Result {
  readonly rows: Row[];
  readonly changes: number;
  readonly lastId: bigint | null;
  readonly output?: unknown;
}

const batches = new WeakMap<CompiledQuery, readonly (readonly unknown[])[]>();
const scripts = new WeakSet<CompiledQuery>();

export function asBatch(query: CompiledQuery, rows: readonly (readonly unknown[])[]): CompiledQuery {
  batches.set(query, rows);
  return query;
}

export function markScript(query: CompiledQuery): CompiledQuery {
  scripts.add(query);
  return query;
}

export function batchOf(query: CompiledQuery): readonly (readonly unknown[])[] | undefined {
  return batches.get(query);
}

export function isScript(query: CompiledQuery): boolean {
  return scripts.has(query);
}

/** Throws for values that only one engine would accept. */
export function toValue(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "bigint" || value instanceof Uint8Array)
    return value;
  if (typeof value === "number" && !Number.isNaN(value)) return value;

  const found = value instanceof Date ? "a Date" : Number.isNaN(value) ? "NaN" : typeof value;
  throw new TypeError(
    `A store accepts text, numbers, bytes and null, not ${found}: times are epoch milliseconds, booleans 0 or 1, JSON text.`,
  );
}

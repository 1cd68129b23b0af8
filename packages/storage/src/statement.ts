/**
 * The smallest thing an engine executes, and the two marks that a compiled query can carry on its way through Kysely:
 * "run me once for each of these rows" and "I am a script of several statements". Kysely hands the very object it was given
 * to the connection, so a WeakMap is enough and nothing is added to the query itself.
 */
import type { CompiledQuery } from "kysely";

/** What both engines can hold. Times are epoch milliseconds, booleans are 0 or 1, JSON is text. */
export type Value = string | number | bigint | Uint8Array | null;

export type Row = Record<string, unknown>;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Value[];
  /** Runs the statement once for each row of parameters, all or nothing; `parameters` is ignored. */
  readonly rows?: readonly (readonly Value[])[];
  /** Several statements without parameters, separated by semicolons. */
  readonly script?: boolean;
}

export interface Result {
  readonly rows: Row[];
  /** Rows inserted, updated or deleted; over all rows of a batch. */
  readonly changes: number;
  readonly lastId: bigint | null;
  /** Of a procedure. */
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

/** Refuses values that one engine would take and the other not, before they reach either. */
export function toValue(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "bigint" || value instanceof Uint8Array)
    return value;
  if (typeof value === "number" && !Number.isNaN(value)) return value;

  const found = value instanceof Date ? "a Date" : Number.isNaN(value) ? "NaN" : typeof value;
  throw new TypeError(
    `A store takes text, numbers, bytes and null, not ${found}: times are epoch milliseconds, booleans 0 or 1, JSON text.`,
  );
}

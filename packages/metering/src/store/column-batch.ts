/**
 * Rows on their way to the writer's thread: column by column, and what rows have in common once for all of them. Cloned as objects, each
 * would take its names and all its words along, which costs the thread that answers requests several times as much.
 */
import type { UsageRow } from "../usage.ts";

/** What a handful of values, at most, say of all rows of a batch. */
export type RowKind = Pick<UsageRow, "day" | "route" | "status" | "geo" | "test" | "plan">;

export interface RowColumns {
  readonly id: readonly string[];
  readonly keyId: readonly string[];
  readonly requestId: readonly string[];
  readonly at: readonly number[];
  readonly items: readonly number[];
  readonly bytes: readonly number[];
  readonly kinds: readonly RowKind[];
  /** Of each row, its place in `kinds`. */
  readonly kind: readonly number[];
}

export function columnsOf(rows: readonly UsageRow[]): RowColumns {
  const kinds: RowKind[] = [];
  return {
    id: rows.map(({ id }) => id),
    keyId: rows.map(({ keyId }) => keyId),
    requestId: rows.map(({ requestId }) => requestId),
    at: rows.map(({ at }) => at),
    items: rows.map(({ items }) => items),
    bytes: rows.map(({ bytes }) => bytes),
    kinds,
    kind: rows.map((row) => kindIndexOf(row, kinds)),
  };
}

function kindIndexOf(row: UsageRow, kinds: RowKind[]): number {
  const index = kinds.findIndex((kind) => isOf(row, kind));
  if (index >= 0) return index;

  const { day, route, status, geo, test, plan } = row;
  return kinds.push({ day, route, status, geo, test, plan }) - 1;
}

function isOf(row: UsageRow, { day, route, status, geo, test, plan }: RowKind): boolean {
  return (
    row.status === status &&
    row.plan === plan &&
    row.geo === geo &&
    row.test === test &&
    row.route === route &&
    row.day === day
  );
}

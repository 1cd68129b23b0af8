/**
 * Rows in transit to the writer thread, by column, with shared values stored once. Cloning rows as objects would cost
 * the calling thread several times as much.
 */
import type { UsageRow } from "../usage.ts";

/** Values with few distinct combinations per batch. */
export type RowKind = Pick<UsageRow, "day" | "route" | "status" | "geo" | "test" | "plan">;

export interface RowColumns {
  readonly id: readonly string[];
  readonly keyId: readonly string[];
  readonly requestId: readonly string[];
  readonly at: readonly number[];
  readonly items: readonly number[];
  readonly bytes: readonly number[];
  readonly kinds: readonly RowKind[];
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

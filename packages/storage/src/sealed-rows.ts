/** Encrypted columns: counts values by key, and re-encrypts them with another key while the service is writing. */
import { type Kysely, sql, type Transaction } from "kysely";
import type { Database } from "./database.ts";

export interface SealedColumn {
  readonly table: string;
  /** The primary key. */
  readonly keys: readonly string[];
  readonly column: string;
}

/** Number of encrypted values of one kind, for the operator. */
export interface SealedCount {
  readonly kind: string;
  readonly total: number;
  /** By key ID. Values encrypted by version 0.1 have none. */
  readonly byKey: Readonly<Record<string, number>>;
  /** For values that are not re-encrypted because they expire: the expiry of the last one. */
  readonly expiresAt?: number | null;
}

/** The beginning of a column's text or bytes. */
type Prefix = string | Uint8Array;

export async function countSealed<Schema>(
  db: Kysely<Schema>,
  { table, column }: Pick<SealedColumn, "table" | "column">,
  prefixes: Readonly<Record<string, Prefix>>,
): Promise<Pick<SealedCount, "total" | "byKey">> {
  const all = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table)} where length(${sql.ref(column)}) > 0`.execute(db);
  const byKey: Record<string, number> = {};
  for (const [id, prefix] of Object.entries(prefixes)) {
    const counted = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(table)} where substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`.execute(
      db,
    );
    byKey[id] = counted.rows[0]?.n ?? 0;
  }
  return { total: all.rows[0]?.n ?? 0, byKey };
}

export type SealedRow = Readonly<Record<string, unknown>>;

export interface Resealing<Schema> extends SealedColumn {
  /** Rows with this prefix are already encrypted with the newest key. If null, `reseal` decides. */
  readonly prefix: Prefix | null;
  /** Returns the new value of the column, or null to leave it unchanged. Throws if it cannot decrypt the value. */
  readonly reseal: (row: SealedRow) => Prefix | null;
  /** The lock that the service takes before it changes such a row. */
  readonly lock?: (tx: Transaction<Schema>, row: SealedRow) => Promise<unknown>;
}

export interface Resealed {
  readonly changed: number;
  readonly failed: number;
}

/** Rows per transaction: few, because it blocks other writers. */
const ROWS_AT_ONCE = 50;

/** A row that changes in the meantime is skipped: either its writer used the newest key, or the next pass finds it. */
export async function resealRows<Schema>(database: Database<Schema>, column: Resealing<Schema>): Promise<Resealed> {
  let [changed, failed] = [0, 0];
  let after: readonly unknown[] | null = null;
  for (;;) {
    const rows: readonly SealedRow[] = await readRows(database.db, column, after);
    const last = rows.at(-1);
    if (last === undefined) return { changed, failed };
    after = column.keys.map((key) => last[key]);
    const values = rows.flatMap((row) => {
      try {
        const value = column.reseal(row);
        return value === null ? [] : [{ row, value }];
      } catch {
        failed++;
        return [];
      }
    });
    if (values.length === 0) continue;
    changed += await database.transaction(async (tx) => {
      let updated = 0;
      for (const { row, value } of values) {
        await column.lock?.(tx, row);
        updated += await replaceValue(tx, column, { row, value });
      }
      return updated;
    });
  }
}

async function readRows<Schema>(
  db: Kysely<Schema>,
  { table, keys, column, prefix }: Resealing<Schema>,
  after: readonly unknown[] | null,
): Promise<readonly SealedRow[]> {
  const names = sql.join(keys.map((key) => sql.ref(key)));
  const open =
    prefix === null ? sql`1 = 1` : sql`substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) <> ${prefix}`;
  const later = after === null ? sql`1 = 1` : sql`(${names}) > (${sql.join(after)})`;
  const { rows } = await sql<SealedRow>`
    select * from ${sql.table(table)} where length(${sql.ref(column)}) > 0 and ${open} and ${later}
    order by ${names} limit ${sql.lit(ROWS_AT_ONCE)}`.execute(db);
  return rows;
}

async function replaceValue<Schema>(
  tx: Kysely<Schema>,
  { table, keys, column }: SealedColumn,
  { row, value }: { readonly row: SealedRow; readonly value: Prefix },
): Promise<number> {
  const same = sql.join(
    [...keys, column].map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  );
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${same}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

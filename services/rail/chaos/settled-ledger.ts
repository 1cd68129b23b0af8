/**
 * Reads the ledger of the campaign while its rail runs. It is opened for each read, because an open reader would keep
 * the WAL index alive during a kill, so that the recovery under test would not happen.
 */
import { openDatabase, sql, type Database, type Kysely } from "@triptych/storage";
import { createKeyring, createRotatingSeal } from "@triptych/encryption";
import type { AuditReport } from "../src/domain/audit.ts";
import type { LedgerCharge } from "../src/domain/unit-of-work.ts";
import { receiptErrorUnder } from "../src/domain/receipt-error.ts";
import { KEY_PURPOSE, openSigningKeys } from "../src/domain/signing-keys.ts";
import { RAIL_MIGRATIONS, RAIL_SCHEMA, railStore } from "../src/store/migrations.ts";
import { openLedger } from "../src/store/open-ledger.ts";
import { subTokenRows } from "../src/store/load.ts";
import { toCharge } from "../src/store/rows.ts";
import type { EntryRow, RailTables } from "../src/store/tables.ts";
import type { DaySum, StoredBudget } from "./judge-caps.ts";

export interface StoreUnderTest {
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  readonly secret: string;
}

/**
 * The charges with IDs above `after`. IDs increase with time, and at rest no charge with an earlier millisecond is
 * added.
 */
export function chargesSince(store: StoreUnderTest, after: string): Promise<LedgerCharge[]> {
  return withDatabase(store, async ({ db }) => {
    const rows = await db.selectFrom("charge").selectAll().where("id", ">", after).orderBy("id").execute();
    return rows.map(toCharge);
  });
}

/** Checks L1 to L5 and L8; optionally rebuilds and verifies every receipt. */
export function audit(store: StoreUnderTest, { receipts }: { readonly receipts: boolean }): Promise<AuditReport> {
  return withDatabase(store, async (database) => {
    const ledger = openLedger(database);
    if (!receipts) return await ledger.audit();
    const now = () => Date.now();
    const random = () => {
      throw new Error("an audit makes no keys");
    };
    const seal = createRotatingSeal(createKeyring(store.secret), KEY_PURPOSE, random);
    const keys = await openSigningKeys({ ledger, seal, now, random });
    return await ledger.audit({ receiptError: receiptErrorUnder(keys) });
  });
}

export function balances(store: StoreUnderTest): Promise<ReadonlyMap<string, number>> {
  return withDatabase(store, async ({ db }) => {
    const rows = await db.selectFrom("wallet").select(["id", "paid_micro", "promo_micro"]).execute();
    return new Map(rows.map(({ id, paid_micro, promo_micro }) => [id, paid_micro + promo_micro]));
  });
}

/** What all wallets and sub-tokens spent: the stored counters, and the sums of the entries. */
export function spending(store: StoreUnderTest): Promise<{ budgets: StoredBudget[]; sums: DaySum[] }> {
  return withDatabase(store, async ({ db }) => {
    const wallets = await db.selectFrom("wallet").selectAll().execute();
    const tokens = await subTokenRows(db).execute();
    const { rows } = await sql<Readonly<Record<"day" | "micro", unknown>> & Pick<EntryRow, "wallet_id" | "token_id">>`
      select wallet_id, token_id, created_at / 86400000 as day, -sum(amount_micro) as micro from ${sql.table("entry")}
      where kind = 'charge'
        and id not in (select reverses from ${sql.table("entry")} where reverses is not null)
      group by 1, 2, 3`.execute(db);
    return {
      budgets: [...wallets.map((wallet) => ({ ...wallet, total_micro: null })), ...tokens],
      sums: rows.map(({ wallet_id: walletId, token_id: tokenId, day, micro }) => {
        return { walletId, tokenId, day: Number(day), micro: Number(micro) };
      }),
    };
  });
}

/** The names of all tables that contain one of these texts. */
export function tablesThatHold(store: StoreUnderTest, texts: readonly string[]): Promise<string[]> {
  return withDatabase(store, async ({ db, engine }) => {
    const holding: string[] = [];
    for (const name of await tableNames(db, engine)) {
      const { rows } = await sql<Readonly<Record<string, unknown>>>`select * from ${sql.id(name)}`.execute(db);
      const holds = (value: unknown) => texts.some((text) => asText(value).includes(text));
      if (rows.some((row) => Object.values(row).some(holds))) holding.push(name);
    }
    return holding;
  });
}

async function tableNames(db: Kysely<RailTables>, engine: Database<RailTables>["engine"]): Promise<string[]> {
  const query =
    engine === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = ${RAIL_SCHEMA}`;
  return (await query.execute(db)).rows.map(({ name }) => name);
}

function asText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);
}

async function withDatabase<T>(store: StoreUnderTest, see: (database: Database<RailTables>) => Promise<T>): Promise<T> {
  await using database = await openDatabase<RailTables>({
    ...railStore.addressOf(store),
    migrations: RAIL_MIGRATIONS,
    readOnly: true,
  });
  return await see(database);
}

/** Every row of the ledger in an unchanging order, a page at a time: for audit, export and whoever must see all without holding all. */
import type { Database, Kysely } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { toCharge, toEntry, toTransfer, toWallet } from "./rows.ts";
import type { RailTables } from "./tables.ts";

type StreamVerbs = Pick<Ledger, "transfers" | "allEntries" | "allCharges" | "accountTotals" | "walletHeads">;

const PAGE = 2_000;

export function streamVerbs({ db }: Pick<Database<RailTables>, "db">): StreamVerbs {
  return {
    transfers: () =>
      pages((after: string, limit) => transfersAfter(db, after, limit), { start: "", place: ({ id }) => id }),
    allEntries: () =>
      pages((after: EntryPlace, limit) => entriesAfter(db, after, limit), {
        start: { walletId: "", seq: 0 },
        place: (entry) => entry,
      }),
    allCharges: () =>
      pages((after: string, limit) => chargesAfter(db, after, limit), { start: "", place: ({ id }) => id }),
    async accountTotals() {
      const rows = await db.selectFrom("account_total").selectAll().orderBy("id").execute();
      return new Map(rows.map(({ id, total_micro }) => [id, total_micro]));
    },
    async walletHeads() {
      const rows = await db.selectFrom("wallet").selectAll().orderBy("id").execute();
      return rows.map(toWallet);
    },
  };
}

interface EntryPlace {
  readonly walletId: string;
  readonly seq: number;
}

async function* pages<T, Place>(
  read: (after: Place, limit: number) => Promise<T[]>,
  { start, place }: { readonly start: Place; readonly place: (row: T) => Place },
): AsyncGenerator<readonly T[]> {
  let after = start;
  for (;;) {
    const page = await read(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < PAGE) return;
    after = place(last);
  }
}

async function transfersAfter(db: Kysely<RailTables>, after: string, limit: number) {
  const rows = await db.selectFrom("transfer").selectAll().where("id", ">", after).orderBy("id").limit(limit).execute();
  return rows.map(toTransfer);
}

async function chargesAfter(db: Kysely<RailTables>, after: string, limit: number) {
  const rows = await db.selectFrom("charge").selectAll().where("id", ">", after).orderBy("id").limit(limit).execute();
  return rows.map(toCharge);
}

async function entriesAfter(db: Kysely<RailTables>, { walletId, seq }: EntryPlace, limit: number) {
  const rows = await db
    .selectFrom("entry")
    .selectAll()
    .where((where) => where(where.refTuple("wallet_id", "seq"), ">", where.tuple(walletId, seq)))
    .orderBy("wallet_id")
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map(toEntry);
}

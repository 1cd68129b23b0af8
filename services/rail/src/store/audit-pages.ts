/**
 * Page queries for the audit. They rely on indexes for speed only; correctness does not depend on any constraint or
 * index.
 */
import { sql, type Kysely, type SqlBool } from "@triptych/storage";
import type { ChargeFacts, KeyedCharge, LedgerPages, ReversalResult } from "../domain/ledger-pages.ts";
import type { Transfer } from "../domain/unit-of-work.ts";
import type { AuditReads } from "./audit-reads.ts";
import { chainedPages } from "./hash-chain-pages.ts";
import { pages } from "./pages.ts";
import { toCharge, toEntry, toTransfer } from "./rows.ts";
import type { ChargeRow, RailTables, TransferRow } from "./tables.ts";
import { toWallet } from "./wallet-rows.ts";

type Reads = Kysely<RailTables>;

export function auditPages(db: Reads, reads: AuditReads): LedgerPages {
  return {
    wallets: () => walletPages(db),
    countWallets: () => count(db, "wallet"),
    entries: () =>
      pages({
        start: { wallet: "", seq: 0 },
        read: (after, limit) => entriesAfter(db, after, limit),
        cursorOf: ({ entry }) => ({ wallet: entry.walletId, seq: entry.seq }),
      }),
    chained: () => chainedPages(reads.chained),
    moved: () => reads.moved(),
    unsound: () =>
      pages({ start: "", read: (after, limit) => unsoundAfter(db, after, limit), cursorOf: ({ id }: Transfer) => id }),
    reversals: () =>
      pages({
        start: { reverses: "", id: "" },
        read: (after, limit) => reversalsAfter(db, after, limit),
        cursorOf: ({ transfer }) => ({ reverses: transfer.reverses ?? "", id: transfer.id }),
      }),
    charges: () => chargePages(db),
    countCharges: () => count(db, "charge"),
    undone: () =>
      pages({
        start: "",
        read: (after, limit) => undoneAfter(db, after, limit),
        cursorOf: ({ id }: ReversalResult) => id,
      }),
    keyed: () =>
      pages({
        start: { walletId: "", op: "", keyHash: "", tokenId: null, id: "" },
        read: (after: KeyedCharge, limit) => keyedAfter(db, after, limit),
        cursorOf: (charge) => charge,
      }),
    accounts: () =>
      pages({
        start: "",
        async read(after: string, limit) {
          const rows = await db
            .selectFrom("account")
            .selectAll()
            .where("id", ">", after)
            .orderBy("id")
            .limit(limit)
            .execute();
          return rows.map(({ id, total_micro }) => ({ id, totalMicro: total_micro }));
        },
        cursorOf: ({ id }) => id,
      }),
  };
}

export function walletPages(db: Reads) {
  return pages({
    start: "",
    async read(after: string, limit) {
      const rows = await db
        .selectFrom("wallet")
        .selectAll()
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toWallet);
    },
    cursorOf: ({ id }) => id,
  });
}

export function transferPages(db: Reads) {
  return pages({
    start: "",
    async read(after: string, limit) {
      const rows = await db
        .selectFrom("transfer")
        .selectAll()
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toTransfer);
    },
    cursorOf: ({ id }) => id,
  });
}

async function unsoundAfter(db: Reads, after: string, limit: number): Promise<Transfer[]> {
  const rows = await db
    .selectFrom("transfer")
    .selectAll()
    .where("id", ">", after)
    .where((where) => where.or([where("amount_micro", "<=", 0), where("debit", "=", where.ref("credit"))]))
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toTransfer);
}

export function chargePages(db: Reads) {
  return pages({
    start: "",
    async read(after: string, limit) {
      const rows = await db
        .selectFrom("charge")
        .selectAll()
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toCharge);
    },
    cursorOf: ({ id }) => id,
  });
}

async function count(db: Reads, table: "wallet" | "charge"): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select((query) => query.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return rows;
}

async function entriesAfter(db: Reads, after: { readonly wallet: string; readonly seq: number }, limit: number) {
  const rows = await db
    .selectFrom("entry as e")
    .leftJoin("charge as c", "c.id", "e.charge_id")
    .selectAll("e")
    .select(["c.state as c_state", "c.wallet_id as c_wallet_id", "c.entry_id as c_entry_id", "c.prev as c_prev"])
    .select(["c.wallet_seq as c_seq", "c.amount_micro as c_amount", "c.balance_after_micro as c_balance"])
    .select("c.token_id as c_token_id")
    .where((where) => where(where.refTuple("e.wallet_id", "e.seq"), ">", where.tuple(after.wallet, after.seq)))
    .orderBy("e.wallet_id")
    .orderBy("e.seq")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ entry: toEntry(row), charge: chargeFacts(row) }));
}

interface JoinedCharge {
  readonly c_state: ChargeRow["state"] | null;
  readonly c_wallet_id: string | null;
  readonly c_entry_id: string | null;
  readonly c_prev: string | null;
  readonly c_seq: number | null;
  readonly c_amount: number | null;
  readonly c_balance: number | null;
  readonly c_token_id: string | null;
}

function chargeFacts(row: JoinedCharge): ChargeFacts | null {
  if (row.c_state === null) return null;
  return {
    state: row.c_state,
    walletId: row.c_wallet_id ?? "",
    entryId: row.c_entry_id ?? "",
    prev: row.c_prev ?? "",
    walletSeq: row.c_seq ?? 0,
    amountMicro: row.c_amount ?? 0,
    balanceAfterMicro: row.c_balance ?? 0,
    tokenId: row.c_token_id,
  };
}

async function reversalsAfter(db: Reads, after: { readonly reverses: string; readonly id: string }, limit: number) {
  const rows = await db
    .selectFrom("transfer as t")
    .leftJoin("transfer as o", "o.id", "t.reverses")
    .selectAll("t")
    .select(["o.id as o_id", "o.debit as o_debit", "o.credit as o_credit", "o.amount_micro as o_amount"])
    .where("t.reverses", "is not", null)
    .where((where) => where(where.refTuple("t.reverses", "t.id"), ">", where.tuple(after.reverses, after.id)))
    .orderBy("t.reverses")
    .orderBy("t.id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    transfer: toTransfer(row),
    reversed:
      row.o_id === null
        ? null
        : toTransfer({
            ...EMPTY,
            id: row.o_id,
            debit: row.o_debit ?? "",
            credit: row.o_credit ?? "",
            amount_micro: row.o_amount ?? 0,
          }),
  }));
}

/** Placeholder for the other fields of a reversed transfer, which are not used. */
const EMPTY: TransferRow = {
  id: "",
  entry_id: "",
  debit: "",
  credit: "",
  amount_micro: 0,
  reverses: null,
  at: 0,
  operator: null,
  reason: null,
};

async function undoneAfter(db: Reads, after: string, limit: number): Promise<ReversalResult[]> {
  const rows = await db
    .selectFrom("charge as c")
    .select(["c.id", "c.state", "c.amount_micro", "c.entry_id"])
    .where("c.state", "in", ["voided", "refunded"])
    .where("c.id", ">", after)
    .orderBy("c.id")
    .limit(limit)
    .execute();
  const undoing = await undoingTransfers(
    db,
    rows.map(({ entry_id }) => entry_id),
  );
  return rows.map(({ id, state, amount_micro, entry_id }) => {
    const transfers = undoing.get(entry_id) ?? [];
    return {
      id,
      state,
      amountMicro: amount_micro,
      reversedMicro: transfers.reduce((sum, transfer) => sum + transfer.amount_micro, 0),
      times: new Set(transfers.map((transfer) => transfer.entry_id)).size,
    };
  });
}

/** Keyed by reversing entry, which has one transfer per bucket, with an ID derived from the entry. */
async function undoingTransfers(db: Reads, entryIds: readonly string[]) {
  const found = new Map<string, Pick<TransferRow, "entry_id" | "amount_micro">[]>();
  if (entryIds.length === 0) return found;
  const rows = await db
    .selectFrom("transfer")
    .select(["reverses", "entry_id", "amount_micro"])
    .where(
      "reverses",
      "in",
      entryIds.flatMap((id) => [`${id}.promo`, `${id}.paid`]),
    )
    .execute();
  for (const row of rows) {
    const entryId = (row.reverses ?? "").replace(/\.[a-z]+$/, "");
    found.set(entryId, [...(found.get(entryId) ?? []), row]);
  }
  return found;
}

async function keyedAfter(db: Reads, after: KeyedCharge, limit: number): Promise<KeyedCharge[]> {
  const rows = await db
    .selectFrom("charge")
    .select(["id", "wallet_id", "op", "key_hash", "token_id"])
    .where("key_hash", "is not", null)
    .where("state", "<>", "voided")
    .where(
      sql<SqlBool>`(wallet_id, op, key_hash, coalesce(token_id, ''), id) >
        (${after.walletId}, ${after.op}, ${after.keyHash}, ${after.tokenId ?? ""}, ${after.id})`,
    )
    .orderBy("wallet_id")
    .orderBy("op")
    .orderBy("key_hash")
    .orderBy(sql`coalesce(token_id, '')`)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id, wallet_id, op, key_hash, token_id }) => {
    return { id, walletId: wallet_id, op, keyHash: key_hash ?? "", tokenId: token_id };
  });
}

import type { Database, Kysely } from "@triptych/storage";
import type { Ledger, PurchaseRecord } from "../domain/ledger.ts";
import { buy } from "../domain/movements.ts";
import { inTransaction, workIn } from "./commit.ts";
import { lockWallet } from "./load.ts";
import { entitlementRow, toPurchase } from "./rows.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

type PurchaseVerbs = Pick<Ledger, "buy" | "entitlements" | "entitlement" | "purchase">;

/** Maximum number of purchases listed per wallet; each costs tens of euros. */
const LISTED = 10_000;

export function purchaseVerbs(database: Database<RailTables>): PurchaseVerbs {
  const { db } = database;
  return {
    buy: (...args) => inTransaction(database, (tx) => purchasesIn(tx).buy(...args)),
    async entitlements(walletId) {
      const rows = await db
        .selectFrom("entitlement")
        .selectAll()
        .where("wallet_id", "=", walletId)
        .orderBy("id")
        .limit(LISTED)
        .execute();
      return rows.map(toPurchase);
    },
    entitlement: (walletId, sku, ref) => entitlementOf(db, { walletId, sku, ref }),
    async purchase(id) {
      const row = await db.selectFrom("entitlement").selectAll().where("purchase_id", "=", id).executeTakeFirst();
      return row === undefined ? null : toPurchase(row);
    },
  };
}

export function purchasesIn(tx: Tx): Pick<Ledger, "buy"> {
  return {
    async buy(input, context) {
      const { walletId, sku, ref, amountMicro } = input;
      const wallet = await lockWallet(tx, walletId);
      const before = await entitlementOf(tx, { walletId, sku, ref });
      if (before !== null) return { kind: "bought_before", purchase: before };
      if (wallet === null || wallet.status !== "active") return { kind: "frozen" };
      const posted = await workIn(tx, {
        now: context.now,
        load: () => Promise.resolve({ wallets: [wallet] }),
        work: (unit) => buy(unit, wallet, { sku, amountMicro, context }),
      });
      if (posted === null) return { kind: "too_low", balanceMicro: wallet.paidMicro };
      const purchase: PurchaseRecord = {
        ...input,
        id: context.newId("pur_"),
        entitlementId: context.newId("own_"),
        issuer: context.issuer,
        kid: context.kid,
        walletSeq: posted.entry.seq,
        balanceAfterMicro: posted.entry.balanceAfterMicro,
        prev: posted.entry.prev,
        createdAt: context.now,
      };
      await tx.insertInto("entitlement").values(entitlementRow(purchase)).execute();
      return { kind: "bought", purchase };
    },
  };
}

async function entitlementOf(
  db: Kysely<RailTables>,
  { walletId, sku, ref }: Pick<PurchaseRecord, "walletId" | "sku" | "ref">,
): Promise<PurchaseRecord | null> {
  const row = await db
    .selectFrom("entitlement")
    .selectAll()
    .where("wallet_id", "=", walletId)
    .where("sku", "=", sku)
    .where("ref", "=", ref)
    .executeTakeFirst();
  return row === undefined ? null : toPurchase(row);
}

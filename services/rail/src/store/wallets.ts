import type { Database, Kysely } from "@triptych/storage";
import type { Ledger, WalletRecord } from "../domain/ledger.ts";
import { adjust } from "../domain/movements.ts";
import { inTransaction, workIn } from "./commit.ts";
import { lockWallet } from "./load.ts";
import { toRecord } from "./rows.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

type WalletVerbs = Pick<
  Ledger,
  "walletOf" | "wallet" | "walletsOfEmail" | "changeWallet" | "closeWallet" | "setFrozen" | "rotateToken" | "adjust"
>;

export function walletVerbs(database: Database<RailTables>): WalletVerbs {
  const { db } = database;
  return {
    async walletOf(tokenHash, now) {
      const row = await records(db)
        .innerJoin("wallet_token as t", "t.wallet_id", "w.id")
        .where("t.hash", "=", tokenHash)
        .where((where) => where.or([where("t.valid_until", "is", null), where("t.valid_until", ">", now)]))
        .executeTakeFirst();
      return row === undefined ? null : toRecord(row);
    },
    wallet: (id) => recordOf(db, id),
    async walletsOfEmail(emailLookup, limit) {
      const rows = await records(db)
        .where("o.email_lookup", "=", emailLookup)
        .orderBy("w.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toRecord);
    },
    async changeWallet(id, { label, lowBalanceMicro }) {
      const changed = {
        ...(label !== undefined && { label }),
        ...(lowBalanceMicro !== undefined && { low_balance_micro: lowBalanceMicro }),
      };
      if (Object.keys(changed).length > 0)
        await db.updateTable("wallet_owner").set(changed).where("wallet_id", "=", id).execute();
      return await recordOf(db, id);
    },
    closeWallet: (id) =>
      inTransaction(database, async (tx) => {
        if ((await lockWallet(tx, id)) === null) return null;
        await tx.updateTable("wallet").set({ status: "closed" }).where("id", "=", id).execute();
        await tx
          .updateTable("wallet_owner")
          .set({ email_sealed: null, email_lookup: null, label: null })
          .where("wallet_id", "=", id)
          .execute();
        await tx.deleteFrom("wallet_token").where("wallet_id", "=", id).execute();
        await tx.deleteFrom("auto_topup").where("wallet_id", "=", id).execute();
        return await recordOf(tx, id);
      }),
    setFrozen: (id, frozen, { operator, reason, context }) =>
      inTransaction(database, async (tx) => {
        const wallet = await lockWallet(tx, id);
        const status = frozen ? "frozen" : "active";
        if (wallet !== null && wallet.status !== "closed" && wallet.status !== status) {
          await tx.updateTable("wallet").set({ status }).where("id", "=", id).execute();
          const act = frozen ? "freeze" : "unfreeze";
          const row = { id: context.newId("act_"), wallet_id: id, act, operator, reason, at: context.now } as const;
          await tx.insertInto("operator_act").values(row).execute();
        }
        return await recordOf(tx, id);
      }),
    rotateToken: (...args) => inTransaction(database, (tx) => walletsIn(tx).rotateToken(...args)),
    adjust: (...args) => inTransaction(database, (tx) => walletsIn(tx).adjust(...args)),
  };
}

export function walletsIn(tx: Tx): Pick<Ledger, "wallet" | "rotateToken" | "adjust"> {
  return {
    wallet: (id) => recordOf(tx, id),
    async rotateToken(id, { asking, tokenHash, tokenHint, previousUntil, now }) {
      const wallet = await lockWallet(tx, id);
      if (wallet === null || wallet.status === "closed") return false;
      if (asking !== undefined && !(await isGood(tx, asking.tokenHash, asking.clock()))) return false;
      await tx
        .updateTable("wallet_token")
        .set({ valid_until: previousUntil })
        .where("wallet_id", "=", id)
        .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", previousUntil)]))
        .execute();
      const token = { hash: tokenHash, wallet_id: id, created_at: now, valid_until: null };
      await tx.insertInto("wallet_token").values(token).execute();
      await tx.updateTable("wallet_owner").set({ token_hint: tokenHint }).where("wallet_id", "=", id).execute();
      return true;
    },
    async adjust(id, { amountMicro, operator, reason, context }) {
      const wallet = await lockWallet(tx, id);
      if (wallet === null) return null;
      if (wallet.status === "closed") return "closed";
      const by = { operator, reason };
      const posted = await workIn(tx, {
        now: context.now,
        load: () => Promise.resolve({ wallets: [wallet] }),
        work: (unit) => adjust(unit, wallet, { amountMicro, by, context }),
      });
      return posted === null ? "too_low" : await recordOf(tx, id);
    },
  };
}

async function isGood(tx: Tx, hash: string, now: number): Promise<boolean> {
  const token = tx
    .selectFrom("wallet_token")
    .select("hash")
    .where("hash", "=", hash)
    .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", now)]));
  return (await token.executeTakeFirst()) !== undefined;
}

function records(db: Kysely<RailTables>) {
  return db
    .selectFrom("wallet as w")
    .innerJoin("wallet_owner as o", "o.wallet_id", "w.id")
    .select(["w.id", "w.status", "w.paid_micro", "w.promo_micro", "w.promo_expires_at", "w.seq", "w.head"])
    .select(["o.label", "o.email_sealed", "o.email_lookup", "o.token_hint", "o.low_balance_micro", "o.created_at"]);
}

export async function recordOf(db: Kysely<RailTables>, id: string): Promise<WalletRecord | null> {
  const row = await records(db).where("w.id", "=", id).executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

import type { Database, Kysely } from "@triptych/storage";
import type { Ledger, WalletChange, WalletRecord } from "../domain/ledger.ts";
import { adjust } from "../domain/movements.ts";
import { inTransaction, workIn } from "./commit.ts";
import { lockWallet } from "./load.ts";
import { recordAction } from "./operator-log.ts";
import { subTokenOf } from "./sub-tokens.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";
import { toRecord } from "./wallet-rows.ts";

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
        .select("t.token_id")
        .where("t.hash", "=", tokenHash)
        .where((where) => where.or([where("t.valid_until", "is", null), where("t.valid_until", ">", now)]))
        .executeTakeFirst();
      if (row === undefined) return null;
      return { ...toRecord(row), token: row.token_id === null ? null : await subTokenOf(db, row.token_id) };
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
    changeWallet: (id, change) => inTransaction(database, (tx) => changeWallet(tx, id, change)),
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
          const action = frozen ? "freeze" : "unfreeze";
          const by = { id: context.newId("act_"), operator, reason, at: context.now };
          await recordAction(tx, { action, walletId: id, by });
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
        .where("token_id", "is", null)
        .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", previousUntil)]))
        .execute();
      const token = { hash: tokenHash, wallet_id: id, created_at: now, valid_until: null, token_id: null };
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

async function changeWallet(tx: Tx, id: string, change: WalletChange): Promise<WalletRecord | null> {
  const { label, lowBalanceMicro, caps = {}, alerts } = change;
  const owner = {
    ...(label !== undefined && { label }),
    ...(lowBalanceMicro !== undefined && { low_balance_micro: lowBalanceMicro }),
    ...(alerts !== undefined && { alerts: JSON.stringify(alerts) }),
  };
  const limits = {
    ...(caps.per_charge !== undefined && { per_charge_micro: caps.per_charge }),
    ...(caps.per_day !== undefined && { per_day_micro: caps.per_day }),
    ...(caps.per_month !== undefined && { per_month_micro: caps.per_month }),
  };
  // Lock the wallet first, as everywhere, so that a concurrent charge counts against the caps either before or after
  // the change.
  if (Object.keys(limits).length > 0) await tx.updateTable("wallet").set(limits).where("id", "=", id).execute();
  if (Object.keys(owner).length > 0)
    await tx.updateTable("wallet_owner").set(owner).where("wallet_id", "=", id).execute();
  return await recordOf(tx, id);
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
    .select(["w.per_charge_micro", "w.per_day_micro", "w.per_month_micro", "w.spent_micro", "o.alerts"])
    .select(["w.day", "w.day_micro", "w.day_before_micro", "w.month", "w.month_micro", "w.month_before_micro"])
    .select(["o.label", "o.email_sealed", "o.email_lookup", "o.token_hint", "o.low_balance_micro", "o.created_at"]);
}

export async function recordOf(db: Kysely<RailTables>, id: string): Promise<WalletRecord | null> {
  const row = await records(db).where("w.id", "=", id).executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

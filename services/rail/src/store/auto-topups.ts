import { sql, type Database, type Kysely } from "@triptych/storage";
import { isDue, monthStart, newAutoTopup, type AutoTopup, type AutoTopupLedger } from "../domain/auto-topup.ts";
import type { AutoTopupStop } from "@triptych/contracts";
import type { LedgerWallet } from "../domain/unit-of-work.ts";
import { inTransaction } from "./commit.ts";
import { lockWallet } from "./load.ts";
import { topupRow } from "./rows.ts";
import type { AutoTopupRow, RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

export function autoTopupVerbs(database: Database<RailTables>): AutoTopupLedger {
  const { db } = database;
  return {
    ...autoTopupsIn(db),
    setAutoTopup: (walletId, setting) =>
      inTransaction(database, async (tx) => {
        // Under the wallet's lock, so that no top-up begins while the setting changes or after the wallet is closed.
        const wallet = await lockWallet(tx, walletId);
        if (setting === null || wallet === null || wallet.status === "closed") {
          await tx.deleteFrom("auto_topup").where("wallet_id", "=", walletId).execute();
          return;
        }
        const row = {
          threshold_micro: setting.thresholdMicro,
          amount_micro: setting.amountMicro,
          max_per_month: setting.maxPerMonth,
          stopped_at: null,
          stop_reason: null,
        };
        await tx
          .insertInto("auto_topup")
          .values({ wallet_id: walletId, payment_ref: null, ...row })
          .onConflict((conflict) => conflict.column("wallet_id").doUpdateSet(row))
          .execute();
      }),
    async savePaymentMethod(walletId, paymentRef) {
      await db.updateTable("auto_topup").set({ payment_ref: paymentRef }).where("wallet_id", "=", walletId).execute();
    },
    beginAutoTopup: (walletId, provider, context) =>
      inTransaction(database, async (tx) => {
        const wallet = await lockWallet(tx, walletId);
        const auto = await autoTopupsIn(tx).autoTopup(walletId);
        if (wallet === null || auto === null || wallet.status !== "active") return null;
        const about = { ...(await countsOf(tx, walletId, context.now)), balanceMicro: spendable(wallet, context) };
        if (auto.paymentRef === null || !isDue(auto, about)) return null;
        const topup = newAutoTopup(
          walletId,
          { amountMicro: auto.amountMicro, paymentRef: auto.paymentRef },
          { provider, context },
        );
        await tx.insertInto("topup").values(topupRow(topup)).execute();
        return topup;
      }),
    async walletsToTopUp(context, limit) {
      const { now, expiryTime = now } = context;
      const { rows } = await sql<{ wallet_id: string }>`
        select a.wallet_id from auto_topup a join wallet w on w.id = a.wallet_id
         where a.payment_ref is not null and a.stopped_at is null and w.status = 'active'
           and w.paid_micro + (case when w.promo_expires_at <= ${expiryTime} then 0 else w.promo_micro end) < a.threshold_micro
           and not exists (select 1 from topup p
                 where p.wallet_id = a.wallet_id and p.payment_ref is not null and p.state = 'pending')
           and (select count(*) from topup t
                 where t.wallet_id = a.wallet_id and t.payment_ref is not null and t.created_at >= ${monthStart(now)}) < a.max_per_month
         order by a.wallet_id limit ${limit}`.execute(db);
      return rows.map(({ wallet_id }) => wallet_id);
    },
  };
}

/** Runs in the transaction of the event that stops automatic top-ups. */
export async function stopAutoTopup(
  tx: Tx,
  walletId: string,
  stopped: { readonly at: number; readonly reason: AutoTopupStop },
): Promise<void> {
  await tx
    .updateTable("auto_topup")
    .set({ stopped_at: stopped.at, stop_reason: stopped.reason })
    .where("wallet_id", "=", walletId)
    .where("stopped_at", "is", null)
    .execute();
}

export function autoTopupsIn(db: Kysely<RailTables>): Pick<AutoTopupLedger, "autoTopup"> {
  return {
    async autoTopup(walletId) {
      const row = await db.selectFrom("auto_topup").selectAll().where("wallet_id", "=", walletId).executeTakeFirst();
      return row === undefined ? null : toAutoTopup(row);
    },
  };
}

async function countsOf(tx: Tx, walletId: string, now: number) {
  const rows = await tx
    .selectFrom("topup")
    .select(["state", "created_at"])
    .where("wallet_id", "=", walletId)
    .where("payment_ref", "is not", null)
    .where((where) => where.or([where("state", "=", "pending"), where("created_at", ">=", monthStart(now))]))
    .execute();
  return {
    hasPending: rows.some(({ state }) => state === "pending"),
    startedThisMonth: rows.filter(({ created_at }) => created_at >= monthStart(now)).length,
  };
}

interface Times {
  readonly now: number;
  readonly expiryTime?: number;
}

function spendable({ paidMicro, promoMicro, promoExpiresAt }: LedgerWallet, { now, expiryTime = now }: Times): number {
  return paidMicro + (promoExpiresAt !== null && promoExpiresAt <= expiryTime ? 0 : promoMicro);
}

function toAutoTopup(row: AutoTopupRow): AutoTopup {
  const { stopped_at: at, stop_reason: reason } = row;
  return {
    thresholdMicro: row.threshold_micro,
    amountMicro: row.amount_micro,
    maxPerMonth: row.max_per_month,
    paymentRef: row.payment_ref,
    stopped: at === null || reason === null ? null : { at, reason },
  };
}

/** A top-up's row is locked before its wallet's row, so that its state and its money change together. */
import { sql, type Database, type Kysely, type SqlBool } from "@triptych/storage";
import { stopReason } from "../domain/auto-topup.ts";
import { accounts } from "../domain/entry.ts";
import type { Ledger } from "../domain/ledger.ts";
import { refundCharge } from "../domain/movements.ts";
import { settleTopup } from "../domain/settle-topup.ts";
import type { LedgerTopup, TopupEvent } from "../domain/topup-state.ts";
import { stopAutoTopup } from "./auto-topups.ts";
import { inTransaction, workIn } from "./commit.ts";
import { chargesById, lockOwners, lockWallet, owedBy } from "./load.ts";
import { topupRow, toTopup } from "./rows.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

type TopupVerbs = Pick<
  Ledger,
  | "createTopup"
  | "attachCheckout"
  | "topup"
  | "topupBySession"
  | "topups"
  | "applyTopupEvent"
  | "topupsToCheck"
  | "postponeCheck"
  | "refundCharge"
>;

export function topupVerbs(database: Database<RailTables>): TopupVerbs {
  const { db } = database;
  return {
    ...topupsIn(db),
    async attachCheckout(id, { sessionRef, checkoutUrl, expiresAt }) {
      await db
        .updateTable("topup")
        .set({ session_ref: sessionRef, checkout_url: checkoutUrl, expires_at: expiresAt })
        .where("id", "=", id)
        .execute();
    },
    topup: (id) => topupOf(db, id),
    async topupBySession(provider, sessionRef) {
      const row = await db
        .selectFrom("topup")
        .selectAll()
        // `provider` can be any text; an unknown provider has no top-ups.
        .where(sql<SqlBool>`provider = ${provider}`)
        .where("session_ref", "=", sessionRef)
        .executeTakeFirst();
      return row === undefined ? null : toTopup(row);
    },
    async topups({ walletId, states, before, limit }) {
      const rows = await db
        .selectFrom("topup")
        .selectAll()
        .$if(walletId !== null, (query) => query.where("wallet_id", "=", walletId))
        .$if(states.length > 0, (query) => query.where("state", "in", states))
        .$if(before !== null, (query) => query.where("id", "<", before))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toTopup);
    },
    applyTopupEvent: (id, event, details) => inTransaction(database, (tx) => applyEvent(tx, id, { event, ...details })),
    async topupsToCheck(now, limit) {
      const rows = await db
        .selectFrom("topup")
        .selectAll()
        .where("check_at", "is not", null)
        .where("check_at", "<=", now)
        .orderBy("check_at")
        .limit(limit)
        .execute();
      return rows.map(toTopup);
    },
    async postponeCheck(id, checkAt) {
      // Only if still pending: a concurrent event may have ended its checks.
      await db
        .updateTable("topup")
        .set((set) => ({ check_at: checkAt, checks: set("checks", "+", 1) }))
        .where("id", "=", id)
        .where("state", "=", "pending")
        .execute();
    },
    refundCharge: (id, refund) => inTransaction(database, (tx) => refundChargeIn(tx, id, refund)),
  };
}

type AppliedEvent = { readonly event: TopupEvent } & Parameters<TopupVerbs["applyTopupEvent"]>[2];

async function applyEvent(tx: Tx, id: string, { event, context, operated, providerEvent }: AppliedEvent) {
  const row = await tx.selectFrom("topup").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  const wallet = row === undefined ? null : await lockWallet(tx, row.wallet_id);
  if (row === undefined || wallet === null) return null;
  if (providerEvent !== undefined) {
    const seen = { topup_id: id, event: providerEvent, kind: event.kind, received_at: context.now };
    await tx
      .insertInto("provider_event")
      .values(seen)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const topup = toTopup(row);
  const facts = await tx.selectFrom("provider_event").select(["kind", "event"]).where("topup_id", "=", id).execute();
  const owedMicro = await owedBy(tx, accounts.receivable(wallet.id));
  const settled = await workIn(tx, {
    now: context.now,
    load: () => Promise.resolve({ wallets: [wallet] }),
    work: (unit) => settleTopup(unit, wallet, { topup, event, facts, owedMicro, by: operated, context }),
  });
  if (settled === null) return { topup, changed: false };
  await tx.updateTable("topup").set(topupRow(settled)).where("id", "=", id).execute();
  const reason = stopReason(settled, event);
  if (reason !== null) await stopAutoTopup(tx, wallet.id, { at: context.now, reason });
  return { topup: settled, changed: true };
}

type Refund = Parameters<TopupVerbs["refundCharge"]>[1];

async function refundChargeIn(tx: Tx, id: string, { operator, reason, context }: Refund) {
  const [found] = await chargesById(tx, [id]);
  const { wallets, subTokens } = await lockOwners(tx, found === undefined ? [] : [found]);
  // Read again under the wallet's lock, so that of two refunds the later one sees the first.
  const [charge] = await chargesById(tx, [id]);
  if (charge === undefined || wallets.length === 0) return null;
  const refunded = await workIn(tx, {
    now: context.now,
    load: () => Promise.resolve({ wallets, subTokens, charges: [charge] }),
    work: (unit) => refundCharge(unit, charge, { by: { operator, reason }, context }),
  });
  return refunded ?? "state";
}

export function topupsIn(db: Kysely<RailTables>): Pick<Ledger, "createTopup"> {
  return {
    async createTopup(topup) {
      await db.insertInto("topup").values(topupRow(topup)).execute();
    },
  };
}

async function topupOf(db: Kysely<RailTables>, id: string): Promise<LedgerTopup | null> {
  const row = await db.selectFrom("topup").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toTopup(row);
}

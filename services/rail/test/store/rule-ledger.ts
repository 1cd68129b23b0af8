/** The rules over in-memory rows, with the operations of a store. It is the reference for every store. */
import { UNACKNOWLEDGED_SECONDS } from "@triptych/contracts";
import { NO_CAPS, NO_SPEND } from "../../src/domain/caps.ts";
import { accounts, FIRST_PREV } from "../../src/domain/entry.ts";
import type { LedgerWallet } from "../../src/domain/unit-of-work.ts";
import { applyBatch, hello, sweepCharges } from "../../src/domain/charge-batch.ts";
import { expirePromo } from "../../src/domain/post-entry.ts";
import type { Ledger } from "../../src/domain/ledger.ts";
import { adjust, buy, grantStarter, refundCharge } from "../../src/domain/movements.ts";
import { settleTopup } from "../../src/domain/settle-topup.ts";
import type { LedgerTopup } from "../../src/domain/topup-state.ts";
import { MemoryRows } from "../support/memory-ledger.ts";

export type ComparedVerbs = Pick<
  Ledger,
  | "hello"
  | "applyBatches"
  | "sweep"
  | "createWallet"
  | "setFrozen"
  | "closeWallet"
  | "changeWallet"
  | "createSubToken"
  | "adjust"
  | "createTopup"
  | "applyTopupEvent"
  | "buy"
  | "refundCharge"
>;

/** Results are compared as they are, except that stores may return more (see `comparable`). */
export type RuleVerbs = {
  [Verb in keyof ComparedVerbs]: (...args: Parameters<ComparedVerbs[Verb]>) => Promise<unknown>;
};

const KEY_MS = 7 * 86_400_000;

export function openRuleLedger(): { readonly rows: MemoryRows; readonly verbs: RuleVerbs } {
  const rows = new MemoryRows();
  const topups = new Map<string, LedgerTopup>();
  const bought = new Set<string>();
  const promoEnds = new Map<string, number>();

  const verbs: RuleVerbs = {
    hello: async (greeting, context) => rows.commit((unit) => hello(unit, greeting, context)),
    applyBatches: async (batches, context) =>
      rows.commit((unit) => batches.map((batch) => applyBatch(unit, batch, context))),

    async sweep(context) {
      const before = rows.entries.length;
      rows.commit((unit) =>
        sweepCharges(
          unit,
          {
            lapsed: [...rows.boots.values()]
              .filter(({ state, leaseUntil }) => state === "live" && leaseUntil <= context.now)
              .sort((a, b) => a.leaseUntil - b.leaseUntil || (a.instance < b.instance ? -1 : 1)),
            overdue: [...rows.charges.values()]
              .filter(
                ({ state, createdAt }) =>
                  state === "posted" && createdAt <= context.now - UNACKNOWLEDGED_SECONDS * 1000,
              )
              .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
              .map(({ id }) => id),
          },
          context,
        ),
      );
      const voided = rows.entries.slice(before).map(({ chargeId }) => rows.charges.get(chargeId ?? "")?.voidReason);
      const ended = [...promoEnds]
        .filter(([, at]) => at <= context.now)
        .sort(([a, at], [b, bt]) => at - bt || (a < b ? -1 : 1));
      const beforePromos = rows.entries.length;
      rows.commit((unit) => {
        for (const [id] of ended) {
          const wallet = unit.wallet(id);
          if (wallet !== undefined) expirePromo(unit, wallet, context);
          promoEnds.delete(id);
        }
      });
      for (const charge of rows.charges.values())
        if (charge.keyHash !== null && charge.deliveredAt !== null && charge.deliveredAt <= context.now - KEY_MS)
          rows.charges.set(charge.id, { ...charge, keyHash: null });
      return {
        voidedByLease: voided.filter((reason) => reason === "lease").length,
        voidedUnacknowledged: voided.filter((reason) => reason === "unacknowledged").length,
        promosExpired: rows.entries.length - beforePromos,
      };
    },

    async createWallet({ id, tokenHash, judgeStarter }, context) {
      const empty = { id, status: "active", paidMicro: 0, promoMicro: 0, promoExpiresAt: null, seq: 0 } as const;
      const uncapped = { caps: NO_CAPS, spend: NO_SPEND };
      rows.tokens.set(tokenHash, id);
      rows.commit((unit) => {
        const wallet = { ...empty, ...uncapped, head: FIRST_PREV };
        unit.saveWallet(wallet);
        if (judgeStarter([]) === "granted")
          promoEnds.set(id, grantStarter(unit, wallet, context).wallet.promoExpiresAt ?? 0);
      });
    },
    async setFrozen(id, frozen) {
      const wallet = at(id);
      if (wallet.status !== "closed") rows.wallets.set(id, { ...wallet, status: frozen ? "frozen" : "active" });
    },
    async closeWallet(id) {
      rows.wallets.set(id, { ...at(id), status: "closed" });
      for (const [hash, owner] of rows.tokens) if (owner === id) rows.tokens.delete(hash);
    },
    async changeWallet(id, { caps = {} }) {
      rows.wallets.set(id, { ...at(id), caps: { ...at(id).caps, ...caps } });
    },
    async createSubToken({ id, walletId, tokenHash, ops, caps }) {
      if (at(walletId).status === "closed") return;
      rows.tokens.set(tokenHash, walletId);
      rows.subTokens.set(id, { id, walletId, tokenHash, ops, caps, spend: NO_SPEND });
    },
    async adjust(id, { amountMicro, operator, reason, context }) {
      if (at(id).status === "closed") return "closed";
      const by = { operator, reason };
      return rows.commit((unit) => adjust(unit, at(id), { amountMicro, by, context })) === null ? "too_low" : "done";
    },
    async createTopup(topup) {
      topups.set(topup.id, topup);
    },
    async applyTopupEvent(id, event, { context, operated }) {
      const topup = topups.get(id);
      if (topup === undefined) return null;
      const receivable = accounts.receivable(topup.walletId);
      const owedMicro = rows.transfers.reduce(
        (sum, { debit, credit, amountMicro }) =>
          sum + (debit === receivable ? amountMicro : credit === receivable ? -amountMicro : 0),
        0,
      );
      const settled = rows.commit((unit) =>
        settleTopup(unit, at(topup.walletId), { topup, event, owedMicro, by: operated, context }),
      );
      topups.set(id, settled ?? topup);
      return { topup: settled ?? topup, changed: settled !== null };
    },
    async buy({ walletId, sku, ref, amountMicro }, context) {
      const name = `${walletId} ${sku} ${ref}`;
      if (bought.has(name)) return "bought_before";
      if (at(walletId).status !== "active") return "frozen";
      const posted = rows.commit((unit) => buy(unit, at(walletId), { sku, amountMicro, context }));
      if (posted !== null) bought.add(name);
      return posted === null ? "too_low" : "bought";
    },
    async refundCharge(id, { operator, reason, context }) {
      const charge = rows.charges.get(id);
      if (charge === undefined) return null;
      return rows.commit((unit) => refundCharge(unit, charge, { by: { operator, reason }, context })) ?? "state";
    },
  };

  return { rows, verbs };

  function at(id: string): LedgerWallet {
    const wallet = rows.wallets.get(id);
    if (wallet === undefined) throw new Error(`no wallet ${id}`);
    return wallet;
  }
}

/** The part of a store's result that is compared. */
export function comparable(verbs: ComparedVerbs): RuleVerbs {
  return {
    hello: (...args) => verbs.hello(...args),
    applyBatches: async (...args) => [...(await verbs.applyBatches(...args))],
    async sweep(context, limit) {
      const { removed: _, ...swept } = await verbs.sweep(context, limit);
      return swept;
    },
    createWallet: async (...args) => void (await verbs.createWallet(...args)),
    setFrozen: async (id, frozen, by) => void (await verbs.setFrozen(id, frozen, by)),
    closeWallet: async (id, context) => void (await verbs.closeWallet(id, context)),
    changeWallet: async (...args) => void (await verbs.changeWallet(...args)),
    createSubToken: async (...args) => void (await verbs.createSubToken(...args)),
    async adjust(...args) {
      const done = await verbs.adjust(...args);
      return done === "closed" || done === "too_low" ? done : "done";
    },
    createTopup: (topup) => verbs.createTopup(topup),
    applyTopupEvent: async (...args) => verbs.applyTopupEvent(...args),
    buy: async (...args) => (await verbs.buy(...args)).kind,
    refundCharge: (...args) => verbs.refundCharge(...args),
  };
}

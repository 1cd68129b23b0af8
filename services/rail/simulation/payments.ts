/**
 * Moves money in all ways other than charges: top-ups with late, repeated, reordered or missing events, operators, and
 * purchases. Events are lost while the rail is down; a reconciler polls for them.
 */
import { accounts } from "../src/domain/entry.ts";
import { adjust, buy, refundCharge } from "../src/domain/movements.ts";
import { settleTopup } from "../src/domain/settle-topup.ts";
import type { LedgerTopup, TopupEvent } from "../src/domain/topup-state.ts";
import { ignoreUnreachable, type Rail } from "./rail.ts";
import type { Rows } from "./rows.ts";
import type { Rates } from "./scenario.ts";
import { demand } from "./violation.ts";
import type { World } from "./world.ts";

export interface Payments {
  /** Polls the provider for everything that is pending, like the reconciler. */
  reconcile(): Promise<void>;
  /** Checks that all money that was paid and not returned is in its wallet. */
  audit(): void;
  /** Number of events that still have to be sent. */
  readonly busy: number;
}

export interface PaymentsOptions {
  readonly world: World;
  readonly rates: Rates;
  readonly rail: Rail;
  readonly rows: Rows;
  readonly walletIds: readonly string[];
}

const BY = { operator: "olga", reason: "simulated" };
const TOPUPS_MAX = 30;

export function startPayments({ world, rates, rail, rows, walletIds }: PaymentsOptions): Payments {
  const { chance } = world;
  /** Top-ups that were paid; `kept` while the money is not returned. */
  const paid = new Map<string, { isSettled: boolean }>();
  let busy = 0;
  world.after(50, null, trade);
  world.after(2000, null, function again(): void {
    world.run(reconcile());
    world.after(2000, null, again);
  });

  return {
    reconcile,
    audit,
    get busy() {
      return busy;
    },
  };

  function trade(): void {
    world.after(1000 * chance.next(), null, trade);
    const walletId = chance.pick(walletIds);
    if (chance.hits(4 * rates.of("topups")) && rows.topups.size < TOPUPS_MAX) createTopup(walletId);
    if (chance.hits(4 * rates.of("operator"))) attempt(operate(walletId));
    if (chance.hits(rates.of("purchases"))) attempt(purchase(walletId));
  }

  function createTopup(walletId: string): void {
    const id = `top_${rows.topups.size + 1}`;
    const amountMicro = 500 * chance.between(1, 20);
    const about = {
      sessionRef: id,
      checkoutUrl: null,
      createdAt: 0,
      expiresAt: null,
      entryId: null,
      checkAt: 0,
      checks: 0,
    };
    rows.topups.set(id, { id, walletId, provider: "stripe", state: "pending", amountMicro, ...about });
    const isPaid = chance.hits(0.8);
    if (isPaid) paid.set(id, { isSettled: true });
    const events: TopupEvent[] = isPaid ? paidStory(id) : [{ kind: chance.pick(["failed", "expired"] as const) }];
    // The reconciler finds a payment whose only event is its success. All other events are repeated until they are
    // received.
    const least = events.length === 1 && chance.hits(rates.of("loss")) ? 0 : 1;
    for (const event of events)
      for (let copy = chance.between(least, 3); copy > 0; copy--) world.run(insist(id, event));
  }

  /** The possible events of a paid top-up, which may arrive in any order. */
  function paidStory(id: string): TopupEvent[] {
    const story: TopupEvent[] = [{ kind: "paid" }];
    if (chance.hits(0.2)) story.push({ kind: chance.pick(["failed", "expired"] as const) });
    if (chance.hits(0.1)) story.push({ kind: "paid", amountMicro: 1, currency: "EUR" });
    if (chance.hits(0.15)) story.push({ kind: "refunded" });
    if (chance.hits(0.2))
      story.push({ kind: "disputed" }, { kind: chance.pick(["dispute_won", "dispute_lost"] as const) });
    if (story.some(({ kind }) => ["refunded", "disputed"].includes(kind))) paid.set(id, { isSettled: false });
    return story;
  }

  async function insist(id: string, event: TopupEvent): Promise<void> {
    busy++;
    await world.pause(4000 * chance.next(), null);
    const tryDeliver = () => deliverEvent(id, event).then(() => true, ignoreUnreachable);
    while ((await tryDeliver()) !== true) await world.pause(chance.between(100, 5000), null);
    busy--;
  }

  function deliverEvent(id: string, event: TopupEvent): Promise<unknown> {
    const of = () => rows.topups.get(id);
    return rail.commit({
      load: () => rows.forWallet(of()?.walletId ?? ""),
      work(unit, context): LedgerTopup | null {
        const topup = of();
        const wallet = unit.wallet(topup?.walletId ?? "");
        if (topup === undefined || wallet === undefined) return null;
        const owedMicro = Math.max(0, -(rows.totals.get(accounts.receivable(wallet.id)) ?? 0));
        return settleTopup(unit, wallet, { topup, event, owedMicro, context });
      },
      topup: (settled) => settled,
    });
  }

  async function reconcile(): Promise<void> {
    for (const { id, state } of rows.topups.values())
      if (state === "pending" && paid.has(id)) await deliverEvent(id, { kind: "paid" }).catch(ignoreUnreachable);
  }

  function operate(walletId: string): Promise<unknown> {
    const kind = chance.pick([
      "adjust",
      "adjust",
      "adjust",
      "adjust",
      "refund",
      "freeze",
      "unfreeze",
      "unfreeze",
    ] as const);
    const charge = [...rows.charges.values()].findLast(({ state }) => state === "delivered");
    const amountMicro = 250 * chance.pick([-8, -3, 1, 2, 2, 5, 12]);
    if (kind === "refund" && charge === undefined) return Promise.resolve();
    return rail.commit({
      load: () =>
        kind === "refund" && charge !== undefined
          ? rows.forWallet(charge.walletId, [rows.charges.get(charge.id) ?? charge])
          : rows.forWallet(walletId),
      work(unit, context) {
        const wallet = unit.wallet(walletId);
        const current = charge && unit.charge(charge.id);
        if (kind === "refund" && current !== undefined) refundCharge(unit, current, { by: BY, context });
        else if (wallet !== undefined && kind === "adjust") adjust(unit, wallet, { amountMicro, by: BY, context });
        else if (wallet !== undefined && kind === "freeze") unit.saveWallet({ ...wallet, status: "frozen" });
        else if (wallet !== undefined) unit.saveWallet({ ...wallet, status: "active" });
      },
    });
  }

  function purchase(walletId: string): Promise<unknown> {
    return rail.commit({
      load: () => rows.forWallet(walletId),
      work(unit, context) {
        const wallet = unit.wallet(walletId);
        if (wallet?.status === "active") buy(unit, wallet, { sku: "custom-head", amountMicro: 2000, context });
      },
    });
  }

  function attempt(work: Promise<unknown>): void {
    world.run(work.catch(ignoreUnreachable));
  }

  function audit(): void {
    for (const [id, { isSettled }] of paid) {
      const state = rows.topups.get(id)?.state;
      if (isSettled)
        demand(state === "succeeded" || state === "review", "L10", () => `top-up ${id} was paid and is ${state}`);
    }
  }
}

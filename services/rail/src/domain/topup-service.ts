/**
 * From the wish to pay to money in the wallet: the checkout, the provider's events, the reconciler that asks where events are missing,
 * and the way back. The ledger decides by its state table what an event does; here it is found out which top-up an event is about.
 */
import { checkAfterFailure, nextCheck } from "./reconcile-schedule.ts";
import type { Ledger } from "./ledger.ts";
import type { Operated } from "./movements.ts";
import { ProviderUnavailable, type ProviderEvent, type PaymentProvider } from "./payments.ts";
import type { Context } from "./post-entry.ts";
import { factName } from "./provider-events.ts";
import { topupAfter, type LedgerTopup, type TopupEvent } from "./topup-state.ts";

export interface TopupParts {
  readonly ledger: Pick<
    Ledger,
    | "createTopup"
    | "attachCheckout"
    | "topup"
    | "topupBySession"
    | "applyTopupEvent"
    | "topupsToCheck"
    | "postponeCheck"
  >;
  readonly provider: PaymentProvider;
  /** Of one commit. */
  readonly context: () => Context;
  /** Public address of the rail, without a slash at its end. */
  readonly url: () => string;
}

export interface TopupAsk {
  readonly walletId: string;
  readonly amountMicro: number;
  readonly successUrl?: string | undefined;
  readonly cancelUrl?: string | undefined;
}

export interface ProviderEventResult {
  readonly topup: LedgerTopup | null;
  readonly changed: boolean;
}

export interface Reconciled {
  readonly checked: number;
  /** Top-ups whose event had been lost. */
  readonly changed: number;
  readonly unreachable: number;
}

export type TopUps = ReturnType<typeof createTopUps>;

export function createTopUps({ ledger, provider, context, url }: TopupParts) {
  const asking = new Set<string>();

  async function apply(topup: LedgerTopup, event: TopupEvent, about: string): Promise<LedgerTopup> {
    const details = { context: context(), providerEvent: factName(event.kind, about) };
    return (await ledger.applyTopupEvent(topup.id, event, details))?.topup ?? topup;
  }

  return {
    provider,

    begin,
    finish,
    abandon,
    /** True while this process asks the provider for its checkout. */
    isInProgress: (id: string) => asking.has(id),

    /** Throws ProviderUnavailable after it has marked the row as failed. */
    async start(ask: TopupAsk): Promise<LedgerTopup> {
      const topup = await begin(ask);
      try {
        return await finish(topup, ask);
      } catch (error) {
        if (error instanceof ProviderUnavailable) await abandon(topup.id);
        throw error;
      }
    },

    /** What a provider's event says is done once, whatever comes how often. Not about a top-up of ours: `topup` is null. */
    async handleEvent({ sessionRef, topupId, about, event }: ProviderEvent): Promise<ProviderEventResult> {
      const bySession = sessionRef === null ? null : await ledger.topupBySession(provider.name, sessionRef);
      const topup = bySession ?? (topupId === null ? null : await ledger.topup(topupId));
      if (topup === null || topup.provider !== provider.name) return { topup: null, changed: false };
      if (event === null) return { topup, changed: false };
      const details = { context: context(), providerEvent: factName(event.kind, about) };
      return (await ledger.applyTopupEvent(topup.id, event, details)) ?? { topup: null, changed: false };
    },

    /** Asks about pending payments whose time has come, at most `limit`. Run by any number of rail processes at once. */
    async reconcile(limit: number): Promise<Reconciled> {
      const due = await ledger.topupsToCheck(context().now, limit);
      const sum = { checked: 0, changed: 0, unreachable: 0 };
      for (const topup of due) {
        const outcome = await reconcileTopup(topup);
        sum.checked += 1;
        if (outcome !== "same") sum[outcome] += 1;
      }
      return sum;
    },

    /** Gives the money of a top-up back, at the provider's first. "state": there is nothing to give back. */
    async refund(topup: LedgerTopup, operated: Operated): Promise<LedgerTopup | "state"> {
      const { sessionRef } = topup;
      const refunded = { kind: "refunded" } as const;
      if (topup.state !== "succeeded" || sessionRef === null || topupAfter(topup, refunded) === null) return "state";
      if (topup.provider !== provider.name) throw new ProviderUnavailable(topup.provider, "it is not configured");
      await provider.refund({ ...topup, sessionRef });
      const applied = await ledger.applyTopupEvent(topup.id, refunded, { context: context(), operated });
      // Its own event may have been faster: the money is back, whoever said so first.
      return applied?.topup.state === "refunded" ? applied.topup : "state";
    },
  };

  /** The row is written before the provider is asked: whatever becomes of the answer, an event finds its top-up. */
  async function begin({ walletId, amountMicro }: TopupAsk, writing: Pick<Ledger, "createTopup"> = ledger) {
    const { now, newId } = context();
    const topup: LedgerTopup = {
      id: newId("top_"),
      walletId,
      provider: provider.name,
      sessionRef: null,
      state: "pending",
      amountMicro,
      checkoutUrl: null,
      createdAt: now,
      expiresAt: null,
      entryId: null,
      checkAt: nextCheck(now, now),
      checks: 0,
    };
    await writing.createTopup(topup);
    return topup;
  }

  /** May be done again after it was done in part: the provider has one checkout for one top-up, and money is credited once. */
  async function finish(topup: LedgerTopup, { successUrl, cancelUrl }: TopupAsk): Promise<LedgerTopup> {
    if (topup.state !== "pending" || topup.provider !== provider.name) return topup;
    const page = `${url()}/wallet`;
    const about = { topupId: topup.id, amountMicro: topup.amountMicro };
    asking.add(topup.id);
    try {
      const ask = { ...about, successUrl: successUrl ?? page, cancelUrl: cancelUrl ?? page };
      const { isPaid, ...checkout } = await provider.createCheckout(ask);
      await ledger.attachCheckout(topup.id, checkout);
      const started = { ...topup, ...checkout };
      return isPaid ? await apply(started, { kind: "paid" }, checkout.sessionRef) : started;
    } finally {
      asking.delete(topup.id);
    }
  }

  /** Its provider was not to be reached. Should the payment succeed all the same, it is credited. */
  async function abandon(id: string): Promise<void> {
    await ledger.applyTopupEvent(id, { kind: "failed" }, { context: context() });
  }

  async function reconcileTopup(topup: LedgerTopup): Promise<"changed" | "unreachable" | "same"> {
    const { sessionRef } = topup;
    try {
      const isOurs = topup.provider === provider.name && sessionRef !== null;
      const event = isOurs ? await provider.fetch(sessionRef) : null;
      if (event !== null) {
        const after = await apply(topup, event, sessionRef ?? topup.id);
        if (after.state !== topup.state) return "changed";
      }
      await ledger.postponeCheck(topup.id, nextCheck(topup.createdAt, context().now));
      return "same";
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      await ledger.postponeCheck(topup.id, checkAfterFailure(context().now));
      return "unreachable";
    }
  }
}

/** The flow of a top-up: checkout, provider events, reconciliation, refund. The ledger applies the state table. */
import { checkAfterFailure, nextCheck, topupAfter, type LedgerTopup, type TopupEvent } from "./topup-state.ts";
import type { Ledger } from "./ledger.ts";
import type { Operated } from "./movements.ts";
import { ProviderUnavailable, type ProviderEvent, type PaymentProvider } from "./payments.ts";
import type { Context } from "./post-entry.ts";
import { factName } from "./provider-events.ts";

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
  readonly context: () => Context;
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
  readonly changed: number;
  readonly unreachable: number;
}

export type TopUps = ReturnType<typeof createTopUps>;

export function createTopUps(parts: TopupParts) {
  const { ledger, provider, context } = parts;
  const checkouts = createCheckouts(parts);
  return {
    provider,
    ...checkouts,

    /** On ProviderUnavailable, marks the row as failed and rethrows. */
    async start(ask: TopupAsk): Promise<LedgerTopup> {
      const topup = await checkouts.begin(ask);
      try {
        return await checkouts.finish(topup, ask);
      } catch (error) {
        if (error instanceof ProviderUnavailable) await checkouts.abandon(topup.id);
        throw error;
      }
    },

    /** Applies a provider event; repeated events have no effect. `topup` is null for events about other payments. */
    async handleEvent({ sessionRef, topupId, about, event }: ProviderEvent): Promise<ProviderEventResult> {
      const bySession = sessionRef === null ? null : await ledger.topupBySession(provider.name, sessionRef);
      const topup = bySession ?? (topupId === null ? null : await ledger.topup(topupId));
      if (topup === null || topup.provider !== provider.name) return { topup: null, changed: false };
      if (event === null) return { topup, changed: false };
      const details = { context: context(), providerEvent: factName(event.kind, about) };
      return (await ledger.applyTopupEvent(topup.id, event, details)) ?? { topup: null, changed: false };
    },

    /** Checks due pending payments, at most `limit`. Safe in any number of rail processes. */
    async reconcile(limit: number): Promise<Reconciled> {
      const due = await ledger.topupsToCheck(context().now, limit);
      const sum = { checked: 0, changed: 0, unreachable: 0 };
      for (const topup of due) {
        const outcome = await reconcileTopup(parts, topup);
        sum.checked += 1;
        if (outcome !== "same") sum[outcome] += 1;
      }
      return sum;
    },

    /** Refunds a top-up, first at the provider. "state": nothing to refund. */
    async refund(topup: LedgerTopup, operated: Operated): Promise<LedgerTopup | "state"> {
      const { sessionRef } = topup;
      const refunded = { kind: "refunded" } as const;
      if (topup.state !== "succeeded" || sessionRef === null || topupAfter(topup, refunded) === null) return "state";
      if (topup.provider !== provider.name) throw new ProviderUnavailable(topup.provider, "not configured");
      await provider.refund({ ...topup, sessionRef });
      const applied = await ledger.applyTopupEvent(topup.id, refunded, { context: context(), operated });
      // The provider's event may have been faster: the money is returned either way.
      return applied?.topup.state === "refunded" ? applied.topup : "state";
    },
  };
}

function createCheckouts(parts: TopupParts) {
  const { ledger, provider, context, url } = parts;
  const asking = new Set<string>();
  return {
    /** True while this process creates the checkout at the provider. */
    isInProgress: (id: string) => asking.has(id),

    /** The row is written before the provider is called, so an event finds its top-up even if the response is lost. */
    async begin({ walletId, amountMicro }: TopupAsk, writing: Pick<Ledger, "createTopup"> = ledger) {
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
    },

    /** Safe to repeat after partial completion: the provider has one checkout per top-up, and money is credited once. */
    async finish(topup: LedgerTopup, { successUrl, cancelUrl }: TopupAsk): Promise<LedgerTopup> {
      if (topup.state !== "pending" || topup.provider !== provider.name) return topup;
      const page = `${url()}/wallet`;
      const about = { topupId: topup.id, amountMicro: topup.amountMicro };
      asking.add(topup.id);
      try {
        const ask = { ...about, successUrl: successUrl ?? page, cancelUrl: cancelUrl ?? page };
        const { isPaid, ...checkout } = await provider.createCheckout(ask);
        await ledger.attachCheckout(topup.id, checkout);
        const started = { ...topup, ...checkout };
        return isPaid ? await apply(parts, started, { event: { kind: "paid" }, about: checkout.sessionRef }) : started;
      } finally {
        asking.delete(topup.id);
      }
    },

    /** The provider was unreachable. If the payment succeeds after all, it is credited. */
    async abandon(id: string): Promise<void> {
      await ledger.applyTopupEvent(id, { kind: "failed" }, { context: context() });
    },
  };
}

async function apply(
  { ledger, context }: TopupParts,
  topup: LedgerTopup,
  { event, about }: { readonly event: TopupEvent; readonly about: string },
): Promise<LedgerTopup> {
  const details = { context: context(), providerEvent: factName(event.kind, about) };
  return (await ledger.applyTopupEvent(topup.id, event, details))?.topup ?? topup;
}

async function reconcileTopup(parts: TopupParts, topup: LedgerTopup): Promise<"changed" | "unreachable" | "same"> {
  const { ledger, provider, context } = parts;
  const { sessionRef } = topup;
  try {
    const isOurs = topup.provider === provider.name && sessionRef !== null;
    const event = isOurs ? await provider.fetch(sessionRef) : null;
    if (event !== null) {
      const after = await apply(parts, topup, { event, about: sessionRef ?? topup.id });
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

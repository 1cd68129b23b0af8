/** The flow of a top-up: checkout, provider events, reconciliation, refund. The ledger applies the state table. */
import { mayRepeatCharge, stopReason } from "./auto-topup.ts";
import { checkAfterFailure, nextCheck, topupAfter, type LedgerTopup, type TopupEvent } from "./topup-state.ts";
import type { Ledger } from "./ledger.ts";
import type { Operated } from "./movements.ts";
import {
  ProviderUnavailable,
  type AutomaticTopup,
  type PaymentProvider,
  type ProviderEvent,
  type SavedPayment,
  type SavedPayments,
} from "./payments.ts";
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
    | "autoTopup"
    | "savePaymentMethod"
    | "beginAutoTopup"
    | "walletsToTopUp"
  >;
  readonly provider: PaymentProvider;
  readonly context: () => Context;
  readonly url: () => string;
  /** Called once for an automatic top-up that failed or was returned. */
  readonly onAutoTopupStopped?: (topup: LedgerTopup) => Promise<void>;
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

  /**
   * Tops up a wallet below its threshold from its saved payment method. Null if nothing is due. If the provider is
   * unreachable, `reconcile` queries it again.
   */
  async function topUpAutomatically(walletId: string): Promise<LedgerTopup | null> {
    if (provider.saved === null) return null;
    const topup = await ledger.beginAutoTopup(walletId, provider.name, context());
    if (topup !== null) await reconcileTopup(parts, topup);
    return topup;
  }

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
      const result = await applied(parts, topup.id, { event, about });
      // Save the method after the credit. If the provider is unreachable now, it sends the event again.
      if (event.kind === "paid" && result !== null) await saveMethod(parts, result);
      return result ?? { topup: null, changed: false };
    },

    /** Checks up to `limit` pending payments that are due. Any number of rail processes may call it. */
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

    topUpAutomatically,

    /** Tops up wallets that fell below their threshold unnoticed. Returns the number of top-ups. */
    async topUpDue(limit: number): Promise<number> {
      if (provider.saved === null) return 0;
      let started = 0;
      for (const walletId of await ledger.walletsToTopUp(context(), limit))
        if ((await topUpAutomatically(walletId)) !== null) started += 1;
      return started;
    },

    /** Refunds a top-up, first at the provider. Returns "state" if there is nothing to refund. */
    async refund(topup: LedgerTopup, operated: Operated): Promise<LedgerTopup | "state"> {
      const { sessionRef } = topup;
      const refunded = { kind: "refunded" } as const;
      if (topup.state !== "succeeded" || sessionRef === null || topupAfter(topup, refunded) === null) return "state";
      if (topup.provider !== provider.name) throw new ProviderUnavailable(topup.provider, "not configured");
      await provider.refund({ ...topup, sessionRef });
      const applied = await ledger.applyTopupEvent(topup.id, refunded, { context: context(), operated });
      // The provider's event may have been faster; the money is returned either way.
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

    /** Writes the row before calling the provider, so that an event finds its top-up even if the response is lost. */
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

    /**
     * Can be repeated after partial completion: the provider has one checkout per top-up, and money is credited once.
     */
    async finish(topup: LedgerTopup, { successUrl, cancelUrl }: TopupAsk): Promise<LedgerTopup> {
      if (topup.state !== "pending" || topup.provider !== provider.name) return topup;
      const page = `${url()}/wallet`;
      const about = { topupId: topup.id, amountMicro: topup.amountMicro };
      asking.add(topup.id);
      try {
        const savesMethod = provider.saved !== null && (await ledger.autoTopup(topup.walletId)) !== null;
        const ask = { ...about, successUrl: successUrl ?? page, cancelUrl: cancelUrl ?? page, savesMethod };
        const { isPaid, ...checkout } = await provider.createCheckout(ask);
        await ledger.attachCheckout(topup.id, checkout);
        const started = { ...topup, ...checkout };
        if (!isPaid) return started;
        const result = await applied(parts, started.id, { event: { kind: "paid" }, about: checkout.sessionRef });
        if (result !== null) await saveMethod(parts, result);
        return result?.topup ?? started;
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

interface NamedEvent {
  readonly event: TopupEvent;
  readonly about: string;
}

async function applied(
  { ledger, context, onAutoTopupStopped }: TopupParts,
  id: string,
  { event, about }: NamedEvent,
): Promise<{ readonly topup: LedgerTopup; readonly changed: boolean } | null> {
  const details = { context: context(), providerEvent: factName(event.kind, about) };
  const result = await ledger.applyTopupEvent(id, event, details);
  if (result?.changed === true && stopReason(result.topup, event) !== null) await onAutoTopupStopped?.(result.topup);
  return result;
}

/** Only for a wallet with automatic top-ups. A repeated event does not replace a newer method. */
async function saveMethod(
  { ledger, provider }: TopupParts,
  { topup, changed }: { readonly topup: LedgerTopup; readonly changed: boolean },
): Promise<void> {
  const { walletId, sessionRef, paymentRef } = topup;
  if (provider.saved === null || sessionRef === null || paymentRef !== undefined || topup.state !== "succeeded") return;
  const auto = await ledger.autoTopup(walletId);
  if (auto === null || (auto.paymentRef !== null && !changed)) return;
  const method = await provider.saved.methodOf(sessionRef);
  if (method !== null) await ledger.savePaymentMethod(walletId, method);
}

async function reconcileTopup(parts: TopupParts, topup: LedgerTopup): Promise<"changed" | "unreachable" | "same"> {
  const { ledger, provider, context } = parts;
  try {
    const outcome = topup.provider === provider.name ? await ask(parts, topup) : null;
    if (outcome !== null) {
      const result = await applied(parts, topup.id, outcome);
      if (result !== null && result.topup.state !== topup.state) {
        await saveMethod(parts, result);
        return "changed";
      }
    }
    await ledger.postponeCheck(topup.id, nextCheck(topup.createdAt, context().now));
    return "same";
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    await ledger.postponeCheck(topup.id, checkAfterFailure(context().now));
    return "unreachable";
  }
}

/** Null if there is no result yet. */
async function ask(parts: TopupParts, topup: LedgerTopup): Promise<NamedEvent | null> {
  const { provider } = parts;
  const { sessionRef, paymentRef } = topup;
  if (sessionRef === null && paymentRef !== undefined) return await chargeSaved(parts, { ...topup, paymentRef });
  const event = sessionRef === null ? null : await provider.fetch(sessionRef);
  return event === null ? null : { event, about: sessionRef ?? topup.id };
}

/**
 * The pending row is on disk, so if the process dies here, the next one repeats the call with the same key, and the
 * payer is charged once. The response does not credit the wallet: the payment is read again.
 */
async function chargeSaved(
  { ledger, provider, context }: TopupParts,
  topup: LedgerTopup & { readonly paymentRef: string },
): Promise<NamedEvent | null> {
  const { saved } = provider;
  if (saved === null) return null;
  const mayRepeat = mayRepeatCharge(topup, context().now);
  const { sessionRef, refused } = mayRepeat ? await saved.charge(topup) : await lookUp(saved, topup);
  if (sessionRef !== null) await ledger.attachCheckout(topup.id, { sessionRef, checkoutUrl: null, expiresAt: null });
  if (refused !== null) return { event: { kind: "failed", reason: refused }, about: sessionRef ?? topup.id };
  const event = await provider.fetch(sessionRef);
  return event === null ? null : { event, about: sessionRef };
}

/** If the provider never received the charge, it is too late to repeat it. */
async function lookUp(saved: SavedPayments, topup: AutomaticTopup): Promise<SavedPayment> {
  const sessionRef = await saved.find(topup);
  return sessionRef === null ? { sessionRef, refused: "rejected" } : { sessionRef, refused: null };
}

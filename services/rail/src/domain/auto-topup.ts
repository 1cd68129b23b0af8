/**
 * Rules of automatic top-ups. A wallet that falls below its threshold is topped up from a saved payment method, up to a
 * number of times per month. If a top-up does not succeed, automatic top-ups stop until the owner switches them on
 * again.
 */
import type { AutoTopupStop } from "@triptych/contracts";
import type { Context } from "./post-entry.ts";
import type { LedgerTopup, TopupEvent } from "./topup-state.ts";

export interface AutoTopupSetting {
  readonly thresholdMicro: number;
  readonly amountMicro: number;
  /** Attempts per UTC month, whatever their result. */
  readonly maxPerMonth: number;
}

export interface AutoTopup extends AutoTopupSetting {
  /** The provider's reference of the saved method; null until a checkout has saved one. */
  readonly paymentRef: string | null;
  readonly stopped: { readonly at: number; readonly reason: AutoTopupStop } | null;
}

/** The part of the ledger for automatic top-ups. */
export interface AutoTopupLedger {
  /** Null if switched off. */
  autoTopup(walletId: string): Promise<AutoTopup | null>;
  /** Also resumes automatic top-ups that stopped. null switches them off and deletes the saved method. */
  setAutoTopup(walletId: string, setting: AutoTopupSetting | null): Promise<void>;
  /** No effect if automatic top-ups are switched off. */
  savePaymentMethod(walletId: string, paymentRef: string): Promise<void>;
  /**
   * Writes the pending top-up of a wallet before its provider is called. Returns null if none is due. Only one of
   * several concurrent calls gets it.
   */
  beginAutoTopup(walletId: string, provider: LedgerTopup["provider"], context: Context): Promise<LedgerTopup | null>;
  /** Wallets that are due because a process stopped before it topped them up. */
  walletsToTopUp(context: Context, limit: number): Promise<readonly string[]>;
}

/** Start of the UTC month. */
export function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

export interface AutoTopupFacts {
  readonly balanceMicro: number;
  readonly startedThisMonth: number;
  readonly hasPending: boolean;
}

export function isDue(auto: AutoTopup, { balanceMicro, startedThisMonth, hasPending }: AutoTopupFacts): boolean {
  const mayCharge = auto.paymentRef !== null && auto.stopped === null;
  return mayCharge && !hasPending && balanceMicro < auto.thresholdMicro && startedThisMonth < auto.maxPerMonth;
}

/** After this time, the reconciler takes over from a process that died during the call to the provider. */
const FIRST_CHECK_MS = 60_000;

export function newAutoTopup(
  walletId: string,
  { amountMicro, paymentRef }: Pick<LedgerTopup, "amountMicro"> & { readonly paymentRef: string },
  { provider, context }: { readonly provider: LedgerTopup["provider"]; readonly context: Context },
): LedgerTopup {
  return {
    id: context.newId("top_"),
    walletId,
    provider,
    sessionRef: null,
    state: "pending",
    amountMicro,
    checkoutUrl: null,
    createdAt: context.now,
    expiresAt: null,
    entryId: null,
    checkAt: context.now + FIRST_CHECK_MS,
    checks: 0,
    paymentRef,
  };
}

/** Why automatic top-ups stop after this event; null if they continue. */
export function stopReason({ state, paymentRef }: LedgerTopup, event: TopupEvent): AutoTopupStop | null {
  if (paymentRef === undefined) return null;
  switch (state) {
    case "pending":
    case "succeeded":
      return null;
    case "review":
      return "review";
    case "refunded":
    case "disputed":
      return "returned";
    case "failed":
    case "expired":
      return ("reason" in event && event.reason) || "declined";
  }
}

/**
 * The provider remembers an idempotency key for 24 h. A later repetition could charge again, so after this time the
 * payment is only looked up.
 */
const REPEATABLE_MS = 20 * 3_600_000;

export function mayRepeatCharge({ createdAt }: LedgerTopup, now: number): boolean {
  return now < createdAt + REPEATABLE_MS;
}

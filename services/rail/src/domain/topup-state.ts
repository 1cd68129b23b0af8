/**
 * State table of top-ups. Provider events arrive repeatedly and in any order; money moves only on a state change. A
 * failed or expired top-up can still succeed if the money arrives late. A different amount or currency is not credited,
 * but waits for the operator.
 */
import type { AutoTopupStop, ProviderName, TopupState } from "@triptych/contracts";

export interface LedgerTopup {
  readonly id: string;
  readonly walletId: string;
  readonly provider: ProviderName;
  readonly sessionRef: string | null;
  readonly state: TopupState;
  readonly amountMicro: number;
  readonly checkoutUrl: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The entry that credited it; null if uncredited. */
  readonly entryId: string | null;
  /** Time of the next reconciliation; null if none is due. */
  readonly checkAt: number | null;
  readonly checks: number;
  /** The saved method that an automatic top-up charges; absent for a checkout. */
  readonly paymentRef?: string;
}

/** Events of a provider, the reconciler or the operator. `paid` without an amount means the amount of the top-up. */
export type TopupEvent =
  | { readonly kind: "paid"; readonly amountMicro?: number; readonly currency?: string }
  | { readonly kind: "failed"; readonly reason?: AutoTopupStop }
  | { readonly kind: "expired" | "refunded" | "disputed" | "dispute_won" | "dispute_lost" };

export interface TopupStep {
  readonly state: TopupState;
  readonly money: "credit" | "take_back" | "give_again" | null;
}

const PAID: Partial<Record<TopupState, TopupStep>> = {
  pending: { state: "succeeded", money: "credit" },
  failed: { state: "succeeded", money: "credit" },
  expired: { state: "succeeded", money: "credit" },
  review: { state: "succeeded", money: "credit" },
};

const TABLE: Readonly<Record<TopupEvent["kind"], Partial<Record<TopupState, TopupStep>>>> = {
  paid: PAID,
  failed: { pending: { state: "failed", money: null }, review: { state: "failed", money: null } },
  expired: { pending: { state: "expired", money: null } },
  refunded: { succeeded: { state: "refunded", money: "take_back" }, disputed: { state: "refunded", money: null } },
  disputed: { succeeded: { state: "disputed", money: "take_back" } },
  dispute_won: { disputed: { state: "succeeded", money: "give_again" } },
  dispute_lost: { disputed: { state: "refunded", money: null } },
};

/** Null if the event changes nothing in this state (repeated or too late). */
export function topupAfter(topup: LedgerTopup, event: TopupEvent): TopupStep | null {
  const step = TABLE[event.kind][topup.state] ?? null;
  if (step === null || event.kind !== "paid") return step;
  const { amountMicro = topup.amountMicro, currency = "EUR" } = event;
  const isAsAgreed = amountMicro === topup.amountMicro && currency.toUpperCase() === "EUR";
  if (isAsAgreed) return step;
  return topup.state === "review" ? null : { state: "review", money: null };
}

/**
 * Schedule of provider checks for a payment without events, because events can get lost: after 5 minutes, then at
 * doubling intervals, the last after 3 days. Checkouts end within one day.
 */
const FIRST_MS = 5 * 60_000;
const LAST_MS = 3 * 24 * 3_600_000;

/**
 * The first check after `now`, or null after the last one. A rail that was down checks once when it is back, and then
 * continues.
 */
export function nextCheck(createdAt: number, now: number): number | null {
  for (let interval = FIRST_MS, after = interval; after < LAST_MS; interval *= 2, after += interval)
    if (createdAt + after > now) return createdAt + after;
  return createdAt + LAST_MS > now ? createdAt + LAST_MS : null;
}

/**
 * After a provider failure, retries soon, even after the last scheduled check, so that an outage does not skip the
 * final check.
 */
export function checkAfterFailure(now: number): number {
  return now + FIRST_MS;
}

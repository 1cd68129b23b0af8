/**
 * Top-ups: a payment that the payer makes elsewhere, and what may become of it. Events arrive from a provider any number of times and
 * in any order; the table decides, and money moves only where a state changes. Late money is money: what failed or expired may still
 * succeed. What does not fit (another amount, another currency) waits for the operator, uncredited.
 */
import type { ProviderName, TopupState } from "@triptych/contracts";

export interface LedgerTopup {
  readonly id: string;
  readonly walletId: string;
  readonly provider: ProviderName;
  /** How the provider calls it; null until its checkout was made. */
  readonly sessionRef: string | null;
  readonly state: TopupState;
  readonly amountMicro: number;
  readonly checkoutUrl: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** Entry of its credit; null while there is none. */
  readonly entryId: string | null;
  /** When the reconciler asks the provider next; null when there is nothing to ask. */
  readonly checkAt: number | null;
  readonly checks: number;
}

/** What a provider, the reconciler or the operator says. `paid` without figures takes those of the top-up. */
export type TopupEvent =
  | { readonly kind: "paid"; readonly amountMicro?: number; readonly currency?: string }
  | { readonly kind: "failed" | "expired" | "refunded" | "disputed" | "dispute_won" | "dispute_lost" };

/** What the event does: to the state, and to the money. */
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

/** null: the event changes nothing in this state (it came before, or too late to matter). */
export function topupAfter(topup: LedgerTopup, event: TopupEvent): TopupStep | null {
  const step = TABLE[event.kind][topup.state] ?? null;
  if (step === null || event.kind !== "paid") return step;
  const { amountMicro = topup.amountMicro, currency = "EUR" } = event;
  const isAsAgreed = amountMicro === topup.amountMicro && currency.toUpperCase() === "EUR";
  if (isAsAgreed) return step;
  return topup.state === "review" ? null : { state: "review", money: null };
}

/**
 * Movements other than charges; each one is one entry. The state table of a top-up ensures that it is credited only
 * once.
 */
import { STARTER_CREDIT_DAYS, STARTER_CREDIT_MICRO, type ProviderName } from "@triptych/contracts";
import { accounts } from "./entry.ts";
import type { UnitOfWork, LedgerCharge, LedgerWallet } from "./unit-of-work.ts";
import { chargeAfter } from "./charge-states.ts";
import { expirePromo, post, type Context, type Posted } from "./post-entry.ts";
import { reverse } from "./reverse-charge.ts";

const DAY_MS = 86_400_000;

export function grantStarter(unit: UnitOfWork, wallet: LedgerWallet, context: Context): Posted {
  const legs = [{ bucket: "promo", amountMicro: STARTER_CREDIT_MICRO, against: accounts.promoGranted } as const];
  const posted = post(unit, wallet, { kind: "starter", legs }, context);
  const granted = { ...posted.wallet, promoExpiresAt: context.now + STARTER_CREDIT_DAYS * DAY_MS };
  unit.saveWallet(granted);
  return { ...posted, wallet: granted };
}

export interface PaidTopup {
  readonly topupId: string;
  readonly provider: ProviderName;
  readonly amountMicro: number;
}

export interface Operated {
  readonly operator: string;
  readonly reason: string;
}

export function creditTopup(
  unit: UnitOfWork,
  wallet: LedgerWallet,
  { topup, by, context }: { topup: PaidTopup; by?: Operated; context: Context },
): Posted {
  const { topupId, provider, amountMicro } = topup;
  const legs = [{ bucket: "paid", amountMicro, against: accounts.cash(provider) } as const];
  return post(unit, wallet, { kind: "topup", topupId, legs, ...by }, context);
}

export interface TopupReversal extends PaidTopup {
  readonly kind: "refund" | "dispute";
  readonly reverses: string | null;
}

/** Returns money from the paid bucket to the payer. A shortfall is recorded as debt and freezes the wallet. */
export function takeBackTopup(
  unit: UnitOfWork,
  wallet: LedgerWallet,
  { topup, by, context }: { topup: TopupReversal; by?: Operated; context: Context },
): Posted & { readonly owedMicro: number } {
  const takenMicro = Math.min(wallet.paidMicro, topup.amountMicro);
  const owedMicro = topup.amountMicro - takenMicro;
  const cash = accounts.cash(topup.provider);
  const posted = post(
    unit,
    wallet,
    {
      kind: topup.kind,
      topupId: topup.topupId,
      legs: [{ bucket: "paid", amountMicro: -takenMicro, against: cash }],
      beside: [{ debit: accounts.receivable(wallet.id), credit: cash, amountMicro: owedMicro }],
      ...(topup.reverses !== null && { reverses: topup.reverses }),
      ...by,
    },
    context,
  );
  if (owedMicro === 0 || posted.wallet.status !== "active") return { ...posted, owedMicro };
  const frozen = { ...posted.wallet, status: "frozen" as const };
  unit.saveWallet(frozen);
  return { ...posted, wallet: frozen, owedMicro };
}

export function buy(
  unit: UnitOfWork,
  wallet: LedgerWallet,
  { sku, amountMicro, context }: { sku: string; amountMicro: number; context: Context },
): Posted | null {
  const current = expirePromo(unit, wallet, context);
  if (current.paidMicro < amountMicro) return null;
  const legs = [{ bucket: "paid", amountMicro: -amountMicro, against: accounts.purchases } as const];
  return post(unit, current, { kind: "purchase", legs, op: sku }, context);
}

/** Null if a negative amount exceeds the balance. */
export function adjust(
  unit: UnitOfWork,
  wallet: LedgerWallet,
  { amountMicro, by, context }: { amountMicro: number; by: Operated; context: Context },
): Posted | null {
  if (wallet.paidMicro + amountMicro < 0) return null;
  const legs = [{ bucket: "paid", amountMicro, against: accounts.adjustments } as const];
  return post(unit, wallet, { kind: "adjustment", legs, op: by.reason, ...by }, context);
}

/**
 * Refunds a delivered charge once; null in any other state. A refund of expired credit expires immediately, because no
 * later expiry run would find it, and the balance would include money that cannot be spent.
 */
export function refundCharge(
  unit: UnitOfWork,
  charge: LedgerCharge,
  { by, context }: { by: Operated; context: Context },
): LedgerCharge | null {
  const state = chargeAfter(charge.state, "refund");
  const wallet = unit.wallet(charge.walletId);
  if (state === null || wallet === undefined) return null;
  reverse(unit, wallet, { charge, kind: "refund", context, ...by });
  expirePromo(unit, unit.wallet(wallet.id) ?? wallet, context);
  const refunded = { ...charge, state };
  unit.saveCharge(refunded);
  return refunded;
}

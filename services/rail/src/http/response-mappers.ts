import { DECISION_PRICE_MICRO, type AnswerOf, type getCharge, type getWallet } from "@triptych/contracts";
import type { AutoTopup } from "../domain/auto-topup.ts";
import {
  budgetsOf,
  dayOf,
  monthOf,
  reachedCap,
  spendableMicro,
  spentIn,
  type Caps,
  type ReachedCap,
  type Spend,
} from "../domain/caps.ts";
import type { LedgerCharge } from "../domain/unit-of-work.ts";
import type { PurchaseRecord, WalletRecord } from "../domain/ledger.ts";
import type { SubTokenRecord } from "../domain/sub-tokens.ts";
import type { OpenedWallet } from "../domain/open-wallet.ts";
import type { Rail } from "../domain/rail.ts";
import type { LedgerTopup } from "../domain/topup-state.ts";

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/**
 * The balance, which excludes expired promo money even before its entry is written. `spendableMicro` is what this token
 * can spend within all caps; a sub-token sees only that.
 */
export function spendableOf(
  wallet: WalletRecord,
  { clock, token = null }: Pick<Rail, "clock"> & { readonly token?: SubTokenRecord | null },
) {
  const isOver = wallet.promoExpiresAt !== null && wallet.promoExpiresAt <= clock.expiryTime();
  const promoMicro = isOver ? 0 : wallet.promoMicro;
  const wholeMicro = wallet.paidMicro + promoMicro;
  const next = { amountMicro: DECISION_PRICE_MICRO, now: clock.now() };
  const budgets = budgetsOf(wallet, token);
  const spendable = spendableMicro(wholeMicro, budgets, next);
  const reached = wholeMicro < DECISION_PRICE_MICRO ? null : reachedCap(budgets, next);
  const balanceMicro = token === null ? wholeMicro : spendable;
  const seenPromoMicro = Math.min(promoMicro, balanceMicro);
  return {
    paidMicro: balanceMicro - seenPromoMicro,
    promoMicro: seenPromoMicro,
    balanceMicro,
    spendableMicro: spendable,
    reached,
  };
}

export function toCapsResponse(caps: Caps) {
  return {
    per_charge_micro: caps.per_charge,
    per_day_micro: caps.per_day,
    per_month_micro: caps.per_month,
    total_micro: caps.total,
  };
}

export function toSpentResponse({ day, month, totalMicro }: Spend, now: number) {
  return {
    day_micro: spentIn(day, dayOf(now)) ?? 0,
    month_micro: spentIn(month, monthOf(now)) ?? 0,
    total_micro: totalMicro,
  };
}

export function toReachedResponse({ cap, owner, limitMicro, spentMicro, resetsAt }: ReachedCap) {
  return { cap, owner, limit_micro: limitMicro, spent_micro: spentMicro, resets_at: isoOrNull(resetsAt) };
}

export function decisionsIn(balanceMicro: number): number {
  return Math.floor(balanceMicro / DECISION_PRICE_MICRO);
}

interface WalletView {
  readonly auto: AutoTopup | null;
  /** The sub-token of the request. */
  readonly token?: SubTokenRecord | null;
}

export function toWalletResponse(
  { emails, clock }: Pick<Rail, "emails" | "clock">,
  wallet: WalletRecord,
  { auto, token = null }: WalletView,
): AnswerOf<typeof getWallet> {
  const { balanceMicro, paidMicro, promoMicro, spendableMicro: spendable } = spendableOf(wallet, { clock, token });
  const { caps, spend } = token ?? wallet;
  return {
    wallet_id: wallet.id,
    status: wallet.status,
    label: wallet.label,
    email_masked: wallet.emailSealed === null || token !== null ? null : emails.masked(wallet.emailSealed, wallet.id),
    token_hint: token?.hint ?? wallet.tokenHint,
    currency: "EUR",
    balance_micro: balanceMicro,
    paid_micro: paidMicro,
    promo_micro: promoMicro,
    promo_expires_at: isoOrNull(wallet.promoExpiresAt),
    decisions_remaining: decisionsIn(spendable),
    price_micro: DECISION_PRICE_MICRO,
    low_balance_micro: wallet.lowBalanceMicro,
    auto_topup: auto === null ? null : toAutoTopupResponse(auto),
    caps: toCapsResponse(caps),
    spent: toSpentResponse(spend, clock.now()),
    alerts: [...wallet.alerts],
    token: token === null ? null : toPresentedResponse(token),
    created_at: isoTime(wallet.createdAt),
  };
}

function toAutoTopupResponse({ thresholdMicro, amountMicro, maxPerMonth, paymentRef, stopped }: AutoTopup) {
  const working = paymentRef === null ? ("needs_payment_method" as const) : ("active" as const);
  return {
    threshold_micro: thresholdMicro,
    amount_micro: amountMicro,
    max_per_month: maxPerMonth,
    status: stopped === null ? working : ("stopped" as const),
    stop_reason: stopped?.reason ?? null,
    stopped_at: isoOrNull(stopped?.at ?? null),
  };
}

type PresentedToken = NonNullable<AnswerOf<typeof getWallet>["token"]>;

function toPresentedResponse({ id, name, ops, expiresAt }: SubTokenRecord): PresentedToken {
  const allowed = ops === null ? null : ([...ops] as PresentedToken["ops"]);
  return { token_id: id, name, ops: allowed, expires_at: isoOrNull(expiresAt) };
}

export function toCreatedWalletResponse(
  { url, clock }: Pick<Rail, "url" | "clock">,
  { wallet, starter, token }: OpenedWallet,
) {
  const { balanceMicro, promoMicro } = spendableOf(wallet, { clock });
  const address = (path: string) => url() + path;
  return {
    wallet_id: wallet.id,
    wallet_token: token,
    currency: "EUR",
    balance_micro: balanceMicro,
    decisions_remaining: decisionsIn(balanceMicro),
    starter_credit: { amount_micro: promoMicro, status: starter },
    created_at: isoTime(wallet.createdAt),
    links: {
      self: address("/v1/wallets/me"),
      topup: address("/v1/topup"),
      entries: address("/v1/wallets/me/entries"),
      pricing: address("/v1/catalog"),
    },
  };
}

export async function toChargeResponse(
  { keys }: Pick<Rail, "keys">,
  charge: LedgerCharge,
): Promise<AnswerOf<typeof getCharge>> {
  return {
    charge_id: charge.id,
    wallet_id: charge.walletId,
    state: charge.state,
    op: charge.op,
    qty: charge.qty,
    price_id: charge.priceId,
    amount_micro: charge.amountMicro,
    balance_after_micro: charge.balanceAfterMicro,
    wallet_seq: charge.walletSeq,
    created_at: isoTime(charge.createdAt),
    delivered_at: isoOrNull(charge.deliveredAt),
    voided_at: isoOrNull(charge.voidedAt),
    void_reason: charge.voidReason,
    token_id: charge.tokenId,
    receipt: await keys.receiptOf(charge),
  };
}

export function toTopupResponse(topup: LedgerTopup, balanceMicro: number) {
  return {
    topup_id: topup.id,
    status: topup.state,
    provider: topup.provider,
    amount_micro: topup.amountMicro,
    currency: "EUR",
    checkout_url: topup.state === "pending" ? topup.checkoutUrl : null,
    balance_micro: balanceMicro,
    created_at: isoTime(topup.createdAt),
    expires_at: isoOrNull(topup.expiresAt),
    automatic: topup.paymentRef !== undefined,
  };
}

export async function toPurchaseResponse({ keys }: Pick<Rail, "keys">, purchase: PurchaseRecord, balanceMicro: number) {
  return {
    purchase_id: purchase.id,
    entitlement_id: purchase.entitlementId,
    sku: purchase.sku,
    ref: purchase.ref,
    amount_micro: purchase.amountMicro,
    balance_micro: balanceMicro,
    receipt: await keys.receiptOf(purchase),
  };
}

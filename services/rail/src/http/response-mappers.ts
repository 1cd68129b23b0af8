import { DECISION_PRICE_MICRO, type AnswerOf, type getCharge, type getWallet } from "@triptych/contracts";
import type { AutoTopup } from "../domain/auto-topup.ts";
import type { LedgerCharge } from "../domain/unit-of-work.ts";
import type { PurchaseRecord, WalletRecord } from "../domain/ledger.ts";
import type { OpenedWallet } from "../domain/open-wallet.ts";
import type { Rail } from "../domain/rail.ts";
import type { LedgerTopup } from "../domain/topup-state.ts";

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** The spendable balance: expired promo money is excluded before its entry is written. */
export function spendableOf(wallet: WalletRecord, { clock }: Pick<Rail, "clock">) {
  const isOver = wallet.promoExpiresAt !== null && wallet.promoExpiresAt <= clock.expiryTime();
  const promoMicro = isOver ? 0 : wallet.promoMicro;
  return { paidMicro: wallet.paidMicro, promoMicro, balanceMicro: wallet.paidMicro + promoMicro };
}

export function decisionsIn(balanceMicro: number): number {
  return Math.floor(balanceMicro / DECISION_PRICE_MICRO);
}

export function toWalletResponse(
  { emails, clock }: Pick<Rail, "emails" | "clock">,
  wallet: WalletRecord,
  auto: AutoTopup | null,
): AnswerOf<typeof getWallet> {
  const { balanceMicro, paidMicro, promoMicro } = spendableOf(wallet, { clock });
  return {
    wallet_id: wallet.id,
    status: wallet.status,
    label: wallet.label,
    email_masked: wallet.emailSealed === null ? null : emails.masked(wallet.emailSealed, wallet.id),
    token_hint: wallet.tokenHint,
    currency: "EUR",
    balance_micro: balanceMicro,
    paid_micro: paidMicro,
    promo_micro: promoMicro,
    promo_expires_at: isoOrNull(wallet.promoExpiresAt),
    decisions_remaining: decisionsIn(balanceMicro),
    price_micro: DECISION_PRICE_MICRO,
    low_balance_micro: wallet.lowBalanceMicro,
    auto_topup: auto === null ? null : toAutoTopupResponse(auto),
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

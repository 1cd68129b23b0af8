import type { Boot, LedgerCharge, Transfer } from "../domain/unit-of-work.ts";
import type { JournalEntry } from "../domain/entry.ts";
import type { PurchaseRecord, StoredSigningKey } from "../domain/ledger.ts";
import type { LedgerTopup } from "../domain/topup-state.ts";
import type {
  ChargeRow,
  EntitlementRow,
  EntryRow,
  InstanceRow,
  SigningKeyRow,
  TopupRow,
  TransferRow,
} from "./tables.ts";

export function toEntry(row: EntryRow): JournalEntry {
  return {
    walletId: row.wallet_id,
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    amountMicro: row.amount_micro,
    balanceAfterMicro: row.balance_after_micro,
    chargeId: row.charge_id,
    topupId: row.topup_id,
    reverses: row.reverses,
    op: row.op,
    createdAt: row.created_at,
    prev: row.prev,
    tokenId: row.token_id,
  };
}

export function entryRow(entry: JournalEntry): EntryRow {
  return {
    wallet_id: entry.walletId,
    seq: entry.seq,
    id: entry.id,
    kind: entry.kind,
    amount_micro: entry.amountMicro,
    balance_after_micro: entry.balanceAfterMicro,
    charge_id: entry.chargeId,
    topup_id: entry.topupId,
    reverses: entry.reverses,
    op: entry.op,
    created_at: entry.createdAt,
    prev: entry.prev,
    token_id: entry.tokenId,
  };
}

export function toTransfer(row: TransferRow): Transfer {
  return {
    id: row.id,
    entryId: row.entry_id,
    debit: row.debit,
    credit: row.credit,
    amountMicro: row.amount_micro,
    reverses: row.reverses,
    at: row.at,
    operator: row.operator,
    reason: row.reason,
  };
}

export function transferRow(transfer: Transfer): TransferRow {
  return {
    id: transfer.id,
    entry_id: transfer.entryId,
    debit: transfer.debit,
    credit: transfer.credit,
    amount_micro: transfer.amountMicro,
    reverses: transfer.reverses,
    at: transfer.at,
    operator: transfer.operator,
    reason: transfer.reason,
  };
}

export function toBoot(row: InstanceRow): Boot {
  return {
    instance: row.instance,
    boot: row.boot,
    state: row.state,
    leaseUntil: row.lease_until,
    through: row.through,
  };
}

export function bootRow(boot: Boot): InstanceRow {
  return {
    instance: boot.instance,
    boot: boot.boot,
    state: boot.state,
    lease_until: boot.leaseUntil,
    through: boot.through,
  };
}

export function toCharge(row: ChargeRow): LedgerCharge {
  return {
    id: row.id,
    instance: row.instance,
    boot: row.boot,
    seq: row.seq,
    walletId: row.wallet_id,
    state: row.state,
    op: row.op,
    qty: row.qty,
    priceId: row.price_id,
    amountMicro: row.amount_micro,
    promoMicro: row.promo_micro,
    revenue: row.revenue,
    keyHash: row.key_hash,
    idk: row.idk,
    req: row.req,
    res: row.res,
    issuer: row.issuer,
    kid: row.kid,
    entryId: row.entry_id,
    walletSeq: row.wallet_seq,
    balanceAfterMicro: row.balance_after_micro,
    prev: row.prev,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
    voidedAt: row.voided_at,
    voidReason: row.void_reason,
    tokenId: row.token_id,
    spendableMicro: row.spendable_micro,
  };
}

export function chargeRow(charge: LedgerCharge): ChargeRow {
  return {
    id: charge.id,
    instance: charge.instance,
    boot: charge.boot,
    seq: charge.seq,
    wallet_id: charge.walletId,
    state: charge.state,
    op: charge.op,
    qty: charge.qty,
    price_id: charge.priceId,
    amount_micro: charge.amountMicro,
    promo_micro: charge.promoMicro,
    revenue: charge.revenue,
    key_hash: charge.keyHash,
    idk: charge.idk,
    req: charge.req,
    res: charge.res,
    issuer: charge.issuer,
    kid: charge.kid,
    entry_id: charge.entryId,
    wallet_seq: charge.walletSeq,
    balance_after_micro: charge.balanceAfterMicro,
    prev: charge.prev,
    created_at: charge.createdAt,
    delivered_at: charge.deliveredAt,
    voided_at: charge.voidedAt,
    void_reason: charge.voidReason,
    token_id: charge.tokenId,
    spendable_micro: charge.spendableMicro,
  };
}

export function toTopup(row: TopupRow): LedgerTopup {
  return {
    id: row.id,
    walletId: row.wallet_id,
    provider: row.provider,
    sessionRef: row.session_ref,
    state: row.state,
    amountMicro: row.amount_micro,
    checkoutUrl: row.checkout_url,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    entryId: row.entry_id,
    checkAt: row.check_at,
    checks: row.checks,
    ...(row.payment_ref !== null && { paymentRef: row.payment_ref }),
  };
}

export function topupRow(topup: LedgerTopup): TopupRow {
  return {
    id: topup.id,
    wallet_id: topup.walletId,
    provider: topup.provider,
    session_ref: topup.sessionRef,
    state: topup.state,
    amount_micro: topup.amountMicro,
    checkout_url: topup.checkoutUrl,
    created_at: topup.createdAt,
    expires_at: topup.expiresAt,
    entry_id: topup.entryId,
    check_at: topup.checkAt,
    checks: topup.checks,
    payment_ref: topup.paymentRef ?? null,
  };
}

export function toPurchase(row: EntitlementRow): PurchaseRecord {
  return {
    id: row.purchase_id,
    entitlementId: row.id,
    walletId: row.wallet_id,
    sku: row.sku,
    ref: row.ref,
    priceId: row.price_id,
    amountMicro: row.amount_micro,
    issuer: row.issuer,
    kid: row.kid,
    walletSeq: row.wallet_seq,
    balanceAfterMicro: row.balance_after_micro,
    prev: row.prev,
    createdAt: row.created_at,
  };
}

export function entitlementRow(purchase: PurchaseRecord): EntitlementRow {
  return {
    id: purchase.entitlementId,
    purchase_id: purchase.id,
    wallet_id: purchase.walletId,
    sku: purchase.sku,
    ref: purchase.ref,
    price_id: purchase.priceId,
    amount_micro: purchase.amountMicro,
    issuer: purchase.issuer,
    kid: purchase.kid,
    wallet_seq: purchase.walletSeq,
    balance_after_micro: purchase.balanceAfterMicro,
    prev: purchase.prev,
    created_at: purchase.createdAt,
  };
}

export function toSigningKey(row: SigningKeyRow): StoredSigningKey {
  return {
    kid: row.kid,
    x: row.x,
    sealed: row.sealed,
    createdAt: row.created_at,
    activeFrom: row.active_from,
    retiredAt: row.retired_at,
    notAfter: row.not_after,
  };
}

export function signingKeyRow(key: StoredSigningKey): SigningKeyRow {
  return {
    kid: key.kid,
    x: key.x,
    sealed: key.sealed,
    created_at: key.createdAt,
    active_from: key.activeFrom,
    retired_at: key.retiredAt,
    not_after: key.notAfter,
  };
}

/** Rows of wallets and of their sub-tokens. */
import type { Spend } from "../domain/caps.ts";
import type { WalletRecord } from "../domain/ledger.ts";
import type { LedgerWallet, SubToken } from "../domain/unit-of-work.ts";
import type { CappedRow, SpendRow, WalletOwnerRow, WalletRow } from "./tables.ts";

export function toWallet(row: WalletRow): LedgerWallet {
  return {
    id: row.id,
    status: row.status,
    paidMicro: row.paid_micro,
    promoMicro: row.promo_micro,
    promoExpiresAt: row.promo_expires_at,
    seq: row.seq,
    head: row.head,
    caps: {
      per_charge: row.per_charge_micro,
      per_day: row.per_day_micro,
      per_month: row.per_month_micro,
      total: null,
    },
    spend: toSpend(row),
  };
}

function toSpend(row: SpendRow): Spend {
  return {
    day: { number: row.day, micro: row.day_micro, beforeMicro: row.day_before_micro },
    month: { number: row.month, micro: row.month_micro, beforeMicro: row.month_before_micro },
    totalMicro: row.spent_micro,
  };
}

export function spendRow({ day, month, totalMicro }: Spend): SpendRow {
  return {
    day: day.number,
    day_micro: day.micro,
    day_before_micro: day.beforeMicro,
    month: month.number,
    month_micro: month.micro,
    month_before_micro: month.beforeMicro,
    spent_micro: totalMicro,
  };
}

export function toSubToken(row: CappedRow): SubToken {
  return {
    id: row.token_id,
    walletId: row.wallet_id,
    tokenHash: row.hash,
    ops: row.ops === null ? null : (JSON.parse(row.ops) as string[]),
    caps: {
      per_charge: row.per_charge_micro,
      per_day: row.per_day_micro,
      per_month: row.per_month_micro,
      total: row.total_micro,
    },
    spend: toSpend(row),
  };
}

export function walletRow(wallet: LedgerWallet): WalletRow {
  return {
    id: wallet.id,
    status: wallet.status,
    paid_micro: wallet.paidMicro,
    promo_micro: wallet.promoMicro,
    promo_expires_at: wallet.promoExpiresAt,
    seq: wallet.seq,
    head: wallet.head,
    per_charge_micro: wallet.caps.per_charge,
    per_day_micro: wallet.caps.per_day,
    per_month_micro: wallet.caps.per_month,
    ...spendRow(wallet.spend),
  };
}

export function toRecord(row: WalletRow & Omit<WalletOwnerRow, "wallet_id">): WalletRecord {
  return {
    ...toWallet(row),
    label: row.label,
    emailSealed: row.email_sealed,
    emailLookup: row.email_lookup,
    tokenHint: row.token_hint,
    lowBalanceMicro: row.low_balance_micro,
    alerts: JSON.parse(row.alerts) as number[],
    createdAt: row.created_at,
  };
}

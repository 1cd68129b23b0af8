/**
 * Double entry: each movement debits one account and credits another, so all totals add up to zero. A total is credits
 * minus debits. Wallet accounts are never negative.
 */
export type Bucket = "paid" | "promo";

export const accounts = {
  wallet: (walletId: string, bucket: Bucket) => `wallet:${walletId}:${bucket}`,
  /** One account per rail process, so that processes do not contend for one row. */
  decisions: (process: string) => `revenue:decisions:${process}`,
  purchases: "revenue:purchases",
  promoGranted: "promo:granted",
  cash: (provider: string) => `cash:${provider}`,
  fees: (provider: string) => `fees:${provider}`,
  /** The debt of a wallet after a refund of money that was already spent. */
  receivable: (walletId: string) => `receivable:${walletId}`,
  /** The counter account of operator adjustments. */
  adjustments: "adjustments",
} as const;

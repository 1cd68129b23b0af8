/**
 * Double entry: every movement takes from one account and gives to another, so the totals of all accounts add up to zero. A total is
 * what was credited minus what was debited; those of wallets are what their owners hold and never negative.
 */
export type Bucket = "paid" | "promo";

export const accounts = {
  wallet: (walletId: string, bucket: Bucket) => `wallet:${walletId}:${bucket}`,
  /** Owned by one rail process, so that no two wait for the same row. */
  decisions: (process: string) => `revenue:decisions:${process}`,
  purchases: "revenue:purchases",
  promoGranted: "promo:granted",
  cash: (provider: string) => `cash:${provider}`,
  fees: (provider: string) => `fees:${provider}`,
  /** What a wallet owes after a refund of money that was spent. */
  receivable: (walletId: string) => `receivable:${walletId}`,
  /** The other side of what an operator adjusts. */
  adjustments: "adjustments",
} as const;

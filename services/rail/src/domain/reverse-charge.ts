/** Reverses a charge: its money returns to its buckets, and its price is subtracted from the spending of its window. */
import { spendAfter } from "./caps.ts";
import { post, transferId, type Context, type Posting } from "./post-entry.ts";
import type { LedgerCharge, LedgerWallet, UnitOfWork } from "./unit-of-work.ts";

interface Reversal {
  readonly charge: LedgerCharge;
  readonly kind: "void" | "refund";
  readonly context: Context;
  readonly operator?: string;
  readonly reason?: string;
}

export function reverse(unit: UnitOfWork, wallet: LedgerWallet, { charge, kind, context, ...by }: Reversal): void {
  const { revenue: against, entryId, promoMicro, tokenId, amountMicro, createdAt } = charge;
  const leg = (bucket: "promo" | "paid", amountMicro: number): Posting => {
    return { bucket, amountMicro, against, reverses: transferId(entryId, bucket) };
  };
  const legs = [leg("promo", promoMicro), leg("paid", charge.amountMicro - promoMicro)];
  // Subtract from the window in which it was charged.
  const spending = { ...wallet, spend: spendAfter(wallet.spend, -amountMicro, createdAt) };
  post(unit, spending, { kind, legs, chargeId: charge.id, reverses: entryId, op: charge.op, tokenId, ...by }, context);
  const token = tokenId === null ? undefined : unit.subToken(tokenId);
  if (token !== undefined) unit.saveSubToken({ ...token, spend: spendAfter(token.spend, -amountMicro, createdAt) });
}

/** Promo money has an end. What is left of it then goes back to where it came from, before anything else happens to the wallet. */
import { accounts } from "./accounts.ts";
import type { UnitOfWork, LedgerWallet } from "./unit-of-work.ts";
import { post, type Context } from "./post-entry.ts";

/** The wallet as it is now. */
export function expirePromo(unit: UnitOfWork, wallet: LedgerWallet, context: Context): LedgerWallet {
  const { expiryTime = context.now } = context;
  const { promoMicro, promoExpiresAt } = wallet;
  if (promoMicro === 0 || promoExpiresAt === null || promoExpiresAt > expiryTime) return wallet;
  const legs = [{ bucket: "promo", amountMicro: -promoMicro, against: accounts.promoGranted } as const];
  return post(unit, wallet, { kind: "promo_expired", legs }, context).wallet;
}

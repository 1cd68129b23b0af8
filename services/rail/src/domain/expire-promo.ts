/** Promo money expires. The rest returns to its source before any other movement of the wallet. */
import { accounts } from "./accounts.ts";
import type { UnitOfWork, LedgerWallet } from "./unit-of-work.ts";
import { post, type Context } from "./post-entry.ts";

/** Returns the updated wallet. */
export function expirePromo(unit: UnitOfWork, wallet: LedgerWallet, context: Context): LedgerWallet {
  const { expiryTime = context.now } = context;
  const { promoMicro, promoExpiresAt } = wallet;
  if (promoMicro === 0 || promoExpiresAt === null || promoExpiresAt > expiryTime) return wallet;
  const legs = [{ bucket: "promo", amountMicro: -promoMicro, against: accounts.promoGranted } as const];
  return post(unit, wallet, { kind: "promo_expired", legs }, context).wallet;
}

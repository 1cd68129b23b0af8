/** Parameters per statement. An installation has few gateways; voiding a boot affects a few thousand wallets. */
const NAMES_AT_ONCE = 1_024;

/** Splits a list into portions that fit one statement. */
export function portions<T>(all: readonly T[], size = NAMES_AT_ONCE): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}

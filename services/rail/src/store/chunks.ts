/** Names in one statement; an installation has few gateways, a void of a whole boot few thousand wallets. */
const NAMES_AT_ONCE = 1_024;

/** A list in parts that a statement can hold. */
export function portions<T>(all: readonly T[], size = NAMES_AT_ONCE): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}

/** Addresses of the public internet, by the registries that ipaddr.js knows. */
import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  // Of IPv6, only 2000::/3 is in use.
  const isInUse = parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isInUse && parsed.range() === "unicast";
}

/** The resolved address to connect to, which prevents DNS rebinding. Null: no public address. */
export async function publicAddressOf(host: string): Promise<string | null> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const every = found.length > 0 && found.every(({ address }) => isPublic(address));
  return every ? found[0].address : null;
}

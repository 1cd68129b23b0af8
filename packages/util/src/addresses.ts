import ipaddr from "ipaddr.js";

/** By the registries in ipaddr.js; null: not a literal address. */
export function scopeOfAddress(text: string): "public" | "private" | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.parse(text);
  // Of IPv6, only 2000::/3 is in use.
  const isInUse = address instanceof ipaddr.IPv4 || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isInUse && address.range() === "unicast" ? "public" : "private";
}

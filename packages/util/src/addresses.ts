import ipaddr from "ipaddr.js";

/** Uses the registries in ipaddr.js. Null if the text is not a literal address. */
export function scopeOfAddress(text: string): "public" | "private" | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.parse(text);
  // Only 2000::/3 of the IPv6 space is in use.
  const isInUse = address instanceof ipaddr.IPv4 || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isInUse && address.range() === "unicast" ? "public" : "private";
}

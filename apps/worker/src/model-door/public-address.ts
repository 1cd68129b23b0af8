/** Addresses of the public internet: everything that is reserved for something else is none. */
import { lookup } from "node:dns/promises";
import { BlockList, isIPv6 } from "node:net";

const reserved = new BlockList();
const V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
for (const [net, prefix] of V4) reserved.addSubnet(net, prefix, "ipv4");
// Of IPv6, 2000::/3 is in use; within it stand tunnels that lead to any address of IPv4, and documentation.
const publicV6 = new BlockList();
publicV6.addSubnet("2000::", 3, "ipv6");
for (const [net, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  reserved.addSubnet(net, prefix, "ipv6");

export function isPublic(address: string): boolean {
  if (isIPv6(address)) return publicV6.check(address, "ipv6") && !reserved.check(address, "ipv6");
  return !reserved.check(address, "ipv4");
}

/** The address to connect to, so that the name cannot lead elsewhere a moment later. Null: none that is public. */
export async function publicAddressOf(host: string): Promise<string | null> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const every = found.length > 0 && found.every(({ address }) => isPublic(address));
  return every ? found[0].address : null;
}

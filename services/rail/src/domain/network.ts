/** The network of a caller for rate limits: an IPv4 address, or the /64 that an IPv6 subscriber usually has. */

export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  return `${groupsOf(address).slice(0, 4).join(":")}::/64`;
}

export function isLoopback(address: string): boolean {
  return address === "::1" || networkOf(address).startsWith("127.");
}

function groupsOf(address: string): string[] {
  const [head = "", tail] = address.toLowerCase().split("%", 1)[0].split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, "")));
  if (tail === undefined) return groups(head);
  const [left, right] = [groups(head), groups(tail)];
  return [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0"), ...right];
}

import { lookup } from "node:dns/promises";
import { scopeOfAddress } from "@triptych/util/addresses";

/** The resolved address to connect to, which prevents DNS rebinding; null if there is no public one. */
export async function publicAddressOf(host: string): Promise<string | null> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const every = found.length > 0 && found.every(({ address }) => scopeOfAddress(address) === "public");
  return every ? found[0].address : null;
}

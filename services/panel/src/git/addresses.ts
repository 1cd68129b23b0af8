/** Resolves a host once and pins the checked address, so that a later DNS change cannot redirect the connection. */
import { lookup as lookUp } from "node:dns/promises";
import { isPrivateHost } from "../domain/repo-address.ts";

export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** The address of a host, IPv6 in brackets; null if any is allowed. Throws `Unreachable`. */
export type Resolve = (host: string) => Promise<string | null>;

type Lookup = (
  name: string,
  options: { readonly all: true },
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export const anyAddress: Resolve = () => Promise.resolve(null);

/** Refuses a name with any private address: which one gets used would be random. */
export function publicAddresses(lookup: Lookup = lookUp): Resolve {
  return async (host) => {
    const name = host.replace(/^\[|\]$/g, "");
    const addresses = await lookup(name, { all: true }).catch(() => []);
    const [first] = addresses;
    if (first === undefined) throw new Unreachable(`cannot resolve host ${name}`);
    if (addresses.some(({ address }) => isPrivateHost(address)))
      throw new Unreachable(`${name} is in a private network`);
    return first.family === 6 ? `[${first.address}]` : first.address;
  };
}

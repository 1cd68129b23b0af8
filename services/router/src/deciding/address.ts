/**
 * The server that decides: a gateway, a router, or a third-party server with a compatible API. A credential is sent
 * only to the kind of server that it belongs to.
 */
import { isRecord } from "@triptych/util";

export interface ServiceAccess {
  readonly url: string;
  readonly secret?: string;
}

/** Addresses and credentials of the caller's own services. */
export interface OwnServices {
  readonly gateway: ServiceAccess;
  readonly router: ServiceAccess;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface DecisionAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Micro-euros per decision; null if the server publishes no price. */
  readonly priceMicro: number | null;
}

export interface AddressParts {
  readonly own: OwnServices;
  readonly environment: Environment;
  readonly fetch: typeof fetch;
}

/** Without a URL, uses the gateway if there is a wallet token for it, otherwise the router. */
export async function openAddress(url: string | undefined, parts: AddressParts): Promise<DecisionAddress> {
  const { gateway, router } = parts.own;
  const target = trimmed(url ?? (gateway.secret === undefined ? router.url : gateway.url));
  const pricing = await readPricing(target, parts.fetch);
  const headers = headersOf(credentialFor(target, pricing.kind, parts));
  return { url: target, headers, priceMicro: pricing.priceMicro };
}

type Kind = "gateway" | "router" | "foreign";

interface Credential {
  readonly kind: Kind;
  readonly secret: string | undefined;
}

function credentialFor(url: string, kind: Kind, { own, environment }: AddressParts): Credential {
  if (kind === "foreign") return { kind, secret: environment["DECISIONS_TOKEN"] };
  const { url: known, secret } = own[kind];
  // A stored credential is sent only to its own address; an environment variable is sent to any server of its kind.
  const variable = environment[kind === "gateway" ? "WALLET_TOKEN" : "ROUTER_TOKEN"];
  return { kind, secret: trimmed(known) === url ? secret : variable };
}

function headersOf({ kind, secret }: Credential): Readonly<Record<string, string>> {
  if (secret === undefined || secret === "") return {};
  return kind === "gateway" ? { "X-Rail-Wallet": secret } : { Authorization: `Bearer ${secret}` };
}

interface Pricing {
  readonly kind: Kind;
  readonly priceMicro: number | null;
}

const FOREIGN: Pricing = { kind: "foreign", priceMicro: null };
const PRICING_TIMEOUT_MS = 10_000;

/** `/pricing` needs no credential, and only Triptych services have it in this form. */
async function readPricing(url: string, request: typeof fetch): Promise<Pricing> {
  const response = await request(`${url}/pricing`, {
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(PRICING_TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Error(`No response from ${url}.`, { cause: error });
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok || !isRecord(body) || !isRecord(body["price"]) || !isRecord(body["billing"])) return FOREIGN;
  const { amount_micro: priceMicro } = body["price"];
  const { wallet_required: needsWallet } = body["billing"];
  if (typeof priceMicro !== "number" || typeof needsWallet !== "boolean") return FOREIGN;
  return { kind: needsWallet ? "gateway" : "router", priceMicro };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}

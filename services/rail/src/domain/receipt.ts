/**
 * Receipts: a compact JWS (RFC 7515) over the facts of a charge or purchase, signed with Ed25519. Header and claims are canonical
 * JSON and Ed25519 is deterministic, so the receipt of a stored charge can be made again, byte for byte, for as long as its key
 * is kept. Where many are signed at once they go to the threads of the crypto library: the one that answers requests has better things to do.
 */
import { createHash, sign, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { canonicalJson } from "@triptych/contracts";
import type { LedgerCharge } from "./unit-of-work.ts";
import { shortHash } from "./entry.ts";
import type { PurchaseRecord } from "./ledger.ts";

/** Two names of one algorithm: RFC 8037, which every library knows, and RFC 9864, which replaces it. */
export const ALGORITHM_NAMES = ["EdDSA", "Ed25519"] as const;
export type AlgorithmName = (typeof ALGORITHM_NAMES)[number];

export interface SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  /** How its receipts name the algorithm. Bound to the key, so that old receipts stay as they were. */
  readonly algorithm: AlgorithmName;
  readonly privateKey: KeyObject;
}

export const RECEIPT_TYPE = "rail-receipt+jwt";
/** Longest address of a rail (`iss`) with which every receipt keeps within the 800 bytes that a header may be trusted to carry. */
export const ISSUER_MAX = 47;
export const STATEMENT_TYPE = "rail-statement+jwt";

/** Claims of a charge. Times are seconds; amounts are micro-euros, as `exp10` says. */
export function receiptClaims(charge: LedgerCharge): Record<string, unknown> {
  return {
    ...movementClaims(charge),
    op: charge.op,
    qty: charge.qty,
    req: charge.req,
    res: charge.res,
    ...(charge.idk !== null && { idk: charge.idk }),
  };
}

/** Claims of a purchase: it answers no request, so it binds none. */
export function purchaseClaims(purchase: PurchaseRecord): Record<string, unknown> {
  return { ...movementClaims(purchase), op: "purchase", qty: 1 };
}

function movementClaims(of: LedgerCharge | PurchaseRecord): Record<string, unknown> {
  return {
    iss: of.issuer,
    sub: of.walletId,
    jti: of.id,
    iat: Math.floor(of.createdAt / 1000),
    price: of.priceId,
    amt: of.amountMicro,
    cur: "EUR",
    exp10: -6,
    bal: of.balanceAfterMicro,
    seq: of.walletSeq,
    prev: shortHash(of.prev),
  };
}

const signOnThread = promisify(sign);

/**
 * So many at once are signed where they are asked for: a signature takes 0.05 ms, and the way to another thread and back as much again of
 * the processor, and on a busy machine far more of the clock.
 */
const SIGNED_HERE_MAX = 8;

/** `among` so many that are signed at once. */
export async function signCompact(
  claims: Readonly<Record<string, unknown>>,
  type: string,
  { key, among }: { readonly key: SigningKey; readonly among: number },
): Promise<string> {
  const signed = `${headOf(key, type)}.${encodeJson(claims)}`;
  const bytes = Buffer.from(signed);
  const isSignedHere = among <= SIGNED_HERE_MAX;
  const signature = isSignedHere ? sign(null, bytes, key.privateKey) : await signOnThread(null, bytes, key.privateKey);
  return `${signed}.${signature.toString("base64url")}`;
}

/** Every token of a key and type begins with the same part: it is made once. */
function headOf(key: SigningKey, type: string): string {
  const cached = heads.get(key) ?? new Map<string, string>();
  heads.set(key, cached);
  const head = cached.get(type) ?? encodeJson({ alg: key.algorithm, kid: key.kid, typ: type });
  cached.set(type, head);
  return head;
}

const heads = new WeakMap<SigningKey, Map<string, string>>();

/** The same without its middle part: who has the document makes it again. */
export async function signDetached(
  document: Readonly<Record<string, unknown>>,
  type: string,
  key: SigningKey,
): Promise<string> {
  const [header, , signature] = (await signCompact(document, type, { key, among: 1 })).split(".");
  return `${header}..${signature}`;
}

/** RFC 7638: SHA-256 over the required members of the public key in their order. `x` is the public point, base64url. */
export function thumbprint(x: string): string {
  return createHash("sha256")
    .update(canonicalJson({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");
}

function encodeJson(value: Readonly<Record<string, unknown>>): string {
  return Buffer.from(canonicalJson(value)).toString("base64url");
}

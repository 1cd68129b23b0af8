/**
 * Receipts are compact JWS (RFC 7515), signed with Ed25519. Canonical JSON and deterministic signatures make a receipt
 * reproducible byte for byte as long as its key exists. Large sets are signed on the crypto library's threads.
 */
import { sign } from "node:crypto";
import { promisify } from "node:util";
import { canonicalJson } from "@triptych/contracts";
import type { SigningKey } from "@triptych/encryption";
import type { LedgerCharge } from "./unit-of-work.ts";
import { shortHash } from "./entry.ts";
import type { PurchaseRecord } from "./ledger.ts";

export const RECEIPT_TYPE = "rail-receipt+jwt";
/**
 * Longest rail address (`iss`) with which every receipt fits into 800 bytes (860 with `tok`), a safe size for a header.
 */
export const ISSUER_MAX = 47;
export const STATEMENT_TYPE = "rail-statement+jwt";

/** Claims of a charge. Times are seconds; amounts are micro-euros, as `exp10` states. */
export function receiptClaims(charge: LedgerCharge): Record<string, unknown> {
  return {
    ...movementClaims(charge),
    op: charge.op,
    qty: charge.qty,
    req: charge.req,
    res: charge.res,
    ...(charge.idk !== null && { idk: charge.idk }),
    ...(charge.tokenId !== null && { tok: charge.tokenId }),
  };
}

/** Claims of a purchase. It has no request or response digest. */
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
 * Up to this many receipts are signed on the calling thread. A signature takes 0.05 ms; a thread switch costs the same
 * CPU time and, on a busy machine, much more latency.
 */
const SIGNED_HERE_MAX = 8;

/** `among`: number of receipts signed together. */
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

function headOf(key: SigningKey, type: string): string {
  const cached = heads.get(key) ?? new Map<string, string>();
  heads.set(key, cached);
  const head = cached.get(type) ?? encodeJson({ alg: key.algorithm, kid: key.kid, typ: type });
  cached.set(type, head);
  return head;
}

const heads = new WeakMap<SigningKey, Map<string, string>>();

/** Omits the payload, which the owner of the document can rebuild. */
export async function signDetached(
  document: Readonly<Record<string, unknown>>,
  type: string,
  key: SigningKey,
): Promise<string> {
  const [header, , signature] = (await signCompact(document, type, { key, among: 1 })).split(".");
  return `${header}..${signature}`;
}

function encodeJson(value: Readonly<Record<string, unknown>>): string {
  return Buffer.from(canonicalJson(value)).toString("base64url");
}

/**
 * Receipts: a compact JWS (RFC 7515) over the facts of a charge, signed with Ed25519. Header and claims are canonical JSON and
 * Ed25519 is deterministic, so the receipt of a stored charge can be made again, byte for byte, for as long as its key is kept.
 */
import { createHash, sign, type KeyObject } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import type { LedgerCharge } from "./book.ts";
import { shownPrev } from "./entry.ts";

export interface SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly privateKey: KeyObject;
}

export const RECEIPT_TYPE = "rail-receipt+jwt";
export const STATEMENT_TYPE = "rail-statement+jwt";

/** Claims of a charge. Times are seconds; amounts are micro-euros, as `exp10` says. */
export function receiptClaims(charge: LedgerCharge): Record<string, unknown> {
  return {
    iss: charge.issuer,
    sub: charge.walletId,
    jti: charge.id,
    iat: Math.floor(charge.createdAt / 1000),
    op: charge.op,
    qty: charge.qty,
    price: charge.priceId,
    amt: charge.amountMicro,
    cur: "EUR",
    exp10: -6,
    bal: charge.balanceAfterMicro,
    seq: charge.walletSeq,
    prev: shownPrev(charge.prev),
    req: charge.req,
    res: charge.res,
    ...(charge.idk !== null && { idk: charge.idk }),
  };
}

export function signCompact(claims: Readonly<Record<string, unknown>>, type: string, key: SigningKey): string {
  const header = encodeJson({ alg: "EdDSA", kid: key.kid, typ: type });
  const signed = `${header}.${encodeJson(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString("base64url")}`;
}

/** The same without its middle part: who has the document makes it again. */
export function signDetached(document: Readonly<Record<string, unknown>>, type: string, key: SigningKey): string {
  const [header, , signature] = signCompact(document, type, key).split(".");
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

/**
 * Verifies a receipt offline with the rail's published keys (WebCrypto): the signature, and the match with request
 * and response. Base64url must be canonical, so that no other text verifies.
 */
import { canonicalJson } from "@triptych/contracts";

/** `/.well-known/jwks.json` of the rail. */
export interface ReceiptKeys {
  readonly keys: readonly { readonly kid: string; readonly kty: string; readonly crv: string; readonly x: string }[];
}

/** `/.well-known/revoked-keys.json` of the rail. */
export interface RevokedReceiptKeys {
  readonly keys: readonly {
    readonly kid: string;
    readonly not_after: string;
    readonly jwk: ReceiptKeys["keys"][number];
  }[];
}

export interface ReceiptEvidence {
  readonly revoked?: RevokedReceiptKeys;
  /** The request: `req` must be its digest. */
  readonly request?: { readonly method: string; readonly path: string; readonly body: unknown };
  /** The response bytes: `res` must be their digest. */
  readonly body?: string | Uint8Array;
}

export type ReceiptError =
  | "malformed"
  | "key_unknown"
  | "signature_invalid"
  | "key_revoked"
  | "request_differs"
  | "body_differs";

export type ReceiptVerdict =
  | { readonly isGood: true; readonly kid: string; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly isGood: false; readonly error: ReceiptError };

export async function verifyReceipt(
  receipt: string,
  jwks: ReceiptKeys,
  { revoked, request, body }: ReceiptEvidence = {},
): Promise<ReceiptVerdict> {
  const parts = receipt.split(".").map(decode);
  const [header, claims] = parts.map((part) => (part === null ? null : parse(part)));
  const [, , signature] = parts;
  if (parts.length !== 3 || header == null || claims == null || signature == null || !isReceiptHeader(header))
    return bad("malformed");

  const withdrawn = revoked?.keys.find(({ kid }) => kid === header.kid);
  const key = withdrawn?.jwk ?? jwks.keys.find(({ kid }) => kid === header.kid);
  if (key === undefined) return bad("key_unknown");
  const signed = utf8(receipt.slice(0, receipt.lastIndexOf(".")));
  if (!(await isSigned(signed, { signature, x: key.x, kid: header.kid }))) return bad("signature_invalid");
  if (withdrawn !== undefined && !(Number(claims.iat) * 1000 < Date.parse(withdrawn.not_after)))
    return bad("key_revoked");

  if (request !== undefined) {
    const text = `${request.method}\n${request.path}\n${canonicalJson(request.body)}`;
    if (claims.req !== (await digest(utf8(text)))) return bad("request_differs");
  }
  if (body !== undefined) {
    const bytes = typeof body === "string" ? utf8(body) : Uint8Array.from(body);
    if (claims.res !== (await digest(bytes))) return bad("body_differs");
  }
  return { isGood: true, kid: header.kid, claims };
}

type Bytes = Uint8Array<ArrayBuffer>;

function bad(error: ReceiptError): ReceiptVerdict {
  return { isGood: false, error };
}

function isReceiptHeader(header: Readonly<Record<string, unknown>>): header is { kid: string } {
  const { alg, typ, kid } = header;
  return typ === "rail-receipt+jwt" && (alg === "EdDSA" || alg === "Ed25519") && typeof kid === "string";
}

/** Rejects a key whose ID is not its own thumbprint (RFC 7638). */
async function isSigned(signed: Bytes, by: { signature: Bytes; x: string; kid: string }): Promise<boolean> {
  const { x, kid, signature } = by;
  if ((await digest(utf8(canonicalJson({ crv: "Ed25519", kty: "OKP", x })))) !== kid) return false;
  const point = decode(x);
  if (point?.length !== 32) return false;
  const key = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
  return await crypto.subtle.verify("Ed25519", key, signature, signed);
}

async function digest(bytes: Bytes): Promise<string> {
  return encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function parse(bytes: Bytes): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function decode(text: string): Bytes | null {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return null;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
  return encode(bytes) === text ? bytes : null;
}

function encode(bytes: Bytes): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Verifies a receipt offline with the rail's published keys: its signature, its claims, and that it matches the request
 * and response.
 */
import {
  digest,
  keysOf,
  requestDigest,
  verifyReceipt as verifySigned,
  type Claims,
  type ReceiptErrorCode,
} from "./receipt.js";

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

export type ReceiptError = ReceiptErrorCode | "request_differs" | "body_differs";

export type ReceiptVerdict =
  | { readonly isGood: true; readonly kid: string; readonly claims: Readonly<Claims> }
  | { readonly isGood: false; readonly error: ReceiptError };

export async function verifyReceipt(
  receipt: string,
  jwks: ReceiptKeys,
  { revoked, request, body }: ReceiptEvidence = {},
): Promise<ReceiptVerdict> {
  const verdict = await verifySigned(receipt, keysOf([revoked, jwks]));
  if (!verdict.good) return { isGood: false, error: verdict.error };
  const { kid, claims } = verdict;
  if (request !== undefined && claims.req !== (await requestDigest(request)))
    return { isGood: false, error: "request_differs" };
  if (body !== undefined) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.from(body);
    if (claims.res !== (await digest(bytes))) return { isGood: false, error: "body_differs" };
  }
  return { isGood: true, kid, claims };
}

/** What a receipt binds: the digests that gateway, rail and client make alike. All are SHA-256. */
import { hash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";

/** Whoever has written the body in canonical form already need not do it twice. */
export type DigestInput = { readonly method: string; readonly path: string } & (
  | { readonly body: unknown }
  | { readonly canonicalBody: string }
);

/** `req`: over `METHOD LF path LF canonical body`, base64url. White space and the order of keys make no difference. */
export function requestDigest(input: DigestInput): string {
  return hash("sha256", requestText(input), "base64url");
}

export function requestText({ method, path, ...content }: DigestInput): string {
  return `${method}\n${path}\n${"canonicalBody" in content ? content.canonicalBody : canonicalJson(content.body)}`;
}

/** `res`: over the bytes of the answer, which is sent in canonical form; base64url. */
export function bodyDigest(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "base64url");
}

/** How a gateway names a wallet to the rail: lower-case hex over the whole token. */
export function walletHashOf(token: string): string {
  return hash("sha256", token, "hex");
}

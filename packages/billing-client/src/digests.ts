/** The digests in a receipt, computed identically by gateway, rail and client. All are SHA-256. */
import { hash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";

/** Callers that already have the canonical body pass it, to avoid serializing twice. */
export type DigestInput = { readonly method: string; readonly path: string } & (
  | { readonly body: unknown }
  | { readonly canonicalBody: string }
);

/** `req`: over `METHOD LF path LF canonical body`, base64url. White space and key order do not matter. */
export function requestDigest(input: DigestInput): string {
  return hash("sha256", requestText(input), "base64url");
}

export function requestText({ method, path, ...content }: DigestInput): string {
  return `${method}\n${path}\n${"canonicalBody" in content ? content.canonicalBody : canonicalJson(content.body)}`;
}

/** `res`: over the bytes of the canonical response; base64url. */
export function bodyDigest(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "base64url");
}

/** Identifies a wallet to the rail: lower-case hex over the complete token. */
export function walletHashOf(token: string): string {
  return hash("sha256", token, "hex");
}

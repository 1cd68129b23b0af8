import { createPublicKey, verify } from "node:crypto";
import { ALGORITHM_NAMES, thumbprint } from "@triptych/encryption";

/** A key of jwks.json or revoked-keys.json. */
export interface PublishedKey {
  readonly kid: string;
  readonly x: string;
  /** Time of the compromise: signatures from then on are invalid. */
  readonly notAfter: string | null;
}

export function verifySigned(text: string, type: string, keys: readonly PublishedKey[]): Record<string, unknown> {
  const [header = "", payload = "", signature = ""] = text.split(".");
  const { alg, kid, typ } = parse(header);
  if (typ !== type || !ALGORITHM_NAMES.some((name) => name === alg))
    throw new Error(`wrong type or algorithm, expected ${type}`);
  const known = keys.filter((key) => key.kid === kid && thumbprint(key.x) === kid);
  const [key] = known;
  if (key === undefined) throw new Error(`the signing key ${String(kid)} is not published`);
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key.x }, format: "jwk" });
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify(null, signed, publicKey, Buffer.from(signature, "base64url"))) throw new Error("invalid signature");
  const claims = parse(payload);
  const notAfter = known.find((one) => one.notAfter !== null)?.notAfter ?? null;
  if (notAfter !== null && Number(claims["iat"]) * 1000 >= Date.parse(notAfter))
    throw new Error(`the signing key was compromised at ${notAfter}`);
  return claims;
}

function parse(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

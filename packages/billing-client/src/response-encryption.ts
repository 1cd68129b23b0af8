/**
 * Encrypts responses for replays (AES-256-GCM, key derived from the installation secret), because the rail stores
 * them. The binding (wallet, operation, key, request) is authenticated. Format: version byte, 12-byte nonce,
 * ciphertext, 16-byte tag; base64url.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = "triptych gateway answers v1";

export interface ResponseEncryption {
  /** `binding` identifies the call of the response. */
  seal(answer: string | Uint8Array, binding: string): string;
  /** Null if it was not sealed by us, belongs to another call, or is incomplete. */
  open(sealed: string, binding: string): Uint8Array | null;
}

/** `random` provides the nonces: 96 random bits suffice for 2^32 responses per secret. */
export function createResponseEncryption(
  secret: string | Uint8Array,
  random: (count: number) => Uint8Array,
): ResponseEncryption {
  const key = new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), PURPOSE, 32));
  return {
    seal(answer, binding) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(binding));
      const text = Buffer.concat([cipher.update(answer), cipher.final()]);
      return Buffer.concat([Uint8Array.of(VERSION), nonce, text, cipher.getAuthTag()]).toString("base64url");
    },
    open(sealed, binding) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const text = bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(binding)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(text), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

/**
 * Encrypts stored values with AES-256-GCM: `v1.<nonce>.<ciphertext and tag>`, base64url. The context (`about`, such as
 * a row ID) is authenticated, so that a sealed text cannot be moved. Random 96-bit nonces suffice for 2^32 texts per
 * key (NIST SP 800-38D, 8.3).
 */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

export interface Encryption {
  seal(plain: Uint8Array | string, about: string): string;
  open(sealed: string, about: string): Buffer;
}

/** The text was sealed with another key or context, or was modified. */
export class DecryptionError extends Error {
  constructor(cause?: unknown) {
    super(
      "Cannot decrypt a stored value: it was sealed with another secret, or modified. Set TRIPTYCH_SECRET (or the file secret-key in the data folder) to its previous value.",
      { cause },
    );
    this.name = "DecryptionError";
  }
}

export type Random = (count: number) => Uint8Array;

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/** Derives a 32-byte key for one purpose (HKDF-SHA-256). A derived key reveals nothing about the others. */
export function deriveKey(secret: Uint8Array | string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "triptych", purpose, 32));
}

/** `key` is 32 bytes, from `deriveKey` or random. */
export function createSeal(key: Uint8Array, random: Random): Encryption {
  return {
    seal(plain, about) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${Buffer.from(nonce).toString("base64url")}.${sealed.toString("base64url")}`;
    },
    open(sealed, about) {
      const [version, nonce = "", rest = "", more] = sealed.split(".");
      const bytes = bytesOf(rest);
      if (version !== VERSION || more !== undefined || bytes.length < TAG_BYTES) throw new DecryptionError();
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytesOf(nonce), { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(about))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch (cause) {
        throw new DecryptionError(cause);
      }
    },
  };
}

/**
 * Requires canonical base64url. `Buffer` ignores invalid characters and excess bits, so a single-use code could be
 * reused in another spelling.
 */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) throw new DecryptionError();
  return bytes;
}

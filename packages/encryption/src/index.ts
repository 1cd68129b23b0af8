/**
 * Seals what must be read back later but never stands in clear in the store: AES-256-GCM under a key that serves one purpose.
 *
 * `v1.<nonce>.<ciphertext and tag>`, base64url. What the text belongs to (`about`: the id of its row, say) is authenticated with it,
 * so that a sealed text copied to another row does not open there. Nonces are random: 96 bits are enough for 2^32 texts under
 * one key (NIST SP 800-38D, 8.3), far more than e-mails, keys and answers of one installation.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

export interface Encryption {
  seal(plain: Uint8Array | string, about: string): string;
  /** Throws SealBroken. */
  open(sealed: string, about: string): Buffer;
}

/** The text is not one of this key's, or not about this, or was changed. */
export class DecryptionError extends Error {
  constructor(cause?: unknown) {
    super(
      "A sealed text does not open: it was sealed under another secret, or changed. Set TRIPTYCH_SECRET (or the file secret-key in the data folder) to what it was.",
      { cause },
    );
    this.name = "DecryptionError";
  }
}

/** A source of random bytes: `randomBytes` of node:crypto outside tests. */
export type Random = (count: number) => Uint8Array;

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/** 32 bytes for one purpose (HKDF-SHA-256): who learns the key of one purpose knows nothing of another. */
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
 * Base64url in its one spelling. A Buffer reads over signs that are none and bits to spare: a code that opened in several spellings could
 * be used up in one, and used again in the next.
 */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) throw new DecryptionError();
  return bytes;
}

/**
 * E-mail addresses: shown masked, found by an HMAC of their canonical form, kept as ciphertext under a data key of the wallet's own.
 * The data key is kept beside the ciphertext, wrapped under the installation's secret; closing a wallet destroys both, and no backup
 * of the secret brings the address back.
 */
import { createHmac } from "node:crypto";
import { createSeal, deriveKey, DecryptionError, type Random } from "@triptych/encryption";

export interface Emails {
  /** For the column of the wallet with this id. */
  seal(email: string, walletId: string): Uint8Array;
  open(sealed: Uint8Array, walletId: string): string;
  /** As its owner is shown it. null: the secret that sealed it was lost, and the wallet is its owner's none the less. */
  masked(sealed: Uint8Array, walletId: string): string | null;
  /** Finds the wallets of an address; says nothing about it without the secret. */
  lookup(email: string): string;
}

export function createEmails({ secret, random }: { readonly secret: string; readonly random: Random }): Emails {
  const wrapping = createSeal(deriveKey(secret, "data keys of e-mail addresses"), random);
  const finding = deriveKey(secret, "look-up of e-mail addresses");
  const open = (sealed: Uint8Array, walletId: string): string => {
    const [wrapped = "", text = ""] = Buffer.from(sealed).toString().split(" ");
    return createSeal(wrapping.open(wrapped, walletId), random).open(text, walletId).toString();
  };
  return {
    open,
    seal(email, walletId) {
      const dataKey = random(32);
      const sealed = createSeal(dataKey, random).seal(email, walletId);
      return Buffer.from(`${wrapping.seal(dataKey, walletId)} ${sealed}`);
    },
    masked(sealed, walletId) {
      try {
        return maskEmail(open(sealed, walletId));
      } catch (error) {
        if (error instanceof DecryptionError) return null;
        throw error;
      }
    },
    lookup: (email) => createHmac("sha256", finding).update(canonicalEmail(email)).digest("hex"),
  };
}

/** One form for the spellings of one mailbox: case does not count, nor what stands behind a plus sign. */
export function canonicalEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const local = email.slice(0, at).split("+", 1)[0];
  return `${local}@${email.slice(at + 1)}`.toLowerCase();
}

/** First letter and domain: enough for its owner to recognise it. */
function maskEmail(email: string): string {
  return `${email.slice(0, 1)}***${email.slice(email.lastIndexOf("@"))}`;
}

/**
 * Email addresses are shown masked, looked up by an HMAC, and stored encrypted. Each wallet has its own data key,
 * wrapped with the installation's secret. Closing a wallet destroys the data key, so a backup of the secret cannot
 * recover the address.
 */
import { createHmac } from "node:crypto";
import {
  createRotatingSeal,
  createSeal,
  deriveKey,
  DecryptionError,
  type Encryption,
  type Keyring,
  type Random,
} from "@triptych/encryption";

export interface Emails {
  /** Encrypts the address for the row of this wallet. */
  seal(email: string, walletId: string): Uint8Array;
  open(sealed: Uint8Array, walletId: string): string;
  /** The masked address for its owner; null if the secret was lost. The wallet remains usable. */
  masked(sealed: Uint8Array, walletId: string): string | null;
  lookup(email: string): string;
}

export interface EmailsParts {
  readonly keyring: Keyring;
  /** The secret for lookups, which stays the same when keys are rotated. */
  readonly names: string;
  readonly random: Random;
}

export const EMAIL_PURPOSE = "data keys of e-mail addresses";

/** Wraps the data key with the newest key. The encrypted address does not change. */
export function rewrapEmail(wrapping: Encryption, sealed: Uint8Array, walletId: string): Uint8Array {
  const [wrapped = "", text = ""] = Buffer.from(sealed).toString().split(" ");
  return Buffer.from(`${wrapping.seal(wrapping.open(wrapped, walletId), walletId)} ${text}`);
}

export function createEmails({ keyring, names, random }: EmailsParts): Emails {
  const wrapping = createRotatingSeal(keyring, EMAIL_PURPOSE, random);
  const finding = deriveKey(names, "look-up of e-mail addresses");
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

/** Canonical form of an address: lower case, without the part after a plus sign. */
export function canonicalEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const local = email.slice(0, at).split("+", 1)[0];
  return `${local}@${email.slice(at + 1)}`.toLowerCase();
}

/** First letter and domain: enough for the owner to recognize it. */
function maskEmail(email: string): string {
  return `${email.slice(0, 1)}***${email.slice(email.lastIndexOf("@"))}`;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Queues the email and returns. Failures are logged without the address. */
  send(mail: Mail): void;
  close(): Promise<void>;
}

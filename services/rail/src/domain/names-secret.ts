/**
 * The secret for HMACs that must not change: those of email addresses, networks and idempotent calls. A wallet that was
 * closed years ago still has the HMAC of its address, but no longer the address. So this secret stays the same when the
 * installation's secret is rotated. It is stored, encrypted with the newest secret.
 */
import { createKeyring, createRotatingSeal, DecryptionError, type Keyring, type Random } from "@triptych/encryption";
import type { Ledger } from "./ledger.ts";
import { KEY_PURPOSE } from "./signing-keys.ts";

export const NAMES_PURPOSE = "names secret";
export const NAMES_ABOUT = "names";

export interface NamesSecretParts {
  readonly ledger: Pick<Ledger, "namesSecret" | "claimNamesSecret" | "signingKeys">;
  readonly keyring: Keyring;
  readonly random: Random;
}

export async function namesSecret({ ledger, keyring, random }: NamesSecretParts): Promise<string> {
  const seal = createRotatingSeal(keyring, NAMES_PURPOSE, random);
  const stored =
    (await ledger.namesSecret()) ??
    (await ledger.claimNamesSecret(seal.seal(await originalSecret({ ledger, keyring, random }), NAMES_ABOUT)));
  try {
    return seal.open(stored, NAMES_ABOUT).toString();
  } catch (error) {
    // The secret was lost. The operator can still manage keys; HMACs use a new secret.
    if (error instanceof DecryptionError) return keyring.secrets()[0];
    throw error;
  }
}

/** The secret with which the stored HMACs were computed: the one that decrypts the oldest signing key. */
async function originalSecret({ ledger, keyring, random }: NamesSecretParts): Promise<string> {
  const secrets = keyring.secrets();
  const [oldest] = await ledger.signingKeys();
  if (oldest === undefined) return secrets[0];
  const opens = (secret: string) => {
    try {
      createRotatingSeal(createKeyring(secret), KEY_PURPOSE, random).open(oldest.sealed, oldest.kid);
      return true;
    } catch (error) {
      if (error instanceof DecryptionError) return false;
      throw error;
    }
  };
  return secrets.find(opens) ?? secrets[0];
}

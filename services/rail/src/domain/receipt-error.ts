/** Checks that the receipt of a stored charge can be rebuilt, and that it verifies with its published key. */
import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { LedgerCharge } from "./unit-of-work.ts";
import type { SigningKeys } from "./signing-keys.ts";

const verifyOnThread = promisify(verify);

/** Returns the problem or null. Keys are prepared once per audit. */
export function receiptErrorUnder(keys: Pick<SigningKeys, "receiptOf" | "published" | "revoked">) {
  const jwks = [...keys.published(), ...keys.revoked().map(({ jwk }) => jwk)];
  const prepared = new Map<string, KeyObject>(
    jwks.map(({ kid, kty, crv, x }) => [kid, createPublicKey({ key: { kty, crv, x }, format: "jwk" })]),
  );
  return async (charge: LedgerCharge): Promise<string | null> => {
    const key = prepared.get(charge.kid);
    if (key === undefined) return `the key ${charge.kid} of the receipt is not published`;
    try {
      const receipt = await keys.receiptOf(charge);
      const end = receipt.lastIndexOf(".");
      const signature = Buffer.from(receipt.slice(end + 1), "base64url");
      const isGood = await verifyOnThread(null, Buffer.from(receipt.slice(0, end)), key, signature);
      return isGood ? null : "the signature of the receipt is invalid";
    } catch (error) {
      return `the receipt cannot be rebuilt: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
}

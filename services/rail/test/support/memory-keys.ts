/** Signing keys in memory, shared by all instances of a test: rail processes on one ledger. */
import { createHash } from "node:crypto";
import { createSeal, deriveKey, type StoredSigningKey } from "@triptych/encryption";
import type { Ledger } from "../../src/domain/ledger.ts";
import { KEY_PURPOSE, openSigningKeys, type SigningKeysParts } from "../../src/domain/signing-keys.ts";

export const ACTING = { id: "act_1", operator: "grace", reason: "a test", at: 0 };
export const SECRET = "a secret for tests, long enough to be one";

/** Pseudo-random bytes, the same in every run. */
export function seededRandom(seed: string) {
  let drawn = 0;
  return (count: number): Buffer => {
    const blocks = Array.from({ length: Math.ceil(count / 32) }, () =>
      createHash("sha256").update(`${seed} ${drawn++}`).digest(),
    );
    return Buffer.concat(blocks).subarray(0, count);
  };
}

export function createSharedKeys(start = Date.UTC(2026, 10, 21)) {
  const rows = new Map<string, StoredSigningKey>();
  const ledger: Pick<Ledger, "signingKeys" | "addSigningKey" | "changeSigningKey"> = {
    signingKeys: () => Promise.resolve([...rows.values()]),
    addSigningKey(key, expectedKids) {
      const isUnchanged = rows.size === expectedKids.length && expectedKids.every((kid) => rows.has(kid));
      if (isUnchanged) rows.set(key.kid, key);
      return Promise.resolve(isUnchanged);
    },
    changeSigningKey: (key) => Promise.resolve(void rows.set(key.kid, key)),
  };
  let now = start;
  const parts = (process = "a", secret = SECRET): SigningKeysParts => {
    const random = seededRandom(process);
    return { ledger, seal: createSeal(deriveKey(secret, KEY_PURPOSE), random), now: () => now, random };
  };
  return {
    rows,
    parts,
    open: (process?: string) => openSigningKeys(parts(process)),
    now: () => now,
    pass: (ms: number) => (now += ms),
  };
}

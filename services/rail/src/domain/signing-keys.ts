/** Signing keys of receipts, stored in the ledger. All rail processes reload them every few seconds. */
import {
  createSigningKeyStore,
  jwkOf,
  type ActiveKey,
  type AlgorithmName,
  type Encryption,
  type PublicJwk,
  type Random,
  type SigningKeyRepository,
} from "@triptych/encryption";
import { ANCHOR_TYPE } from "./anchor.ts";
import type { LedgerCharge } from "./unit-of-work.ts";
import type { Ledger, PurchaseRecord } from "./ledger.ts";
import type { Acting } from "./operator-log.ts";
import { purchaseClaims, RECEIPT_TYPE, receiptClaims, signCompact, signDetached, STATEMENT_TYPE } from "./receipt.ts";

export interface SigningKeysParts {
  readonly ledger: Pick<Ledger, "signingKeys" | "addSigningKey" | "changeSigningKey">;
  readonly seal: Encryption;
  readonly now: () => number;
  readonly random: Random;
  readonly algorithm?: AlgorithmName;
}

export interface SigningKeys {
  /** ID of the key that signs new charges. */
  activeKid(): string;
  /** Throws an Error with a readable message if the active key cannot be decrypted. Call before the process listens. */
  check(): Promise<void>;
  /** Reloads all keys, and creates one if none is active. */
  refresh(): Promise<void>;
  /**
   * Returns the receipt of a charge or purchase, always the same bytes. `among` is the number of receipts requested
   * together; unbounded if absent.
   */
  receiptOf(of: LedgerCharge | PurchaseRecord, among?: number): Promise<string>;
  /** Detached signature over the canonical JSON of the document. */
  signStatement(document: Readonly<Record<string, unknown>>): Promise<string>;
  /** Signs a page of an anchor. */
  signAnchor(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Next, active and retired keys. */
  published(): readonly PublicJwk[];
  revoked(): readonly { readonly kid: string; readonly notAfter: number; readonly jwk: PublicJwk }[];
  list(): Promise<readonly ActiveKey[]>;
  /** Publishes the next key, which becomes active 24 h later. Returns false if one is already published. */
  rotate(by: Acting): Promise<boolean>;
  /**
   * Signatures from `notAfter` on (null: now) become invalid. An active key is replaced immediately. Returns false if
   * there is no such key.
   */
  revoke(kid: string, notAfter: number | null, by: Acting): Promise<boolean>;
}

export { type ActiveKey, SigningKeyLost } from "@triptych/encryption";

export const KEY_PURPOSE = "signing keys";

/** Creates the first key if there is none. Also works if the secret changed, so that keys can still be revoked. */
export async function openSigningKeys(parts: SigningKeysParts): Promise<SigningKeys> {
  const keys = createSigningKeys(parts);
  await keys.refresh();
  return keys;
}

function createSigningKeys({ ledger, ...parts }: SigningKeysParts): SigningKeys {
  const { now } = parts;
  const ifLost = (kid: string) => `run \`triptych rail keys revoke ${kid}\``;
  const store = createSigningKeyStore({ ...parts, repository: ledger, ifLost });
  const { read, lives, signer, active, addWhile } = store;

  const keys: SigningKeys = {
    activeKid() {
      const key = active();
      if (key === undefined) throw new Error("No signing key is active.");
      return key.kid;
    },
    async check() {
      await signer(keys.activeKid());
    },
    async refresh() {
      await read();
      await addWhile(() => active() === undefined);
    },
    async receiptOf(of, among = Infinity) {
      const claims = "state" in of ? receiptClaims(of) : purchaseClaims(of);
      return signCompact(claims, RECEIPT_TYPE, { key: await signer(of.kid), among });
    },
    async signStatement(document) {
      return signDetached(document, STATEMENT_TYPE, await signer(keys.activeKid()));
    },
    async signAnchor(claims) {
      return signCompact(claims, ANCHOR_TYPE, { key: await signer(keys.activeKid()), among: 1 });
    },
    published: store.published,
    revoked: () =>
      lives().flatMap((key) =>
        key.notAfter === null ? [] : [{ kid: key.kid, notAfter: key.notAfter, jwk: jwkOf(key) }],
      ),
    async list() {
      await read();
      return lives().toReversed();
    },
    async rotate(by) {
      // A separate repository, because only this key is added by an operator.
      const repository: SigningKeyRepository = {
        signingKeys: () => ledger.signingKeys(),
        addSigningKey: (key, expectedKids) => ledger.addSigningKey(key, expectedKids, by),
      };
      const isPublished = await createSigningKeyStore({ ...parts, repository, ifLost }).rotate();
      await read();
      return isPublished;
    },
    async revoke(kid, notAfter, by) {
      await read();
      const key = lives().find((candidate) => candidate.kid === kid);
      if (key === undefined) return false;
      // Add the new key first, so that a process that reads in between has a key to sign with other than the revoked
      // one.
      await addWhile(() => lives().some((candidate) => candidate.kid === kid && candidate.state === "active"));
      const { state: _, replacedAt: __, ...row } = key;
      // At the latest now, and never later than before, so that a revocation cannot be weakened.
      const until = Math.min(notAfter ?? now(), key.notAfter ?? Infinity, now());
      await ledger.changeSigningKey({ ...row, retiredAt: row.retiredAt ?? now(), notAfter: until }, by);
      await read();
      return true;
    },
  };
  return keys;
}

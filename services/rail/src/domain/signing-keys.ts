/**
 * Signing keys of receipts: stored in the ledger with encrypted private parts, shared by all rail processes and
 * reloaded every few seconds. A key is added only if the stored keys are still the expected ones: of processes that
 * start together, one creates the first key.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { DecryptionError, type Random, type Encryption } from "@triptych/encryption";
import { ANCHOR_TYPE } from "./anchor.ts";
import type { LedgerCharge } from "./unit-of-work.ts";
import { keyLifecycle, PUBLISHED_BEFORE_MS, type ActiveKey } from "./key-lifecycle.ts";
import type { Ledger, PurchaseRecord, StoredSigningKey } from "./ledger.ts";
import {
  ALGORITHM_NAMES,
  purchaseClaims,
  RECEIPT_TYPE,
  receiptClaims,
  signCompact,
  signDetached,
  STATEMENT_TYPE,
  thumbprint,
  type AlgorithmName,
  type SigningKey,
} from "./receipt.ts";

export interface SigningKeysParts {
  readonly ledger: Pick<Ledger, "signingKeys" | "addSigningKey" | "changeSigningKey">;
  readonly seal: Encryption;
  readonly now: () => number;
  readonly random: Random;
  readonly algorithm?: AlgorithmName;
}

/** A published public key (RFC 8037). Without `alg`, because both names of the algorithm are in use. */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly use: "sig";
}

export interface SigningKeys {
  /** The key that signs new charges: `kid` of a commit. */
  activeKid(): string;
  /** Throws a readable Error if the active key cannot be decrypted. Run before the process listens. */
  check(): Promise<void>;
  /** Reloads all keys, and creates one if none is active. */
  refresh(): Promise<void>;
  /**
   * The receipt of a charge or purchase, always the same bytes. `among`: number of receipts requested together;
   * unbounded if absent.
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
  /** Publishes the next key, active 24 h later. false: one is already published. */
  rotate(): Promise<boolean>;
  /**
   * Signatures from `notAfter` on (null: now) prove nothing. An active key is replaced immediately. false: no such key.
   */
  revoke(kid: string, notAfter: number | null): Promise<boolean>;
}

/** The key can no longer sign, not even old receipts. */
export class SigningKeyLost extends Error {
  constructor(kid: string, cause: unknown) {
    super(
      `The signing key ${kid} was encrypted with a different secret. Restore TRIPTYCH_SECRET (or the file secret-key in the data folder); if the secret is lost, run \`triptych rail keys revoke ${kid}\`.`,
      { cause },
    );
    this.name = "SigningKeyLost";
  }
}

export const KEY_PURPOSE = "signing keys";

/** Creates the first key if there is none. Works with a changed secret too: keys can still be revoked. */
export async function openSigningKeys(parts: SigningKeysParts): Promise<SigningKeys> {
  const keys = createSigningKeys(parts);
  await keys.refresh();
  return keys;
}

function createSigningKeys(parts: SigningKeysParts): SigningKeys {
  const { ledger, now } = parts;
  const { lives, read, signer, add } = createKeyStore(parts);
  const active = () => lives().find(({ state }) => state === "active");

  async function addWhile(isNeeded: () => boolean): Promise<void> {
    for (let isAdded = false; !isAdded && isNeeded();) isAdded = await add(now());
  }

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
    published: () => lives().flatMap((key) => (key.state === "revoked" ? [] : [jwkOf(key)])),
    revoked: () =>
      lives().flatMap((key) =>
        key.notAfter === null ? [] : [{ kid: key.kid, notAfter: key.notAfter, jwk: jwkOf(key) }],
      ),
    async list() {
      await read();
      return lives().toReversed();
    },
    async rotate() {
      await read();
      if (lives().some(({ state }) => state === "next")) return false;
      const isFirst = lives().length === 0;
      return await add(isFirst ? now() : now() + PUBLISHED_BEFORE_MS);
    },
    async revoke(kid, notAfter) {
      await read();
      const key = lives().find((candidate) => candidate.kid === kid);
      if (key === undefined) return false;
      // Add the new key first: a process that reads in between must have a key to sign with, never the revoked one.
      await addWhile(() => lives().some((candidate) => candidate.kid === kid && candidate.state === "active"));
      const { state: _, replacedAt: __, ...row } = key;
      // At the latest from now on, and never later than before: a revocation is not weakened.
      const until = Math.min(notAfter ?? now(), key.notAfter ?? Infinity, now());
      await ledger.changeSigningKey({ ...row, retiredAt: row.retiredAt ?? now(), notAfter: until });
      await read();
      return true;
    },
  };
  return keys;
}

/** The stored keys as last read, and the decrypted ones. */
function createKeyStore({ ledger, seal, now, random, algorithm = "EdDSA" }: SigningKeysParts) {
  let stored: readonly StoredSigningKey[] = [];
  const opened = new Map<string, SigningKey>();
  const read = async () => void (stored = await ledger.signingKeys());
  return {
    read,
    lives: () => keyLifecycle(stored, now()),

    async add(activeFrom: number): Promise<boolean> {
      const made = makeKey({ seal, random, algorithm });
      const expectedKids = stored.map(({ kid }) => kid);
      const key = { ...made, createdAt: now(), activeFrom, retiredAt: null, notAfter: null };
      const isAdded = await ledger.addSigningKey(key, expectedKids);
      await read();
      return isAdded;
    },

    async signer(kid: string): Promise<SigningKey> {
      const cached = opened.get(kid);
      if (cached !== undefined) return cached;
      if (!stored.some((key) => key.kid === kid)) await read();
      const row = stored.find((key) => key.kid === kid);
      if (row === undefined) throw new Error(`The ledger contains no signing key ${kid}.`);
      const key = openKey(row, seal);
      opened.set(kid, key);
      return key;
    },
  };
}

function jwkOf({ kid, x }: StoredSigningKey): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig" };
}

/** PKCS #8 prefix of an Ed25519 key, followed by its 32 random bytes (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

type KeyOptions = Pick<SigningKeysParts, "seal" | "random"> & { readonly algorithm: AlgorithmName };

function makeKey({ seal, random, algorithm }: KeyOptions) {
  const pkcs8 = Buffer.concat([PKCS8_HEAD, random(32)]);
  const x = pointOf(privateKeyOf(pkcs8));
  const kid = thumbprint(x);
  // One in 64 starts with a dash: the CLI would parse it as an option, and the key could not be revoked.
  if (kid.startsWith("-")) return makeKey({ seal, random, algorithm });
  return { kid, x, sealed: seal.seal(`${algorithm} ${pkcs8.toString("base64")}`, kid) };
}

function openKey({ kid, x, sealed }: StoredSigningKey, seal: Encryption): SigningKey {
  const [name, pkcs8 = ""] = unseal(kid, sealed, seal).split(" ");
  const algorithm = ALGORITHM_NAMES.find((candidate) => candidate === name);
  const privateKey = privateKeyOf(Buffer.from(pkcs8, "base64"));
  if (algorithm === undefined || pointOf(privateKey) !== x || thumbprint(x) !== kid)
    throw new Error(`The signing key ${kid} does not match its public key. Restore the ledger, or revoke the key.`);
  return { kid, algorithm, privateKey };
}

function unseal(kid: string, sealed: string, seal: Encryption): string {
  try {
    return seal.open(sealed, kid).toString();
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new SigningKeyLost(kid, error);
  }
}

function privateKeyOf(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
}

/** The public point, base64url: the last 32 bytes of the SPKI form (RFC 8410). */
function pointOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32).toString("base64url");
}

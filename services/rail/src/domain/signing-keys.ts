/**
 * Keeps the keys that sign receipts. They live in the ledger, private parts sealed, so that any number of rail processes share them:
 * each reads them again every few seconds (`refresh`) and whenever it meets a key that it does not know. A key is added only where the
 * others are those that were known when it was decided on: of processes that start on an empty ledger at once, one makes the first.
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
  /** Of the purpose `KEY_PURPOSE`. */
  readonly seal: Encryption;
  readonly now: () => number;
  readonly random: Random;
  /** How keys made from now on name their algorithm. */
  readonly algorithm?: AlgorithmName;
}

/** A public key as it is published (RFC 8037). Without `alg`: both names of the algorithm are in use. */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly use: "sig";
}

export interface SigningKeys {
  /** The key that signs what is charged now: `kid` of a commit. */
  activeKid(): string;
  /** Throws a sentence where the active key cannot be opened: before a process offers to sign. */
  check(): Promise<void>;
  /** Reads all keys again, and makes one where none is active. */
  refresh(): Promise<void>;
  /** The receipt of a charge or purchase, the same bytes every time. `among` so many that are asked for at once: any number, when absent. */
  receiptOf(of: LedgerCharge | PurchaseRecord, among?: number): Promise<string>;
  /** Detached: over the canonical JSON of the document. */
  signStatement(document: Readonly<Record<string, unknown>>): Promise<string>;
  /** A page of an anchor. */
  signAnchor(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Next, active and retired ones. */
  published(): readonly PublicJwk[];
  revoked(): readonly { readonly kid: string; readonly notAfter: number; readonly jwk: PublicJwk }[];
  /** All of them, newest first. */
  list(): Promise<readonly ActiveKey[]>;
  /** Publishes the next key, used 24 h later. false: one is published already. */
  rotate(): Promise<boolean>;
  /** What the key signed from `notAfter` on (now, when null) proves nothing; an active key is replaced at once. false: no such key. */
  revoke(kid: string, notAfter: number | null): Promise<boolean>;
}

/** Nothing can be signed with it any more, old receipts neither. */
export class SigningKeyLost extends Error {
  constructor(kid: string, cause: unknown) {
    super(
      `The signing key ${kid} was sealed under another secret. Set TRIPTYCH_SECRET (or the file secret-key in the data folder) to what it was; if that is lost, run \`triptych rail keys revoke ${kid}\`.`,
      { cause },
    );
    this.name = "SigningKeyLost";
  }
}

export const KEY_PURPOSE = "signing keys";

/** Makes the first key where there is none. Works although the secret is another one than it was: keys can still be revoked. */
export async function openSigningKeys(parts: SigningKeysParts): Promise<SigningKeys> {
  const keys = createSigningKeys(parts);
  await keys.refresh();
  return keys;
}

/** Knows nothing before `list` or `refresh`. */
function createSigningKeys({ ledger, seal, now, random, algorithm = "EdDSA" }: SigningKeysParts): SigningKeys {
  let stored: readonly StoredSigningKey[] = [];
  const opened = new Map<string, SigningKey>();

  const lives = () => keyLifecycle(stored, now());
  const read = async () => void (stored = await ledger.signingKeys());
  const active = () => lives().find(({ state }) => state === "active");

  /** false: another process was faster, and its keys are known now. */
  async function add(activeFrom: number): Promise<boolean> {
    const key = {
      ...makeKey({ seal, random, algorithm }),
      createdAt: now(),
      activeFrom,
      retiredAt: null,
      notAfter: null,
    };
    const expectedKids = stored.map(({ kid }) => kid);
    const isAdded = await ledger.addSigningKey(key, expectedKids);
    await read();
    return isAdded;
  }

  /** Until one is added, or another process has seen to it that none is needed. */
  async function addWhile(isNeeded: () => boolean): Promise<void> {
    for (let isAdded = false; !isAdded && isNeeded();) isAdded = await add(now());
  }

  async function signer(kid: string): Promise<SigningKey> {
    const cached = opened.get(kid);
    if (cached !== undefined) return cached;
    if (!stored.some((key) => key.kid === kid)) await read();
    const row = stored.find((key) => key.kid === kid);
    if (row === undefined) throw new Error(`The ledger holds no signing key ${kid}.`);
    const key = openKey(row, seal);
    opened.set(kid, key);
    return key;
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
      const first = stored.length === 0;
      return await add(first ? now() : now() + PUBLISHED_BEFORE_MS);
    },
    async revoke(kid, notAfter) {
      await read();
      const key = lives().find((candidate) => candidate.kid === kid);
      if (key === undefined) return false;
      // The new key first: a process that reads in between has one to sign with, and never the revoked one again.
      await addWhile(() => lives().some((candidate) => candidate.kid === kid && candidate.state === "active"));
      const { state: _, replacedAt: __, ...row } = key;
      // From now on at the latest, and never later than it was said before: a warning is not taken back.
      const until = Math.min(notAfter ?? now(), key.notAfter ?? Infinity, now());
      await ledger.changeSigningKey({ ...row, retiredAt: row.retiredAt ?? now(), notAfter: until });
      await read();
      return true;
    },
  };
  return keys;
}

function jwkOf({ kid, x }: StoredSigningKey): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig" };
}

/** PKCS #8 of an Ed25519 key is this, followed by its 32 random bytes (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

type KeyOptions = Pick<SigningKeysParts, "seal" | "random"> & { readonly algorithm: AlgorithmName };

function makeKey({ seal, random, algorithm }: KeyOptions) {
  const pkcs8 = Buffer.concat([PKCS8_HEAD, random(32)]);
  const x = pointOf(privateKeyOf(pkcs8));
  const kid = thumbprint(x);
  // One in 64: a command line would take such a name for an option, and nobody could revoke it.
  if (kid.startsWith("-")) return makeKey({ seal, random, algorithm });
  return { kid, x, sealed: seal.seal(`${algorithm} ${pkcs8.toString("base64")}`, kid) };
}

function openKey({ kid, x, sealed }: StoredSigningKey, seal: Encryption): SigningKey {
  const [name, pkcs8 = ""] = unseal(kid, sealed, seal).split(" ");
  const algorithm = ALGORITHM_NAMES.find((candidate) => candidate === name);
  const privateKey = privateKeyOf(Buffer.from(pkcs8, "base64"));
  if (algorithm === undefined || pointOf(privateKey) !== x || thumbprint(x) !== kid)
    throw new Error(`The signing key ${kid} does not fit its public part. Restore the ledger, or revoke the key.`);
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

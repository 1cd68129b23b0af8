/**
 * Ed25519 signing keys of a service, stored with encrypted private parts and shared by all its processes. A key is
 * added only if the stored keys are still the expected ones, so that only one of several starting processes creates the
 * first key.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { type ActiveKey, keyLifecycle, PUBLISHED_BEFORE_MS, type StoredSigningKey } from "./key-lifecycle.ts";
import { DecryptionError, type Encryption, type Random } from "./seal.ts";

/** `EdDSA` (RFC 8037) is supported by every library; `Ed25519` (RFC 9864) is its successor. */
export const ALGORITHM_NAMES = ["EdDSA", "Ed25519"] as const;
export type AlgorithmName = (typeof ALGORITHM_NAMES)[number];

export interface SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  /** Algorithm name in signed documents. Stored with the key, so that old documents do not change. */
  readonly algorithm: AlgorithmName;
  readonly privateKey: KeyObject;
}

/** A published public key (RFC 8037). Without `alg`, because both names of the algorithm are in use. */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly use: "sig";
}

export interface SigningKeyRepository {
  signingKeys(): Promise<readonly StoredSigningKey[]>;
  /** Returns false if the stored keys differ from `expectedKids`. */
  addSigningKey(key: StoredSigningKey, expectedKids: readonly string[]): Promise<boolean>;
}

export interface SigningKeyStoreParts {
  readonly repository: SigningKeyRepository;
  readonly seal: Encryption;
  readonly now: () => number;
  readonly random: Random;
  readonly algorithm?: AlgorithmName;
  /** Describes how an operator replaces a key whose secret is lost; part of an error message. */
  readonly ifLost: (kid: string) => string;
}

export interface SigningKeyStore {
  /** Reads the stored keys again. */
  read(): Promise<void>;
  /** The stored keys as last read, oldest first. */
  lives(): ActiveKey[];
  active(): ActiveKey | undefined;
  /** Adds a key if `isNeeded`, unless another process has added one. */
  addWhile(isNeeded: () => boolean): Promise<void>;
  /**
   * Publishes the next key, which becomes active 24 h later, or immediately with `isImmediate`. Returns false if one is
   * already published.
   */
  rotate(options?: { readonly isImmediate: boolean }): Promise<boolean>;
  signer(kid: string): Promise<SigningKey>;
  /** Next, active and retired keys. */
  published(): readonly PublicJwk[];
}

/** The private key cannot be decrypted, so it cannot sign. */
export class SigningKeyLost extends Error {
  constructor(kid: string, ifLost: string, cause: unknown) {
    super(
      `The signing key ${kid} was encrypted with a different secret. Restore TRIPTYCH_SECRET (or the file secret-key in the data folder); if the secret is lost, ${ifLost}.`,
      { cause },
    );
    this.name = "SigningKeyLost";
  }
}

export function createSigningKeyStore(parts: SigningKeyStoreParts): SigningKeyStore {
  const { repository, seal, now, random, algorithm = "EdDSA", ifLost } = parts;
  let stored: readonly StoredSigningKey[] = [];
  const opened = new Map<string, SigningKey>();
  const store: SigningKeyStore = {
    read: async () => void (stored = await repository.signingKeys()),
    lives: () => keyLifecycle(stored, now()),
    active: () => store.lives().find(({ state }) => state === "active"),
    async addWhile(isNeeded) {
      for (let isAdded = false; !isAdded && isNeeded();) isAdded = await add(now());
    },
    async rotate({ isImmediate } = { isImmediate: false }) {
      await store.read();
      if (!isImmediate && store.lives().some(({ state }) => state === "next")) return false;
      const isFirst = store.lives().length === 0;
      return await add(isFirst || isImmediate ? now() : now() + PUBLISHED_BEFORE_MS);
    },
    async signer(kid) {
      const cached = opened.get(kid);
      if (cached !== undefined) return cached;
      if (!stored.some((key) => key.kid === kid)) await store.read();
      const row = stored.find((key) => key.kid === kid);
      if (row === undefined) throw new Error(`The store contains no signing key ${kid}.`);
      const key = openKey(row, seal, ifLost(kid));
      opened.set(kid, key);
      return key;
    },
    published: () => store.lives().flatMap((key) => (key.state === "revoked" ? [] : [jwkOf(key)])),
  };
  return store;

  async function add(activeFrom: number): Promise<boolean> {
    const made = makeKey({ seal, random, algorithm });
    const expectedKids = stored.map(({ kid }) => kid);
    const key = { ...made, createdAt: now(), activeFrom, retiredAt: null, notAfter: null };
    const isAdded = await repository.addSigningKey(key, expectedKids);
    await store.read();
    return isAdded;
  }
}

export function jwkOf({ kid, x }: Pick<StoredSigningKey, "kid" | "x">): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig" };
}

/** RFC 7638: SHA-256 over the required members of the public key in their order. `x` is the public point, base64url. */
export function thumbprint(x: string): string {
  return createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");
}

/** PKCS #8 prefix of an Ed25519 key, followed by its 32 random bytes (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

type KeyOptions = Pick<SigningKeyStoreParts, "seal" | "random"> & { readonly algorithm: AlgorithmName };

function makeKey({ seal, random, algorithm }: KeyOptions) {
  const pkcs8 = Buffer.concat([PKCS8_HEAD, random(32)]);
  const x = pointOf(privateKeyOf(pkcs8));
  const kid = thumbprint(x);
  // One in 64 key IDs starts with a dash. The CLI would parse it as an option, and the key could not be revoked.
  if (kid.startsWith("-")) return makeKey({ seal, random, algorithm });
  return { kid, x, sealed: seal.seal(`${algorithm} ${pkcs8.toString("base64")}`, kid) };
}

function openKey({ kid, x, sealed }: StoredSigningKey, seal: Encryption, ifLost: string): SigningKey {
  const [name, pkcs8 = ""] = unseal({ kid, sealed, ifLost }, seal).split(" ");
  const algorithm = ALGORITHM_NAMES.find((candidate) => candidate === name);
  const privateKey = privateKeyOf(Buffer.from(pkcs8, "base64"));
  if (algorithm === undefined || pointOf(privateKey) !== x || thumbprint(x) !== kid)
    throw new Error(`The signing key ${kid} does not match its public key. Restore the store; otherwise, ${ifLost}.`);
  return { kid, algorithm, privateKey };
}

interface SealedKey extends Pick<StoredSigningKey, "kid" | "sealed"> {
  readonly ifLost: string;
}

function unseal({ kid, sealed, ifLost }: SealedKey, seal: Encryption): string {
  try {
    return seal.open(sealed, kid).toString();
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new SigningKeyLost(kid, ifLost, error);
  }
}

function privateKeyOf(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
}

/** The public point, base64url: the last 32 bytes of the SPKI form (RFC 8410). */
function pointOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32).toString("base64url");
}

/**
 * The keys of an installation. During a rotation of the secret there are several: the first encrypts, all decrypt. Each
 * sealed text names its key: `v2.<key ID>.<nonce>.<ciphertext and tag>`. Texts of version 1 have no ID; every key is tried.
 */
import { createSeal, DecryptionError, deriveKey, type Encryption, type Random } from "./seal.ts";

/** Newest first. Returns the same array until the secrets change. `reload` rereads them immediately. */
export type Secrets = (reload?: "reload") => readonly [string, ...string[]];

export interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

export interface Keyring {
  readonly secrets: Secrets;
  /** Derived for one purpose, newest first. */
  keys(purpose: string): readonly [Key, ...Key[]];
  find(purpose: string, id: string): Key | null;
}

const ID_BYTES = 5;

/** Identifies a secret without revealing anything about it. */
export function keyIdOf(secret: string): string {
  return deriveKey(secret, "key ID").subarray(0, ID_BYTES).toString("hex");
}

/** A single secret never changes. */
export function createKeyring(secret: string | Secrets): Keyring {
  const secrets: Secrets = typeof secret === "string" ? fixed([secret]) : secret;
  const derived = new Map<string, { readonly of: readonly string[]; readonly keys: readonly [Key, ...Key[]] }>();
  const keysOf = (purpose: string, of: readonly [string, ...string[]]): readonly [Key, ...Key[]] => {
    const known = derived.get(purpose);
    if (known !== undefined && known.of === of) return known.keys;
    const toKey = (text: string): Key => ({ id: keyIdOf(text), bytes: deriveKey(text, purpose) });
    const [newest, ...older] = of;
    const keys: readonly [Key, ...Key[]] = [toKey(newest), ...older.map(toKey)];
    derived.set(purpose, { of, keys });
    return keys;
  };
  const findIn = (keys: readonly Key[], id: string) => keys.find((key) => key.id === id) ?? null;
  return {
    secrets,
    keys: (purpose) => keysOf(purpose, secrets()),
    // Another process may have started a rotation a moment ago.
    find: (purpose, id) => findIn(keysOf(purpose, secrets()), id) ?? findIn(keysOf(purpose, secrets("reload")), id),
  };
}

function fixed(list: readonly [string, ...string[]]): Secrets {
  return () => list;
}

export interface RotatingSeal extends Encryption {
  /** Prefix of every text sealed with the newest key. */
  prefix(): string;
}

const VERSION = "v2";

export function createRotatingSeal(keyring: Keyring, purpose: string, random: Random): RotatingSeal {
  const sealOf = ({ bytes }: Key) => createSeal(bytes, random);
  return {
    prefix: () => sealedPrefix(keyring.keys(purpose)[0].id),
    seal(plain, about) {
      const [newest] = keyring.keys(purpose);
      return sealedPrefix(newest.id) + withoutVersion(sealOf(newest).seal(plain, about));
    },
    open(sealed, about) {
      const [version, id = "", ...rest] = sealed.split(".");
      if (version !== VERSION) return openAny(keyring.keys(purpose).map(sealOf), sealed, about);
      const key = keyring.find(purpose, id);
      if (key === null || rest.length !== 2) throw new DecryptionError();
      return sealOf(key).open(`v1.${rest.join(".")}`, about);
    },
  };
}

export function sealedPrefix(keyId: string): string {
  return `${VERSION}.${keyId}.`;
}

/**
 * Prefix of the gateway's sealed responses, which have a compact form: version 2, key ID, nonce, ciphertext and tag in
 * one base64url text.
 */
export function compactPrefix(keyId: string): string {
  return Buffer.concat([Uint8Array.of(2), Buffer.from(keyId, "hex")]).toString("base64url");
}

function withoutVersion(sealed: string): string {
  return sealed.slice(sealed.indexOf(".") + 1);
}

function openAny(seals: readonly Encryption[], sealed: string, about: string): Buffer {
  let last: unknown = new DecryptionError();
  for (const seal of seals) {
    try {
      return seal.open(sealed, about);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      last = error;
    }
  }
  throw last;
}

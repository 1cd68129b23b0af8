export {
  compactPrefix,
  createKeyring,
  createRotatingSeal,
  keyIdOf,
  type Keyring,
  type RotatingSeal,
  sealedPrefix,
  type Secrets,
} from "./keyring.ts";
export { createSeal, DecryptionError, deriveKey, type Encryption, type Random } from "./seal.ts";
export type { ActiveKey, KeyState, StoredSigningKey } from "./key-lifecycle.ts";
export {
  ALGORITHM_NAMES,
  type AlgorithmName,
  createSigningKeyStore,
  jwkOf,
  type PublicJwk,
  type SigningKey,
  SigningKeyLost,
  type SigningKeyRepository,
  type SigningKeyStore,
  thumbprint,
} from "./signing-keys.ts";

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

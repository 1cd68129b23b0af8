/** Keys that sign the statements of runs, shared by all panels on one store. */
import {
  type ActiveKey,
  createSigningKeyStore,
  type Encryption,
  type PublicJwk,
  type Random,
  type SigningKey,
  type SigningKeyRepository,
} from "@triptych/encryption";

export interface StatementKeys {
  /** Next, active and retired keys; creates the first one. */
  published(): Promise<readonly PublicJwk[]>;
  /** The active key; creates the first one. */
  signer(): Promise<SigningKey>;
  /** Newest first. */
  list(): Promise<readonly ActiveKey[]>;
  /** Publishes the next key, active 24 h later, or at once with `isImmediate`. Returns false if one is already published. */
  rotate(options: { readonly isImmediate: boolean }): Promise<boolean>;
}

export interface StatementKeysParts {
  readonly repository: SigningKeyRepository;
  readonly seal: Encryption;
  readonly now: () => number;
  readonly random: Random;
}

/** Each call reads the stored keys: a rotation by a command is effective at once. */
export function createStatementKeys(parts: StatementKeysParts): StatementKeys {
  const ifLost = () => "run `triptych panel keys rotate --now`";
  const keys = createSigningKeyStore({ ...parts, algorithm: "Ed25519", ifLost });
  const refresh = async () => {
    await keys.read();
    await keys.addWhile(() => keys.active() === undefined);
  };
  return {
    async published() {
      await refresh();
      return keys.published();
    },
    async signer() {
      await refresh();
      const active = keys.active();
      if (active === undefined) throw new Error("No signing key is active.");
      return keys.signer(active.kid);
    },
    async list() {
      await keys.read();
      return keys.lives().toReversed();
    },
    rotate: keys.rotate,
  };
}

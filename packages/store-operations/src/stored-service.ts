/** The interface of a service that the commands need. Services implement it; the CLI passes them in. */
import type { InstallationSecrets } from "@triptych/server";
import type { Resealed, SealedCount, StoreBackup, StoreCheck, StoreCopy, StoreLocation } from "@triptych/storage";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface StoredService {
  readonly name: string;
  /** Whether a store exists, and whether it has rows. Neither method creates one. */
  hasStore(location: StoreLocation): Promise<boolean>;
  isStoreUsed(location: StoreLocation): Promise<boolean>;
  /**
   * Writes a consistent copy with the structure of a data folder, while the service runs. Can return a note for the
   * operator.
   */
  backupStore(backup: BackupOptions): Promise<string | null | void>;
  /** Reads a store to verify it. Equal stores have equal facts. */
  checkStore(location: StoreLocation): Promise<StoreCheck>;
  migrateStore(location: StoreLocation): Promise<void>;
  /** Copies the store of a stopped service into an empty one. */
  copyStore(copy: StoreCopy): Promise<unknown>;
  /** Counts encrypted values by key. */
  sealedValues?(location: StoreLocation, secrets: InstallationSecrets): Promise<readonly SealedCount[]>;
  /** Encrypts values with the newest secret, while the service runs. */
  rotateStore?(location: StoreLocation, secrets: InstallationSecrets): Promise<Resealed>;
  /** Stores restored blobs where this environment expects them. */
  storeRestoredBlobs?(dataFolder: string, environment: Environment): Promise<void>;
}

export interface BackupOptions extends StoreBackup {
  readonly environment: Environment;
  /** Whether blobs in separate storage are copied too. */
  readonly copiesBlobs: boolean;
}

/** The services of the program. */
export interface Services {
  readonly names: readonly string[];
  /** In the order of `names`. */
  load(names: readonly string[]): Promise<readonly StoredService[]>;
}

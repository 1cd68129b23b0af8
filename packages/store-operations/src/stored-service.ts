/** What the commands need of a service. Services implement it; the command line passes it in. */
import type { InstallationSecrets } from "@triptych/server";
import type { Resealed, SealedCount, StoreBackup, StoreCheck, StoreCopy, StoreLocation } from "@triptych/storage";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface StoredService {
  readonly name: string;
  /** Whether there is a store, and whether it has rows. Neither creates one. */
  hasStore(location: StoreLocation): Promise<boolean>;
  isStoreUsed(location: StoreLocation): Promise<boolean>;
  /** Writes a consistent copy in the form of a data folder, while it runs. Returns a note for the operator. */
  backupStore(backup: BackupOptions): Promise<string | null | void>;
  /** Reads a store back. Equal stores have equal facts. */
  checkStore(location: StoreLocation): Promise<StoreCheck>;
  migrateStore(location: StoreLocation): Promise<void>;
  /** Copies a stopped store into an empty one. */
  copyStore(copy: StoreCopy): Promise<unknown>;
  /** Counts encrypted values by key. */
  sealedValues?(location: StoreLocation, secrets: InstallationSecrets): Promise<readonly SealedCount[]>;
  /** Encrypts values with the newest secret, while it runs. */
  rotateStore?(location: StoreLocation, secrets: InstallationSecrets): Promise<Resealed>;
  /** Stores restored blobs where this environment expects them. */
  storeRestoredBlobs?(dataFolder: string, environment: Environment): Promise<void>;
}

export interface BackupOptions extends StoreBackup {
  readonly environment: Environment;
  /** Whether blobs that have a storage of their own are copied too. */
  readonly copiesBlobs: boolean;
}

/** The services of the program. */
export interface Services {
  readonly names: readonly string[];
  /** In the order of `names`. */
  load(names: readonly string[]): Promise<readonly StoredService[]>;
}

/**
 * Repository of keys; only hashes of secrets are stored. Every change takes the next number of one sequence and locks
 * its row until commit, so a reader of "all after n" misses no change.
 */
import type { ApiKey } from "./key-record.ts";

export interface StoredSecret {
  readonly hash: string;
  readonly createdAt: number;
  readonly validUntil: number | null;
}

export interface KeyWithSecrets {
  readonly key: ApiKey;
  readonly secrets: readonly StoredSecret[];
}

export interface KeyChange {
  readonly set?: Partial<Pick<ApiKey, "name" | "plan" | "dailyItems" | "expiresAt" | "revokedAt" | "rotatedAt">>;
  /** Adds a secret; older ones expire at `othersUntil`, or earlier if they already did. */
  readonly rotate?: { readonly hash: string; readonly at: number; readonly othersUntil: number };
}

/** All changes after a number, as the current state of each changed key. */
export interface KeyChanges {
  readonly sequence: number;
  readonly keys: readonly KeyWithSecrets[];
  /** True if the page was full: continue from `sequence`. */
  readonly more: boolean;
}

export interface KeyStore {
  add(key: ApiKey, secretHash: string): Promise<void>;
  find(id: string): Promise<ApiKey | undefined>;
  /** Ordered by ID, which is the order of creation. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly ApiKey[]>;
  /**
   * Runs `decide` on the current record and applies its result in one transaction; undefined if the key does not
   * exist.
   */
  change(id: string, decide: (key: ApiKey) => KeyChange): Promise<ApiKey | undefined>;
  changedSince(sequence: number): Promise<KeyChanges>;
  /** Notifications are best effort. Returns a function that unsubscribes. */
  watch(onChange: () => void): Promise<() => Promise<void>>;
}

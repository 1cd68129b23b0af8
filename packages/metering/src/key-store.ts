/**
 * What must be remembered of keys. Secrets are known by their SHA-256 only; nothing here ever holds the text of a key. Every change
 * takes the next number of one rising sequence, in the same transaction, so that a reader who asks for "all after n" misses none:
 * the row that holds the sequence stays locked until the commit, which makes the order of numbers the order of commits.
 */
import type { ApiKey } from "./key-record.ts";

export interface StoredSecret {
  /** See `hashKey`. */
  readonly hash: string;
  readonly createdAt: number;
  /** End of its validity; null = valid as long as the key is. */
  readonly validUntil: number | null;
}

export interface KeyWithSecrets {
  readonly key: ApiKey;
  readonly secrets: readonly StoredSecret[];
}

/** What a decision about a key changes. */
export interface KeyChange {
  readonly set?: Partial<Pick<ApiKey, "name" | "plan" | "dailyItems" | "expiresAt" | "revokedAt" | "rotatedAt">>;
  /** Adds a secret; all older ones end at `othersUntil`, or earlier where they already did. */
  readonly rotate?: { readonly hash: string; readonly at: number; readonly othersUntil: number };
}

/** All changes after a number, as the present state of each changed key. */
export interface KeyChanges {
  readonly sequence: number;
  readonly keys: readonly KeyWithSecrets[];
  /** True: the page was full, ask again from `sequence`. */
  readonly more: boolean;
}

export interface KeyStore {
  add(key: ApiKey, secretHash: string): Promise<void>;
  find(id: string): Promise<ApiKey | undefined>;
  /** In order of id, which is the order of creation. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly ApiKey[]>;
  /** Runs `decide` on the present record and applies its answer in one transaction; undefined = there is no such key. */
  change(id: string, decide: (key: ApiKey) => KeyChange): Promise<ApiKey | undefined>;
  changedSince(sequence: number): Promise<KeyChanges>;
  /** Calls back soon after a change, most times; a hint only. Answers how to stop. */
  watch(onChange: () => void): Promise<() => Promise<void>>;
}

/**
 * Until publication a staging is invisible to readers; the next staging removes the remains of a failed one. At most
 * one staging exists across all processes.
 */
import type { ItemType } from "@triptych/contracts";
import type { StoredItem, TagLabel, Version, VersionedItem } from "./catalogue.ts";
import type { DescribedItem } from "./item-document.ts";

export interface PublishedVersion extends Version {
  readonly contentHash: string;
  readonly items: number;
  /** Reason of the publication, for people: `sample`, `import musees.csv`, `rollback to 3-…`. */
  readonly cause: string;
}

export interface PublishedVersions {
  published(): Promise<PublishedVersion | null>;
  versions(): Promise<readonly PublishedVersion[]>;
  /** All items of a published or staged version by (type, slug) in byte order, in constant memory. */
  items(version: number): AsyncIterable<VersionedItem>;
  labels(version: number): Promise<readonly TagLabel[]>;
  /**
   * Slugs in the published and the staged version. `keep`: sources whose published slugs stay reserved while their rows
   * are left out; all other slugs are free then.
   */
  addresses(keep: readonly string[] | "all"): Addresses;
  /**
   * Stages a copy of the published version. Throws `PublishInProgressError` while another staging exists. `signal` aborts
   * between two steps.
   */
  stage(at: number, signal?: AbortSignal): Promise<Staging>;
  /** Whether a failed staging has left rows. They have no effect, and the next staging removes them. */
  hasAbandonedStaging(): Promise<boolean>;
}

/** The version in preparation. Operations run in bounded steps, so that they do not block readers and other writers. */
export interface Staging {
  readonly number: number;
  /** Whether all published items are from this source. False before the first publication. */
  holdsOnly(sourceName: string): Promise<boolean>;
  /** Removes all items; `put` restores unchanged ones as they were. */
  clear(): Promise<void>;
  /** Removes the items of a source. */
  removeSource(sourceName: string): Promise<void>;
  /**
   * Adds or replaces items by (source name, source ID); the last one wins. An item equal to its published row keeps it:
   * times equal to `importedAt` are not a difference.
   */
  upsert(items: readonly StoredItem[], importedAt: number): Promise<void>;
  upsertDescribed(items: readonly DescribedItem[]): Promise<void>;
  /** Replaces a tag's published label if the new one is used at least as often. */
  upsertLabels(labels: readonly CountedLabel[]): Promise<void>;
  restore(version: number): Promise<void>;
  isChanged(): Promise<boolean>;
  publish(content: {
    readonly hash: string;
    readonly items: number;
    readonly at: number;
    readonly cause: string;
  }): Promise<PublishedVersion>;
  /** Removes all but the newest `keep` versions. */
  prune(keep: number): Promise<void>;
  /** Releases the lock and undoes everything unpublished. Idempotent. */
  close(): Promise<void>;
}

export interface Addresses {
  /** Published slugs of these rows, current and former. */
  slugsOf(sourceName: string, sourceIds: readonly string[]): Promise<ReadonlyMap<string, Address>>;
  ownersOf(type: ItemType, slugs: readonly string[]): Promise<ReadonlyMap<string, Owner>>;
}

export interface CountedLabel extends TagLabel {
  readonly uses: number;
}

export interface Address {
  readonly type: ItemType;
  readonly slug: string;
}

export interface Owner {
  readonly sourceName: string;
  readonly sourceId: string;
}

export class PublishInProgressError extends Error {
  override readonly name = "PublishInProgressError";

  constructor() {
    super("Another import or rollback is running. Nothing was changed; try again when it has finished.");
  }
}

/** The lock was lost to another process: all further writes fail. */
export class PublishLockLostError extends Error {
  override readonly name = "PublishLockLostError";

  constructor() {
    super("Connection to the store lost; another import has taken over. Nothing was published; run this import again.");
  }
}

export function versionId(number: number, contentHash: string): string {
  return `${number}-${contentHash.slice(0, 12)}`;
}

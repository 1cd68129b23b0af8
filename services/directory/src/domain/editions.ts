/**
 * What the directory remembers: every kept version of the data set, and the one that is being prepared.
 *
 * A version is published by a single step; until then nothing that a staging does is visible to a reader, and a staging that
 * died leaves no trace once the next one begins. Only one staging exists at a time, whoever asks.
 */
import type { ItemType } from "@triptych/contracts";
import type { ItemFields, StoredItem, TagLabel, Version } from "./catalogue.ts";
import type { DescribedItem } from "./described-item.ts";

/** A version with what is known about its making. */
export interface Edition extends Version {
  /** SHA-256 in hex over its content. */
  readonly contentHash: string;
  readonly items: number;
  /** Why it was published, for the person who reads the list: `sample`, `import musees.csv`, `rollback to 3-…`. */
  readonly cause: string;
}

export interface Editions {
  /** The version that is served, or null before the first publication. */
  published(): Promise<Edition | null>;
  /** The kept versions, newest first. */
  versions(): Promise<readonly Edition[]>;
  /** All items of a version, staged or published, once each in order of (type, slug) by bytes, at constant memory. */
  items(version: number): AsyncIterable<StoredItem>;
  /** The same with each item's JSON as it is stored, for whoever writes it down again. */
  storedItems(version: number): AsyncIterable<{ readonly item: ItemFields; readonly stored: string }>;
  /** Tag labels of a version, by slug. */
  labels(version: number): Promise<readonly TagLabel[]>;
  /**
   * Who has which address, in the published version and in what is staged on it. `keep`: sources whose published addresses stay
   * reserved even while their rows are left out; those of all others are free then.
   */
  addresses(keep: readonly string[] | "all"): Addresses;
  /**
   * Begins the next version as a copy of the published one. Throws `PublicationBusy` while another is being prepared. `signal`
   * ends the work between two steps.
   */
  stage(at: number, signal?: AbortSignal): Promise<Staging>;
  /** Has a staging died before its end? What it left has no effect, and goes when the next one begins. */
  hasLeftovers(): Promise<boolean>;
}

/** The version being prepared. Each verb is done in bounded steps, so that readers and other writers are never held up. */
export interface Staging {
  readonly number: number;
  /** Is every published item from this source? False when nothing is published. */
  holdsOnly(sourceName: string): Promise<boolean>;
  /** Leaves everything out; what is put afterwards comes back, unchanged items as they were. */
  clear(): Promise<void>;
  /**
   * Adds or replaces items by (source name, source id); within one call and over calls the last one wins. An item that says the
   * same as the published one stays as it is, with its times: times equal to `importedAt` do not count as a difference.
   */
  put(items: readonly StoredItem[], importedAt: number): Promise<void>;
  /** The same for items that were described when they were read, as of the same moment. */
  putDescribed(items: readonly DescribedItem[]): Promise<void>;
  /** A label replaces the published one of its tag when it was used at least as often. */
  putLabels(labels: readonly CountedLabel[]): Promise<void>;
  /** Makes the content that of a kept version. */
  restore(version: number): Promise<void>;
  /** Does the content differ from what is published? */
  isChanged(): Promise<boolean>;
  /** The one step: from here on this is the published version. */
  publish(content: {
    readonly hash: string;
    readonly items: number;
    readonly at: number;
    readonly cause: string;
  }): Promise<Edition>;
  /** Forgets versions older than the newest `keep`. */
  prune(keep: number): Promise<void>;
  /** Ends the turn. Whatever was not published is undone. May be called twice. */
  close(): Promise<void>;
}

export interface Addresses {
  /** Addresses of these rows of a source, as published now or ever. */
  slugsOf(sourceName: string, sourceIds: readonly string[]): Promise<ReadonlyMap<string, Address>>;
  /** Which of these slugs are in use, and by which row of which source. */
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

/** Another process prepares a version right now. */
export class PublicationBusy extends Error {
  override readonly name = "PublicationBusy";

  constructor() {
    super("Another import or rollback is running on this data. Nothing was changed; try again when it has ended.");
  }
}

/** The turn was lost, and another process has taken it: nothing may be written any more. */
export class PublicationLost extends Error {
  override readonly name = "PublicationLost";

  constructor() {
    super(
      "Another import took over, because this one had lost its connection to the store. Nothing was published; run it again.",
    );
  }
}

/** `7-3f9c2a10b4de`: what clients see and compare. */
export function versionId(number: number, contentHash: string): string {
  return `${number}-${contentHash.slice(0, 12)}`;
}

/**
 * Changes between a stored version and the served one, for clients that keep a copy. Rows of stored versions are never
 * deleted, so their differences are exact.
 */
import type { Address } from "./published-versions.ts";
import type { Version } from "./catalogue.ts";

/** What a client sends as `since`: the version of its copy, or a time. */
export type SincePoint =
  | { readonly kind: "version"; readonly number: number; readonly id: string }
  | { readonly kind: "time"; readonly at: number };

export interface RemovedItem extends Address {
  /** Publication time of the version that removed it, milliseconds. */
  readonly deletedAt: number;
}

export interface ChangeLog {
  /** Stored versions, oldest first. */
  versions(): Promise<readonly Version[]>;
  /**
   * Addresses of version `after` that version `upTo` does not have. Throws if `after` is removed in the meantime: the list would
   * be incomplete.
   */
  removed(after: number, upTo: number): AsyncIterable<RemovedItem>;
}

export type ResolvedSince =
  | { readonly outcome: "found"; readonly changedAfter: number; readonly version: Version | null }
  | { readonly outcome: "gone"; readonly oldest: Version };

/** @param versions stored ones, oldest first; the served one is among them or newer. */
export function resolveSince(point: SincePoint, versions: readonly Version[]): ResolvedSince {
  const [oldest] = versions;
  if (oldest === undefined) return { outcome: "found", changedAfter: 0, version: null };
  const version = point.kind === "version" ? versions.find(({ id }) => id === point.id) : versionAt(point.at, versions);
  if (version !== undefined) return { outcome: "found", changedAfter: version.number, version };
  // Before the first publication there was no item.
  if (point.kind === "time" && oldest.number === 1) return { outcome: "found", changedAfter: 0, version: null };
  return { outcome: "gone", oldest };
}

/** The last version published by that time. An unsteady clock can give an earlier one, never a later one. */
function versionAt(at: number, versions: readonly Version[]): Version | undefined {
  const later = versions.findIndex(({ publishedAt }) => publishedAt > at);
  return later < 0 ? versions.at(-1) : versions[later - 1];
}

export type FormerAddress = { readonly state: "moved"; readonly to: Address } | { readonly state: "gone" };

/** Null for an address that no item ever had, as far as the store knows. */
export type FindFormerAddress = (address: Address, version: number) => Promise<FormerAddress | null>;

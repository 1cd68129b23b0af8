/**
 * How a version comes to be: stage the change, prepare what the engine serves of it, publish by one step, forget what is too old.
 * Until the step nothing is visible; a failure anywhere before it leaves readers, versions and files as they were.
 *
 * What the engine serves (a snapshot file, index tables) is complete before the version is: a reader that learns of a version
 * finds its snapshot. The other order would make every node rebuild it.
 */
import type { Edition, Editions, Staging } from "./editions.ts";
import { versionId } from "./editions.ts";

/** Versions that stay for a rollback. */
export const KEPT_VERSIONS = 5;

/**
 * Before what is too old is forgotten: a service beside has found the new version by then (it looks every two seconds), opened it, and
 * made the pages that are asked for most. Forgetting a hundred thousand rows keeps a processor and the disk busy for five seconds.
 */
const FORGETTING_WAITS_MS = 5000;

/** Steps of a publication, told to whoever shows progress; there is not always something to forget. */
export type PublicationStep = "staging" | "preparing" | "publishing" | "published" | "forgetting";

/** What the engine will serve of a staged version. */
export interface Prepared {
  readonly contentHash: string;
  readonly items: number;
  /** Puts it in its place, under the id of the version. Called before the version is published. */
  keep(versionId: string): Promise<void>;
  /** Removes it; after `keep` it undoes that too. May be called twice. */
  discard(): Promise<void>;
}

export interface Publishing {
  readonly editions: Editions;
  readonly prepare: (staged: number) => Promise<Prepared>;
  readonly now: () => number;
  readonly onStep?: (step: PublicationStep) => void;
  /** Lets a service beside take the version up in peace; absent where there is none. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

export interface Change {
  readonly cause: string;
  /** Makes the change. Throw to give up: nothing is published then. */
  readonly apply: (staging: Staging) => Promise<void>;
}

export type Publication =
  /** `leftovers`: why what is too old could not be removed; the next publication tries again. */
  | { readonly outcome: "published"; readonly edition: Edition; readonly leftovers?: unknown }
  | { readonly outcome: "unchanged"; readonly edition: Edition | null };

/** Publishes one change. Throws `PublicationBusy` when another is being made; any error means that nothing changed. */
export async function publish(
  { editions, prepare, now, onStep = () => {}, pause }: Publishing,
  change: Change,
): Promise<Publication> {
  const staging = await editions.stage(now());
  try {
    onStep("staging");
    const before = await editions.published();
    await change.apply(staging);
    if (before !== null && !(await staging.isChanged())) return { outcome: "unchanged", edition: before };

    onStep("preparing");
    const prepared = await prepare(staging.number);
    if (prepared.contentHash === before?.contentHash) {
      await prepared.discard();
      return { outcome: "unchanged", edition: before };
    }
    onStep("publishing");
    const edition = await swap(staging, prepared, { at: now(), cause: change.cause });

    onStep("published");
    if (edition.number <= KEPT_VERSIONS) return { outcome: "published", edition };
    onStep("forgetting");
    try {
      await pause?.(FORGETTING_WAITS_MS);
      await staging.prune(KEPT_VERSIONS);
    } catch (error) {
      return { outcome: "published", edition, leftovers: error };
    }
    return { outcome: "published", edition };
  } finally {
    await staging.close();
  }
}

async function swap(
  staging: Staging,
  prepared: Prepared,
  { at, cause }: { at: number; cause: string },
): Promise<Edition> {
  try {
    await prepared.keep(versionId(staging.number, prepared.contentHash));
    return await staging.publish({ hash: prepared.contentHash, items: prepared.items, at, cause });
  } catch (error) {
    await prepared.discard();
    throw error;
  }
}

/** The change that brings a kept version's content back: under a new number, so that versions only ever rise. */
export function rollbackTo(target: Edition): Change {
  return { cause: `rollback to ${target.id}`, apply: (staging) => staging.restore(target.number) };
}

/**
 * Stages the change, prepares the engine's data, publishes in one step, removes old versions. The engine's data is
 * complete before publication; otherwise every node that sees the new version would rebuild it.
 */
import type { PublishedVersion, PublishedVersions, Staging } from "./published-versions.ts";
import { versionId } from "./published-versions.ts";

export const RETAINED_VERSIONS = 5;

/**
 * Delay before cleanup: by then a running service has found the new version (it polls every two seconds) and rendered
 * its popular pages. Deleting a hundred thousand rows loads CPU and disk for five seconds.
 */
const FORGETTING_WAITS_MS = 5000;

export type PublicationStep = "staging" | "preparing" | "publishing" | "published" | "forgetting";

export interface Prepared {
  readonly contentHash: string;
  readonly items: number;
  /** Installs it under the version's ID. Called before publication. */
  keep(versionId: string): Promise<void>;
  /** Removes it, even after `keep`. Idempotent. */
  discard(): Promise<void>;
}

export interface Publishing {
  readonly versions: PublishedVersions;
  readonly prepare: (staged: number) => Promise<Prepared>;
  readonly now: () => number;
  readonly onStep?: (step: PublicationStep) => void;
  /** Lets a running service open the version undisturbed; absent if none can run. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

export interface Change {
  readonly cause: string;
  /** Stages the change. Throw to cancel the publication. */
  readonly apply: (staging: Staging) => Promise<void>;
}

export type Publication =
  /** `leftovers`: why cleanup failed; the next publication retries it. */
  | { readonly outcome: "published"; readonly version: PublishedVersion; readonly cleanupError?: unknown }
  | { readonly outcome: "unchanged"; readonly version: PublishedVersion | null };

/** Publishes one change. Throws `PublishInProgressError` during another; after any error nothing has changed. */
export async function publish(
  { versions, prepare, now, onStep = () => {}, pause }: Publishing,
  change: Change,
): Promise<Publication> {
  const staging = await versions.stage(now());
  try {
    onStep("staging");
    const before = await versions.published();
    await change.apply(staging);
    if (before !== null && !(await staging.isChanged())) return { outcome: "unchanged", version: before };

    onStep("preparing");
    const prepared = await prepare(staging.number);
    if (prepared.contentHash === before?.contentHash) {
      await prepared.discard();
      return { outcome: "unchanged", version: before };
    }
    onStep("publishing");
    const version = await swap(staging, prepared, { at: now(), cause: change.cause });

    onStep("published");
    if (version.number <= RETAINED_VERSIONS) return { outcome: "published", version };
    onStep("forgetting");
    try {
      await pause?.(FORGETTING_WAITS_MS);
      await staging.prune(RETAINED_VERSIONS);
    } catch (error) {
      return { outcome: "published", version, cleanupError: error };
    }
    return { outcome: "published", version };
  } finally {
    await staging.close();
  }
}

async function swap(
  staging: Staging,
  prepared: Prepared,
  { at, cause }: { at: number; cause: string },
): Promise<PublishedVersion> {
  try {
    await prepared.keep(versionId(staging.number, prepared.contentHash));
    return await staging.publish({ hash: prepared.contentHash, items: prepared.items, at, cause });
  } catch (error) {
    await prepared.discard();
    throw error;
  }
}

/** Restores a stored version's content under a new number, so that version numbers only rise. */
export function rollbackTo(target: PublishedVersion): Change {
  return { cause: `rollback to ${target.id}`, apply: (staging) => staging.restore(target.number) };
}

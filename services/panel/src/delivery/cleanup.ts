/** Deletes uploads of old runs, unreferenced blobs and unused mirrors. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Blobs } from "../domain/delivery-repositories.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { Mirrors } from "../git/mirrors.ts";

const DAY_MS = 86_400_000;
/** The event retention of the smallest plan. The pushed branch remains at the forge. */
const UPLOADS_RETENTION_MS = 30 * DAY_MS;
/** An upload is recorded moments after its blob is stored. */
const UNNEEDED_RETENTION_MS = DAY_MS;
const MIRRORS_RETENTION_MS = 7 * DAY_MS;
/** Size limit of the mirror cache: the least recently used are removed and fetched again when needed. */
const MIRRORS_BYTES = 20 * 1024 ** 3;
const TEMPORARY_RETENTION_MS = DAY_MS;
const BATCH_SIZE = 500;

interface SweepTarget {
  readonly store: PanelStore;
  readonly blobs: Blobs;
  readonly mirrors: Mirrors;
  /** Temporary folders, in which a killed process may have left files. */
  readonly passing: readonly string[];
}

export async function sweepDeliveries({ store, blobs, mirrors, passing }: SweepTarget, now: number): Promise<void> {
  // The rest waits for the next sweep.
  await store.system.forgetUploads(now - UPLOADS_RETENTION_MS, BATCH_SIZE);
  await blobs.sweep(now - UNNEEDED_RETENTION_MS, (sha256) => store.system.needsBlob(sha256));
  await mirrors.prune({ usedBefore: now - MIRRORS_RETENTION_MS, bytes: MIRRORS_BYTES });
  for (const folder of passing) await removeOlder(folder, now - TEMPORARY_RETENTION_MS);
}

async function removeOlder(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats !== null && stats.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}

/** Opens the store for service and CLI, so that a version published by one is found by the other. */
import { join } from "node:path";
import type { Database } from "@triptych/storage";
import type { PublishedVersions } from "../domain/published-versions.ts";
import { publish, type Change, type Publication, type PublicationStep } from "../domain/publish.ts";
import { SAMPLE_SOURCE, SAMPLE_TAGS, sampleItems } from "../domain/seed-data/sample-items.ts";
import { watchVersions, type SourceEvent, type WatchedSource } from "./catalogue-source.ts";
import { createPublishedVersions, type PublishLock } from "./published-versions.ts";
import { createMemoryEngine, type SnapshotEvent } from "./memory-engine.ts";
import { DIRECTORY_SCHEMA } from "./tables.ts";
import { createPostgresEngine } from "./postgres-catalogue/postgres-engine.ts";
import type { ServingEngine } from "./catalogue-engine.ts";
import { snapshotFiles } from "./snapshot-files.ts";
import type { StoreLocation } from "./snapshot-worker.ts";
import { noSnapshotParts, storedSnapshotParts } from "./snapshot-parts.ts";
import { PUBLISHED_CHANNEL } from "./staging.ts";
import type { DirectoryTables } from "./tables.ts";
import { lockByFile, lockInProcess, lockOnConnection } from "./publish-lock.ts";

export interface DirectoryStoreOptions {
  readonly database: Database<DirectoryTables>;
  /** Location of `database` for other threads; null for a store of this thread only. */
  readonly location: StoreLocation | null;
  /** TRIPTYCH_DATA; snapshots are in its folder `directory`. */
  readonly dataFolder: string;
  readonly engine: "memory" | "postgres";
  readonly indexBytes: number;
  /** Maximum size of its item cache, in bytes; see the engine. */
  readonly itemCacheBytes?: number;
  readonly report: (event: StoreEvent) => void;
  readonly now: () => number;
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

export type StoreEvent = SourceEvent | SnapshotEvent;

export interface DirectoryStore {
  readonly versions: PublishedVersions;
  readonly engine: ServingEngine;
  publish(change: Change, onStep?: (step: PublicationStep) => void): Promise<Publication>;
  openSource(): Promise<WatchedSource>;
}

export function createDirectoryStore(options: DirectoryStoreOptions): DirectoryStore {
  const { database, location, now, report, pause } = options;
  const versions = createPublishedVersions(database, chooseLock(options));
  const files = snapshotFiles(join(options.dataFolder, "directory"));
  const engine =
    options.engine === "postgres"
      ? createPostgresEngine({ database, schema: location?.schema ?? DIRECTORY_SCHEMA, versions, report })
      : createMemoryEngine({
          location,
          versions,
          files,
          parts: database.engine === "postgres" ? storedSnapshotParts(database, files) : noSnapshotParts,
          indexBytes: options.indexBytes,
          itemCacheBytes: options.itemCacheBytes,
          report,
          now,
        });
  return {
    versions,
    engine,
    async publish(change, onStep) {
      const publication = await publish({ versions, prepare: engine.prepare, now, onStep, pause }, change);
      // If no service runs, no other process removes the files of old versions.
      if (publication.outcome === "published") await engine.cleanUp(publication.version);
      return publication;
    },
    async openSource() {
      const listen = (wake: () => void) => database.listen(PUBLISHED_CHANNEL, wake);
      const source = await watchVersions({ versions, engine, report, now, listen });
      // Runs in the background, because undoing a large failed import takes a while.
      const closing = new AbortController();
      const undoing = undoAbandonedStaging(versions, now(), closing.signal).catch(() => {});
      return {
        ...source,
        async close() {
          closing.abort();
          await Promise.all([source.close(), undoing]);
        },
      };
    },
  };
}

/** Frees the space of a killed import. If interrupted, the next publication does it. */
async function undoAbandonedStaging(versions: PublishedVersions, at: number, signal: AbortSignal): Promise<void> {
  if (!(await versions.hasAbandonedStaging())) return;
  const staging = await versions.stage(at, signal);
  await staging.close();
}

function chooseLock({ database, dataFolder, location }: DirectoryStoreOptions): PublishLock {
  if (location === null) return lockInProcess();
  return database.engine === "postgres"
    ? lockOnConnection(database)
    : lockByFile(join(dataFolder, "directory", "publish.lock"));
}

export function sampleChange(now: number): Change {
  return {
    cause: "sample",
    async apply(staging) {
      await staging.upsert(sampleItems(now), now);
      await staging.upsertLabels(SAMPLE_TAGS.map((label) => ({ ...label, uses: 1 })));
    },
  };
}

export const isBareSample = (staging: Parameters<Change["apply"]>[0]): Promise<boolean> =>
  staging.holdsOnly(SAMPLE_SOURCE);

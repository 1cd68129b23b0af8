/**
 * The in-memory engine and its snapshots: files in the data folder, on PostgreSQL also in the store, so that every node
 * serves the same bytes. A node without the file fetches it or builds it from the rows. Damaged, truncated or foreign
 * files are rebuilt.
 */
import { buildIndex } from "../domain/index/build.ts";
import { keepItems } from "../domain/index/item-store.ts";
import { openMemoryCatalogue } from "../domain/index/memory-catalogue.ts";
import { readSnapshotHeader, readSnapshotIndex, SnapshotRefused } from "../domain/index/snapshot.ts";
import type { PublishedVersion, PublishedVersions } from "../domain/published-versions.ts";
import type { Prepared } from "../domain/publish.ts";
import { IndexTooLarge, megabytes, type OpenCatalogue, type ServingEngine } from "./catalogue-engine.ts";
import { type SnapshotFiles, openSnapshotReader } from "./snapshot-files.ts";
import type { SnapshotParts } from "./snapshot-parts.ts";
import { buildInWorker, type StoreLocation } from "./snapshot-worker.ts";

export interface MemoryEngineOptions {
  readonly location: StoreLocation | null;
  readonly versions: PublishedVersions;
  readonly files: SnapshotFiles;
  readonly parts: SnapshotParts;
  readonly indexBytes: number;
  /** Items are cached in memory if all of them fit in this size. */
  readonly itemCacheBytes?: number | undefined;
  readonly report: (event: SnapshotEvent) => void;
  readonly now: () => number;
}

export interface SnapshotEvent {
  readonly version: string;
  readonly what: "refused" | "fetched" | "rebuilt" | "differs";
  readonly reason?: string;
}

/** Smaller versions are built in the calling thread. This takes half a second, little more than starting a thread. */
const BUILT_HERE = 2000;

export function createMemoryEngine(options: MemoryEngineOptions): ServingEngine {
  const { files, parts, indexBytes, report, now } = options;
  return {
    name: "memory",

    async prepare(staged) {
      const { path, result } = await rebuildInThisThread(options, staged);
      if (result.indexBytes > indexBytes) {
        await files.removePassing(path);
        throw new IndexTooLarge(result.indexBytes, indexBytes);
      }
      return prepared(options, { path, contentHash: result.contentHash, items: result.itemCount });
    },

    async open(version) {
      const found = await tryOpen(options, version);
      if (found !== null) return found;
      if (await parts.fetch(version.id)) {
        report({ version: version.id, what: "fetched" });
        const fetched = await tryOpen(options, version);
        if (fetched !== null) return fetched;
      }
      return openFile(options, version, await rebuild(options, version));
    },

    cleanUp: (served) => files.cleanUp(served, now()),
    distrust: (version) => files.remove(version.id),
  };
}

function rebuildInThisThread({ files, versions }: MemoryEngineOptions, version: number) {
  return files.write(async (sink) =>
    buildIndex({ items: versions.items(version), tagLabels: await versions.labels(version) }, sink),
  );
}

/** Returns the content hash of what was built. */
async function rebuild(options: MemoryEngineOptions, version: PublishedVersion): Promise<string> {
  const { location, files, report } = options;
  const { path, result } =
    version.items > BUILT_HERE && location !== null
      ? await buildInWorker({ location, folder: files.folder, version: version.number })
      : await rebuildInThisThread(options, version.number);
  report({ version: version.id, what: "rebuilt" });
  if (result.contentHash !== version.contentHash) report(differs(version));
  await files.install(path, version.id);
  return result.contentHash;
}

/** The rows of the version were changed from outside. */
export function differs(version: PublishedVersion): SnapshotEvent {
  const reason = "the rows of this version do not match the published content hash";
  return { version: version.id, what: "differs", reason };
}

async function tryOpen(options: MemoryEngineOptions, version: PublishedVersion): Promise<OpenCatalogue | null> {
  if (!(await options.files.exists(version.id))) return null;
  try {
    return await openFile(options, version, version.contentHash);
  } catch (error) {
    if (!(error instanceof SnapshotRefused)) throw error;
    options.report({ version: version.id, what: "refused", reason: error.message });
    return null;
  }
}

async function openFile(
  { files, indexBytes, itemCacheBytes }: MemoryEngineOptions,
  version: PublishedVersion,
  contentHash: string,
): Promise<OpenCatalogue> {
  const path = files.pathOf(version.id);
  const reader = openSnapshotReader(path);
  try {
    const { indexLength } = await readSnapshotHeader(reader.source);
    if (indexLength > indexBytes) throw new IndexTooLarge(indexLength, indexBytes);
    const index = await readSnapshotIndex(reader.source);
    const { header } = index;
    if (header.contentHash !== contentHash)
      throw new SnapshotRefused("the snapshot's content differs from the version's");
    const cachedItems = keepItems(header, itemCacheBytes);
    return {
      catalogue: openMemoryCatalogue({ index, source: reader.source, cachedItems, version }),
      shared: { path, index, cachedItems },
      about: `${header.itemCount} items, ${megabytes(header.indexLength)} of index`,
      close: reader.close,
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function prepared(
  { files, parts }: MemoryEngineOptions,
  { path, contentHash, items }: { readonly path: string; readonly contentHash: string; readonly items: number },
): Prepared {
  let installedId: string | null = null;
  return {
    contentHash,
    items,
    async keep(versionId) {
      installedId = versionId;
      await parts.store(path, versionId);
      await files.install(path, versionId);
    },
    async discard() {
      await files.removePassing(path);
      if (installedId === null) return;
      await files.remove(installedId);
      await parts.drop(installedId);
    },
  };
}

/**
 * The in-memory engine and its snapshots: files in the data folder, on PostgreSQL also in the store, so that every node
 * serves the same bytes. A node without the file fetches it or builds it from the rows. Damaged, truncated or foreign
 * files are rebuilt.
 */
import {
  buildIndex,
  keepItems,
  openMemoryCatalogue,
  readSnapshotHeader,
  readSnapshotIndex,
  SnapshotRefused,
} from "../domain/index/index.ts";
import type { PublishedVersion, PublishedVersions } from "../domain/published-versions.ts";
import type { Prepared } from "../domain/publish.ts";
import { IndexTooLarge, megabytes, type OpenCatalogue, type ServingEngine } from "./catalogue-engine.ts";
import type { SnapshotFiles } from "./snapshot-files.ts";
import type { SnapshotParts } from "./snapshot-parts.ts";
import { openSnapshotReader } from "./snapshot-reader.ts";
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

/** Smaller versions are built in the calling thread: half a second, little more than starting a thread. */
const BUILT_HERE = 2000;

export function createMemoryEngine(options: MemoryEngineOptions): ServingEngine {
  const { location, versions, files, parts, indexBytes, itemCacheBytes, report } = options;

  const buildHere = (version: number) =>
    files.write(async (sink) =>
      buildIndex({ items: versions.storedItems(version), tagLabels: await versions.labels(version) }, sink),
    );

  const rebuild = async (version: PublishedVersion) => {
    const aside = version.items > BUILT_HERE && location !== null;
    const { path, result } = aside
      ? await buildInWorker({ location, folder: files.folder, version: version.number })
      : await buildHere(version.number);
    report({ version: version.id, what: "rebuilt" });
    if (result.contentHash !== version.contentHash) {
      report({
        version: version.id,
        what: "differs",
        reason: "the rows of this version do not match the published content hash",
      });
    }
    await files.install(path, version.id);
    return result.contentHash;
  };

  const tryOpen = async (version: PublishedVersion, contentHash: string): Promise<OpenCatalogue | null> => {
    if (!(await files.exists(version.id))) return null;
    try {
      return await openFile(version, contentHash);
    } catch (error) {
      if (!(error instanceof SnapshotRefused)) throw error;
      report({ version: version.id, what: "refused", reason: error.message });
      return null;
    }
  };

  const openFile = async (version: PublishedVersion, contentHash: string): Promise<OpenCatalogue> => {
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
  };

  return {
    name: "memory",

    async prepare(staged) {
      const { path, result } = await buildHere(staged);
      if (result.indexBytes > indexBytes) {
        await files.removePassing(path);
        throw new IndexTooLarge(result.indexBytes, indexBytes);
      }
      return prepared({ path, contentHash: result.contentHash, items: result.itemCount });
    },

    async open(version) {
      const found = await tryOpen(version, version.contentHash);
      if (found !== null) return found;
      if (await parts.fetch(version.id)) {
        report({ version: version.id, what: "fetched" });
        const fetched = await tryOpen(version, version.contentHash);
        if (fetched !== null) return fetched;
      }
      return openFile(version, await rebuild(version));
    },

    cleanUp: (served) => files.cleanUp(served, options.now()),
    distrust: (version) => files.remove(version.id),
  };

  function prepared({ path, contentHash, items }: { path: string; contentHash: string; items: number }): Prepared {
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
}

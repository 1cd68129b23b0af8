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
import type { Edition, Editions } from "../domain/published-versions.ts";
import type { Prepared } from "../domain/publish.ts";
import { IndexTooLarge, megabytes, type OpenCatalogue, type ServingEngine } from "./catalogue-engine.ts";
import type { SnapshotFiles } from "./snapshot-files.ts";
import type { SnapshotParts } from "./snapshot-parts.ts";
import { openSnapshotReader } from "./snapshot-reader.ts";
import { buildInWorker, type StorePlace } from "./snapshot-worker.ts";

export interface MemoryEngineOptions {
  readonly place: StorePlace | null;
  readonly editions: Editions;
  readonly files: SnapshotFiles;
  readonly parts: SnapshotParts;
  readonly indexBytes: number;
  /** Items are cached in memory if all of them fit in this size. */
  readonly keptItemBytes?: number | undefined;
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
  const { place, editions, files, parts, indexBytes, keptItemBytes, report } = options;

  const buildHere = (version: number) =>
    files.write(async (sink) =>
      buildIndex({ items: editions.storedItems(version), tagLabels: await editions.labels(version) }, sink),
    );

  const rebuild = async (edition: Edition) => {
    const aside = edition.items > BUILT_HERE && place !== null;
    const { path, result } = aside
      ? await buildInWorker({ place, folder: files.folder, version: edition.number })
      : await buildHere(edition.number);
    report({ version: edition.id, what: "rebuilt" });
    if (result.contentHash !== edition.contentHash) {
      report({
        version: edition.id,
        what: "differs",
        reason: "the rows of this version do not match the published content hash",
      });
    }
    await files.install(path, edition.id);
    return result.contentHash;
  };

  const tryOpen = async (edition: Edition, contentHash: string): Promise<OpenCatalogue | null> => {
    if (!(await files.exists(edition.id))) return null;
    try {
      return await openFile(edition, contentHash);
    } catch (error) {
      if (!(error instanceof SnapshotRefused)) throw error;
      report({ version: edition.id, what: "refused", reason: error.message });
      return null;
    }
  };

  const openFile = async (edition: Edition, contentHash: string): Promise<OpenCatalogue> => {
    const path = files.pathOf(edition.id);
    const reader = openSnapshotReader(path);
    try {
      const { indexLength } = await readSnapshotHeader(reader.source);
      if (indexLength > indexBytes) throw new IndexTooLarge(indexLength, indexBytes);
      const index = await readSnapshotIndex(reader.source);
      const { header } = index;
      if (header.contentHash !== contentHash)
        throw new SnapshotRefused("the snapshot's content differs from the version's");
      const kept = keepItems(header, keptItemBytes);
      return {
        catalogue: openMemoryCatalogue({ index, source: reader.source, kept, version: edition }),
        shared: { path, index, kept },
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

    async open(edition) {
      const found = await tryOpen(edition, edition.contentHash);
      if (found !== null) return found;
      if (await parts.fetch(edition.id)) {
        report({ version: edition.id, what: "fetched" });
        const fetched = await tryOpen(edition, edition.contentHash);
        if (fetched !== null) return fetched;
      }
      return openFile(edition, await rebuild(edition));
    },

    tidy: (served) => files.tidy(served, options.now()),
    distrust: (edition) => files.remove(edition.id),
  };

  function prepared({ path, contentHash, items }: { path: string; contentHash: string; items: number }): Prepared {
    let kept: string | null = null;
    return {
      contentHash,
      items,
      async keep(versionId) {
        kept = versionId;
        await parts.store(path, versionId);
        await files.install(path, versionId);
      },
      async discard() {
        await files.removePassing(path);
        if (kept === null) return;
        await files.remove(kept);
        await parts.drop(kept);
      },
    };
  }
}

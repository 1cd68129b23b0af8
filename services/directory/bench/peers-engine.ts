/**
 * The memory engine over generated data, in this process, opened from a snapshot file as by the service. Every item has
 * been read once, because peers have warm caches too.
 */
import { openSync, closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Catalogue, NO_FILTERS } from "../src/domain/catalogue.ts";
import { buildIndex } from "../src/domain/index/build.ts";
import { keepItems } from "../src/domain/index/item-store.ts";
import { openMemoryCatalogue } from "../src/domain/index/memory-catalogue.ts";
import { readSnapshotIndex } from "../src/domain/index/snapshot.ts";
import { viewIndex, type IndexViews } from "../src/domain/index/index-views.ts";
import { memoryShare } from "../src/store/open-store.ts";
import { openSnapshotReader } from "../src/store/snapshot-files.ts";
import { benchData } from "./generated-items.ts";

export interface OpenEngine extends AsyncDisposable {
  readonly catalogue: Catalogue;
  readonly index: IndexViews;
  /** The size of the whole snapshot. */
  readonly bytes: number;
}

export async function openEngine(folder: string, items: number): Promise<OpenEngine> {
  const path = join(folder, "engine.snapshot");
  const file = openSync(path, "w");
  const sink = {
    async append(bytes: Uint8Array) {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    },
  };
  const data = benchData(items);
  const built = await buildIndex({ items: data.items(), tagLabels: data.tagLabels }, sink);
  closeSync(file);

  const reader = openSnapshotReader(path);
  const index = await readSnapshotIndex(reader.source);
  const catalogue = openMemoryCatalogue({
    index,
    source: reader.source,
    cachedItems: keepItems(index.header, memoryShare(1 / 8)),
    version: { number: 1, id: "1-bench", publishedAt: 0 },
  });
  const everything = { ...NO_FILTERS, sort: "title", offset: 0, limit: items, variant: "all" } as const;
  for await (const _item of catalogue.stream(everything));
  return {
    catalogue,
    index: viewIndex(index),
    bytes: built.bytes,
    [Symbol.asyncDispose]: reader.close,
  };
}

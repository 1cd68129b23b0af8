/** The memory engine over generated data, in this process: a snapshot file and what is opened on it. */
import { openSync, closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Catalogue } from "../src/domain/catalogue.ts";
import { buildIndex, openMemoryCatalogue, readSnapshotIndex } from "../src/domain/index/index.ts";
import { viewIndex, type IndexViews } from "../src/domain/index/index-views.ts";
import { openSnapshotReader } from "../src/store/snapshot-reader.ts";
import { benchData } from "./generated-items.ts";

export interface OpenEngine extends Disposable {
  readonly catalogue: Catalogue;
  readonly index: IndexViews;
  /** Of the whole snapshot. */
  readonly bytes: number;
}

export async function openEngine(folder: string, items: number): Promise<OpenEngine> {
  const path = join(folder, "engine.snapshot");
  const file = openSync(path, "w");
  const sink = {
    append(bytes: Uint8Array) {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    },
  };
  const data = benchData(items);
  const built = await buildIndex({ items: data.items(), tagLabels: data.tagLabels }, sink);
  closeSync(file);

  const reader = openSnapshotReader(path);
  const index = await readSnapshotIndex(reader.source);
  return {
    catalogue: openMemoryCatalogue({
      index,
      source: reader.source,
      version: { number: 1, id: "1-bench", publishedAt: 0 },
    }),
    index: viewIndex(index),
    bytes: built.bytes,
    [Symbol.dispose]: () => reader.close(),
  };
}

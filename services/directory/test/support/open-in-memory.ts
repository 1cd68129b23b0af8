/** A catalogue of these items through a snapshot's bytes, as in production. */
import type { Catalogue, StoredItem, TagLabel } from "../../src/domain/catalogue.ts";
import {
  buildIndex,
  keepItems,
  memorySink,
  memorySource,
  openMemoryCatalogue,
  readSnapshotIndex,
} from "../../src/domain/index/index.ts";

export async function buildInMemory(items: readonly StoredItem[], tagLabels: readonly TagLabel[]): Promise<Uint8Array> {
  const sink = memorySink();
  await buildIndex({ items, tagLabels }, sink);
  return sink.bytes();
}

export async function openInMemory(items: readonly StoredItem[], tagLabels: readonly TagLabel[]): Promise<Catalogue> {
  const source = memorySource(await buildInMemory(items, tagLabels));
  const index = await readSnapshotIndex(source);
  const version = { number: 1, id: `1-${index.header.contentHash.slice(0, 12)}`, publishedAt: 0 };
  return openMemoryCatalogue({ index, source, cachedItems: keepItems(index.header), version });
}

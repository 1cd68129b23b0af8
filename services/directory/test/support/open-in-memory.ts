/** A catalogue of these items through a snapshot's bytes, as in production. */
import type { Catalogue, StoredItem, TagLabel } from "../../src/domain/catalogue.ts";
import { buildIndex } from "../../src/domain/index/build.ts";
import { keepItems } from "../../src/domain/index/item-store.ts";
import { openMemoryCatalogue } from "../../src/domain/index/memory-catalogue.ts";
import { readSnapshotIndex, type ByteSink, type ByteSource } from "../../src/domain/index/snapshot.ts";

interface MemorySink extends ByteSink {
  bytes(): Uint8Array;
}

export function memorySink(): MemorySink {
  const pieces: Uint8Array[] = [];
  return {
    async append(bytes) {
      pieces.push(bytes);
    },
    bytes: () => Buffer.concat(pieces),
  };
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

export async function buildInMemory(items: Iterable<StoredItem>, tagLabels: readonly TagLabel[]): Promise<Uint8Array> {
  const sink = memorySink();
  await buildIndex({ items, tagLabels }, sink);
  return sink.bytes();
}

export async function openInMemory(items: Iterable<StoredItem>, tagLabels: readonly TagLabel[]): Promise<Catalogue> {
  const source = memorySource(await buildInMemory(items, tagLabels));
  const index = await readSnapshotIndex(source);
  const version = { number: 1, id: `1-${index.header.contentHash.slice(0, 12)}`, publishedAt: 0 };
  return openMemoryCatalogue({ index, source, cachedItems: keepItems(index.header), version });
}

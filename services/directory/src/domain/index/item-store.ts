/**
 * Reads items from a snapshot by rank. The checksum is compared whenever bytes come from the source, so damaged items
 * are never served. If all items fit in memory (`keepItems`), they are cached after the first read.
 */
import { crc32 } from "node:zlib";
import type { Variant } from "../catalogue.ts";
import type { IndexViews } from "./index-views.ts";
import { SnapshotRefused, type ByteSource, type SnapshotHeader } from "./snapshot.ts";

const CLOSING_BRACE = "}".charCodeAt(0);

/**
 * Cached items at their snapshot offsets, with a flag per rank. Shared by all threads on a snapshot: two that read the
 * same item write the same bytes. Unused pages take no memory.
 */
export interface CachedItems {
  readonly bytes: SharedArrayBuffer;
  readonly loaded: SharedArrayBuffer;
}

/** 256 MiB contain about 200,000 items. */
const ITEM_CACHE_BYTES_MAX = 1 << 28;

export function keepItems({ itemsLength, itemCount }: SnapshotHeader, most = ITEM_CACHE_BYTES_MAX): CachedItems | null {
  if (itemsLength > most) return null;
  return { bytes: new SharedArrayBuffer(itemsLength), loaded: new SharedArrayBuffer(itemCount) };
}

export interface ItemStore {
  /** Do not write to the results. */
  read(ranks: readonly number[], variant: Variant): Promise<Uint8Array[]>;
}

export function openItemStore(
  index: IndexViews,
  source: ByteSource,
  cachedItems: CachedItems | null = null,
): ItemStore {
  const memory = cachedItems && { bytes: Buffer.from(cachedItems.bytes), loaded: new Uint8Array(cachedItems.loaded) };

  const checked = (rank: number, bytes: Uint8Array): Uint8Array => {
    if (crc32(bytes) !== index.checksums[rank])
      throw new SnapshotRefused("an item of the snapshot is damaged (checksum mismatch)");
    if (memory !== null) {
      memory.bytes.set(bytes, index.offsets[rank]);
      Atomics.store(memory.loaded, rank, 1);
    }
    return bytes;
  };
  const shaped = (rank: number, variant: Variant, bytes: Uint8Array): Uint8Array => {
    if (variant === "all") return bytes;
    const length = index.summaryLengths[rank];
    const summary = Buffer.allocUnsafe(length + 1);
    summary.set(bytes.subarray(0, length));
    summary[length] = CLOSING_BRACE;
    return summary;
  };

  const cached = (rank: number): Uint8Array | null =>
    memory !== null && Atomics.load(memory.loaded, rank) === 1
      ? memory.bytes.subarray(index.offsets[rank], index.offsets[rank + 1])
      : null;
  const load = async (rank: number): Promise<Uint8Array> => {
    const offset = index.offsets[rank];
    return checked(rank, await source.read(offset, index.offsets[rank + 1] - offset));
  };

  return {
    async read(ranks, variant) {
      const found = ranks.map(cached);
      // Without promises for a page from memory: they would take as long as finding it.
      const items = found.every((bytes) => bytes !== null)
        ? found
        : await Promise.all(found.map(async (bytes, at) => bytes ?? load(ranks[at])));
      return items.map((bytes, at) => shaped(ranks[at], variant, bytes));
    },
  };
}

/**
 * Reads items out of a snapshot, by rank. A damaged item is refused, never served: its checksum is compared whenever its bytes
 * come from the source. What was read stays in memory where there is room for all items (`keepItems`): asked for again, it costs
 * neither a read nor a checksum.
 */
import { crc32 } from "node:zlib";
import type { Variant } from "../catalogue.ts";
import type { IndexViews } from "./index-views.ts";
import { SnapshotRefused, type ByteSource, type SnapshotHeader } from "./snapshot.ts";

const CLOSING_BRACE = "}".charCodeAt(0);

/**
 * Items already read, each at its place in the snapshot, and by rank whether it is there. Shared by all threads that serve the same
 * snapshot: two may read the same item at the same time, and write the same bytes. Pages nobody asked for take no memory.
 */
export interface KeptItems {
  readonly bytes: SharedArrayBuffer;
  readonly known: SharedArrayBuffer;
}

/** 256 MiB hold some 200 000 items. */
const KEPT_BYTES = 1 << 28;

/** Room for all items of a snapshot; null where they take more than `most` bytes. */
export function keepItems({ itemsLength, itemCount }: SnapshotHeader, most = KEPT_BYTES): KeptItems | null {
  if (itemsLength > most) return null;
  return { bytes: new SharedArrayBuffer(itemsLength), known: new SharedArrayBuffer(itemCount) };
}

export interface ItemStore {
  /** Synchronous when the source is: a page of twenty items then costs no turn of the event loop. Not to be written to. */
  read(rank: number, variant: Variant): Uint8Array | Promise<Uint8Array>;
}

export function openItemStore(index: IndexViews, source: ByteSource, kept: KeptItems | null = null): ItemStore {
  const memory = kept && { bytes: Buffer.from(kept.bytes), known: new Uint8Array(kept.known) };

  const checked = (rank: number, bytes: Uint8Array): Uint8Array => {
    if (crc32(bytes) !== index.checksums[rank])
      throw new SnapshotRefused("an item of the snapshot is damaged (its checksum differs)");
    if (memory !== null) {
      memory.bytes.set(bytes, index.offsets[rank]);
      Atomics.store(memory.known, rank, 1);
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

  return {
    read(rank, variant) {
      const offset = index.offsets[rank];
      const end = index.offsets[rank + 1];
      if (memory !== null && Atomics.load(memory.known, rank) === 1)
        return shaped(rank, variant, memory.bytes.subarray(offset, end));
      const bytes = source.read(offset, end - offset);
      return bytes instanceof Uint8Array
        ? shaped(rank, variant, checked(rank, bytes))
        : bytes.then((read) => shaped(rank, variant, checked(rank, read)));
    },
  };
}

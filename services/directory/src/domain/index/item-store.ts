/** Reads items out of a snapshot, by rank. A damaged item is refused, never served. */
import { crc32 } from "node:zlib";
import type { Variant } from "../catalogue.ts";
import type { IndexViews } from "./index-views.ts";
import { SnapshotRefused, type ByteSource } from "./snapshot.ts";

const CLOSING_BRACE = "}".charCodeAt(0);

/** Synchronous when the source is: a page of twenty items then costs no turn of the event loop. */
export function readItem(
  index: IndexViews,
  source: ByteSource,
  { rank, variant }: { rank: number; variant: Variant },
): Uint8Array | Promise<Uint8Array> {
  const offset = index.offsets[rank];
  const bytes = source.read(offset, index.offsets[rank + 1] - offset);
  return bytes instanceof Uint8Array
    ? checked(index, rank, variant, bytes)
    : bytes.then((read) => checked(index, rank, variant, read));
}

function checked(index: IndexViews, rank: number, variant: Variant, bytes: Uint8Array): Uint8Array {
  if (crc32(bytes) !== index.checksums[rank])
    throw new SnapshotRefused("an item of the snapshot is damaged (its checksum differs)");
  if (variant === "all") return bytes;
  const length = index.summaryLengths[rank];
  const summary = Buffer.allocUnsafe(length + 1);
  summary.set(bytes.subarray(0, length));
  summary[length] = CLOSING_BRACE;
  return summary;
}

import { hashContent } from "./content-hash.ts";
import { viewIndex } from "./index-views.ts";
import { openItemStore } from "./item-store.ts";
import { SnapshotRefused, type ByteSource, type SnapshotIndex } from "./snapshot.ts";

/** Reads everything, so use it for `verify`, not for opening. Throws `SnapshotRefused`. */
export async function checkContent(snapshot: SnapshotIndex, source: ByteSource): Promise<void> {
  const index = viewIndex(snapshot);
  const items = openItemStore(index, source);
  const content = hashContent();
  for (let rank = 0; rank < index.count; rank++) {
    const [json] = await items.read([rank], "all");
    content.add(json);
  }
  if (content.finish(index.meta.tags) !== snapshot.header.contentHash) {
    throw new SnapshotRefused("the items of the snapshot are damaged (content hash mismatch)");
  }
}

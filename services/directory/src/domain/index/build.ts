/**
 * Builds a snapshot from a stream of items. Items pass through once, in the order of (type, slug) by bytes: their JSON goes
 * straight to the sink, and only what the index needs of them stays in memory. The same items give the same bytes.
 *
 * Two orders: the *rank* of an item is its place in (type, slug) order, the order of its bytes in the file; its *id* is its place
 * in French title order, ties by rank. Postings hold ids, so that ascending ids are the title order and no query compares text.
 */
import type { ItemFields, StoredItem, TagLabel } from "../catalogue.ts";
import { collectFacts } from "./build-facts.ts";
import { collectItemBytes } from "./build-item-bytes.ts";
import { collectWords } from "./build-words.ts";
import { textsOf } from "./item-text.ts";
import { collectMeta } from "./meta.ts";
import { writeSnapshot, type ByteSink, type Section } from "./snapshot.ts";
import { compareBytes } from "./string-table.ts";

export interface IndexInput {
  /** In strictly rising order of (type, slug) by bytes; `stored` is the item's JSON, where it is at hand. */
  readonly items: AsyncIterable<IndexItem> | Iterable<IndexItem>;
  readonly tagLabels: Iterable<TagLabel>;
}

export interface IndexItem extends Pick<StoredItem, "item"> {
  readonly stored?: string;
}

export interface BuiltIndex {
  readonly itemCount: number;
  /** SHA-256 in hex; the first 12 digits are part of the version's id. */
  readonly contentHash: string;
  /** Length of the whole snapshot, and of its index alone. */
  readonly bytes: number;
  readonly indexBytes: number;
}

/** Writes a whole snapshot to the sink. Throws when items come out of order or twice. */
export async function buildIndex({ items, tagLabels }: IndexInput, sink: ByteSink): Promise<BuiltIndex> {
  const labels = new Map(Array.from(tagLabels, ({ slug, label }) => [slug, label]));
  const snapshot = await writeSnapshot(sink);
  const bytes = collectItemBytes(snapshot);
  const facts = collectFacts();
  const words = collectWords();
  const meta = collectMeta(labels);

  let previous: ItemFields | null = null;
  for await (const { item, stored } of items) {
    assertFollows(previous, item);
    previous = item;
    const writing = bytes.add(item, stored);
    if (writing !== undefined) await writing;
    facts.add(item);
    words.add(textsOf(item, (slug) => labels.get(slug)));
    meta.add(item);
  }

  const write = async (sections: Iterable<Section>) => {
    for (const section of sections) await snapshot.section(...section);
  };
  await write(await bytes.finish());
  const indexBegins = snapshot.position;
  const order = facts.titleOrder();
  await write(facts.finish(order));
  await write(words.sections(order));
  const about = meta.finish();
  const contentHash = bytes.contentHash(about.tags);
  await snapshot.finish({ itemCount: order.length, contentHash, meta: about });
  return {
    itemCount: order.length,
    contentHash,
    bytes: snapshot.position,
    indexBytes: snapshot.position - indexBegins,
  };
}

function assertFollows(previous: ItemFields | null, item: ItemFields): void {
  if (previous === null) return;
  if ((compareBytes(previous.type, item.type) || compareBytes(previous.slug, item.slug)) >= 0) {
    throw new Error(
      `items must come once each in order of (type, slug): ${item.type}/${item.slug} came after ${previous.type}/${previous.slug}`,
    );
  }
}

/**
 * Builds a snapshot from a stream of items. JSON goes straight to the sink; memory contains only index data.
 * Deterministic.
 *
 * An item's *rank* is its position by (type, slug), as in the file; its *id* its position by French title, ties by
 * rank. Postings contain ids, so ascending ids are title order, and queries never compare text.
 */
import type { ItemFields, TagLabel, VersionedItem } from "../catalogue.ts";
import { collectFacts, titleOrder } from "./build-facts.ts";
import { collectItemBytes } from "./build-item-bytes.ts";
import { collectSuggestions, foldTitles, suggestionSections } from "./build-suggestions.ts";
import { collectTerms } from "./build-words.ts";
import { textsOf } from "./impact-scores.ts";
import { collectMeta } from "./meta.ts";
import { writeSnapshot, type ByteSink, type Section } from "./snapshot.ts";
import { compareBytes } from "./string-table.ts";

/** Without a version, an item counts as unchanged since before the first one. */
export type IndexedItem = Pick<VersionedItem, "item"> & Partial<Pick<VersionedItem, "fromVersion">>;

export interface IndexInput {
  /** Strictly ascending by (type, slug) in byte order. */
  readonly items: AsyncIterable<IndexedItem> | Iterable<IndexedItem>;
  readonly tagLabels: Iterable<TagLabel>;
}

export interface BuiltIndex {
  readonly itemCount: number;
  /** SHA-256 in hex; its first 12 digits are part of the version ID. */
  readonly contentHash: string;
  readonly bytes: number;
  readonly indexBytes: number;
}

/** Writes a snapshot to the sink. Throws for unordered or duplicate items. */
export async function buildIndex({ items, tagLabels }: IndexInput, sink: ByteSink): Promise<BuiltIndex> {
  const labels = new Map(Array.from(tagLabels, ({ slug, label }) => [slug, label]));
  const snapshot = await writeSnapshot(sink);
  const bytes = collectItemBytes(snapshot);
  const facts = collectFacts();
  const terms = collectTerms();
  const suggestions = collectSuggestions();
  const meta = collectMeta(labels);

  const titles: string[] = [];
  let previous: ItemFields | null = null;
  for await (const { item, fromVersion = 0 } of items) {
    assertFollows(previous, item);
    previous = item;
    await bytes.add(item);
    titles.push(item.title);
    facts.add(item, fromVersion);
    terms.add(textsOf(item, (slug) => labels.get(slug)));
    suggestions.add(item);
    meta.add(item);
  }

  const write = async (sections: Iterable<Section>) => {
    for (const section of sections) await snapshot.section(...section);
  };
  await write(bytes.finish());
  const indexBegins = snapshot.position;
  const order = titleOrder(titles);
  await write(facts.finish(order));
  const foldedTitles = foldTitles(titles);
  // A million titles take 75 MB, and the sections of terms need the most memory.
  titles.length = 0;
  await write(terms.sections(order));
  terms.clear();
  await write(suggestionSections(suggestions.finish(foldedTitles, (slug) => labels.get(slug) ?? slug)));
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
      `items must be unique and ordered by (type, slug): ${item.type}/${item.slug} follows ${previous.type}/${previous.slug}`,
    );
  }
}

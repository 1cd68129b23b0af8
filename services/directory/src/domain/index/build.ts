/**
 * Builds a snapshot from a stream of items. Items pass through once, in the order of (type, slug) by bytes: their JSON goes
 * straight to the sink, and only what the index needs of them stays in memory. The same items give the same bytes.
 *
 * Two orders: the *rank* of an item is its place in (type, slug) order, the order of its bytes in the file; its *id* is its place
 * in French title order, ties by rank. Postings hold ids, so that ascending ids are the title order and no query compares text.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { ITEM_TYPES } from "@triptych/contracts";
import type { ItemFields, StoredItem, TagLabel } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { DEPARTEMENT_NUMBERS, REGION_NUMBERS, TYPE_NUMBERS } from "./area-numbers.ts";
import { invert, invertColumn } from "./build-lists.ts";
import { collectWords } from "./build-words.ts";
import { buildGrid } from "./grid.ts";
import { growingUint32 } from "./growing.ts";
import { renderItem } from "./item-json.ts";
import { textsOf } from "./item-text.ts";
import { collectMeta } from "./meta.ts";
import { writeSnapshot, type ByteSink } from "./snapshot.ts";
import { buildStringTable, compareBytes } from "./string-table.ts";

/** Item bytes are handed over in pieces of about this size. */
const BLOCK = 1 << 18;

export interface IndexInput {
  /** In strictly rising order of (type, slug) by bytes. */
  readonly items: AsyncIterable<StoredItem> | Iterable<StoredItem>;
  readonly tagLabels: Iterable<TagLabel>;
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
  const hash = createHash("sha256");
  const words = collectWords();
  const meta = collectMeta(labels);
  const titles: string[] = [];
  const slugs: string[] = [];
  const typeEnds = new Uint32Array(ITEM_TYPES.length);
  const updated: number[] = [];
  const places: number[] = [];
  const tagStarts = growingUint32();
  const tagValues = growingUint32();
  const tagNumbers = new Map<string, number>();
  const departementColumn: number[] = [];
  const regionColumn: number[] = [];
  const typeColumn: number[] = [];
  const offsets: number[] = [];
  const summaryLengths = growingUint32();
  const checksums = growingUint32();
  let block: Uint8Array[] = [];
  let blockLength = 0;
  const flush = async () => {
    await snapshot.append(Buffer.concat(block));
    block = [];
    blockLength = 0;
  };

  let previous: ItemFields | null = null;
  for await (const { item } of items) {
    assertFollows(previous, item);
    previous = item;
    const { json, summaryLength } = renderItem(item);
    offsets.push(snapshot.position + blockLength);
    summaryLengths.push(summaryLength);
    checksums.push(crc32(json));
    hash.update(json).update("\n");
    blockLength += block.push(json) && json.length;
    if (blockLength >= BLOCK) await flush();

    words.add(textsOf(item, (slug) => labels.get(slug)));
    meta.add(item);
    titles.push(item.title);
    slugs.push(item.slug);
    const type = TYPE_NUMBERS.get(item.type) ?? 0;
    typeEnds.fill(slugs.length, type - 1);
    typeColumn.push(type);
    departementColumn.push(DEPARTEMENT_NUMBERS.get(item.departement?.code ?? "") ?? 0);
    regionColumn.push(REGION_NUMBERS.get(item.region?.code ?? "") ?? 0);
    updated.push(Date.parse(item.updated_at));
    places.push(item.location?.lat ?? NaN, item.location?.lon ?? NaN);
    tagStarts.push(tagValues.length);
    for (const tag of item.tags) {
      let number = tagNumbers.get(tag);
      if (number === undefined) tagNumbers.set(tag, (number = tagNumbers.size));
      tagValues.push(number);
    }
  }
  await flush();
  offsets.push(snapshot.position);

  const count = titles.length;
  const order = titleOrder(titles);
  const byId = (values: readonly number[]) => Uint8Array.from(order, (rank) => values[rank]);
  await snapshot.section("offsets", Float64Array.from(offsets));
  await snapshot.section("summaryLengths", toArray(summaryLengths));
  await snapshot.section("checksums", toArray(checksums));
  await snapshot.section("ranks", order);
  const slugTable = buildStringTable(slugs);
  await snapshot.section("slugs", slugTable.bytes);
  await snapshot.section("slugStarts", slugTable.starts);
  await snapshot.section("typeEnds", typeEnds);

  for (const [name, column, values] of [
    ["type", byId(typeColumn), ITEM_TYPES.length],
    ["departement", byId(departementColumn), DEPARTEMENTS.length],
    ["region", byId(regionColumn), REGIONS.length],
  ] as const) {
    const lists = invertColumn(column, values);
    await snapshot.section(`${name}Column`, column);
    await snapshot.section(`${name}Starts`, lists.starts);
    await snapshot.section(`${name}Ids`, lists.ids);
  }

  const tags = [...tagNumbers.keys()].sort(compareBytes);
  const tagPlaces = new Map(tags.map((tag, place) => [tagNumbers.get(tag), place]));
  const itemTagStarts = new Uint32Array(count + 1);
  const itemTags = new Uint32Array(tagValues.length);
  let filled = 0;
  for (const [id, rank] of order.entries()) {
    const end = rank + 1 < count ? tagStarts.at(rank + 1) : tagValues.length;
    for (let at = tagStarts.at(rank); at < end; at++) itemTags[filled++] = tagPlaces.get(tagValues.at(at)) ?? 0;
    itemTagStarts[id + 1] = filled;
  }
  const tagTable = buildStringTable(tags);
  const tagLists = invert(itemTagStarts, itemTags, tags.length);
  await snapshot.section("tags", tagTable.bytes);
  await snapshot.section("tagNames", tagTable.starts);
  await snapshot.section("itemTagStarts", itemTagStarts);
  await snapshot.section("itemTags", itemTags);
  await snapshot.section("tagStarts", tagLists.starts);
  await snapshot.section("tagIds", tagLists.ids);

  const grid = buildGrid(
    Float64Array.from(order, (rank) => places[rank * 2]),
    Float64Array.from(order, (rank) => places[rank * 2 + 1]),
  );
  await snapshot.section("bands", grid.bands);
  await snapshot.section("pointIds", grid.ids);
  await snapshot.section("vectors", grid.vectors);
  await snapshot.section("points", grid.positions);

  const updates = Float64Array.from(order, (rank) => updated[rank]);
  const updateOrder = Uint32Array.from(order.keys()).sort((a, b) => updates[a] - updates[b] || a - b);
  await snapshot.section("updateOrder", updateOrder);
  await snapshot.section("updateGroups", groupStarts(updateOrder, updates));

  const built = words.finish(order);
  await snapshot.section("terms", built.terms.bytes);
  await snapshot.section("termNames", built.terms.starts);
  await snapshot.section("documents", built.documents);
  await snapshot.section("wordStarts", built.starts);
  await snapshot.section("wordIds", built.ids);
  await snapshot.section("wordImpacts", built.impacts);
  await snapshot.section("columnOf", built.columnOf);
  await snapshot.section("columns", built.columns);
  await snapshot.section("surfaces", built.surfaces.bytes);
  await snapshot.section("surfaceNames", built.surfaces.starts);
  await snapshot.section("surfaceTerms", built.surfaceTerms);
  await snapshot.section("surfaceDocuments", built.surfaceDocuments);
  await snapshot.section("alphabet", built.alphabet);

  for (const slug of [...labels.keys()].sort(compareBytes)) hash.update(`${slug}\t${labels.get(slug)}\n`);
  const contentHash = hash.digest("hex");
  await snapshot.finish({ itemCount: count, contentHash, meta: meta.finish() });
  return { itemCount: count, contentHash, bytes: snapshot.position, indexBytes: snapshot.position - offsets[count] };
}

/** French collation as the contract defines it, then rank. The only place where titles are compared. */
function titleOrder(titles: readonly string[]): Uint32Array {
  const { compare } = new Intl.Collator("fr", { sensitivity: "variant", numeric: true });
  return Uint32Array.from(titles.keys()).sort((a, b) => compare(titles[a], titles[b]) || a - b);
}

/** Where each group of equal times begins in the order, and its end. */
function groupStarts(order: Uint32Array, times: Float64Array): Uint32Array {
  const starts: number[] = [];
  for (const [position, id] of order.entries()) {
    if (position === 0 || times[id] !== times[order[position - 1]]) starts.push(position);
  }
  return Uint32Array.from([...starts, order.length]);
}

function assertFollows(previous: ItemFields | null, item: ItemFields): void {
  if (previous === null) return;
  if ((compareBytes(previous.type, item.type) || compareBytes(previous.slug, item.slug)) >= 0) {
    throw new Error(
      `items must come once each in order of (type, slug): ${item.type}/${item.slug} came after ${previous.type}/${previous.slug}`,
    );
  }
}

function toArray(values: { readonly length: number; at(position: number): number }): Uint32Array {
  return Uint32Array.from({ length: values.length }, (_, position) => values.at(position));
}

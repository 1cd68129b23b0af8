/**
 * Inverts "item -> words" into "word -> items". Terms in more than a fifth of the items become columns (one byte of
 * impact per item, 0 = absent), which are smaller than lists of five bytes per item and need no search.
 *
 * Id lists are written in several passes over the collected words, because at once they would double the memory.
 */
import { STOP_WORDS } from "../analyse.ts";
import type { Postings } from "./build-postings.ts";
import type { Names } from "./count-names.ts";
import type { GrowableArray } from "./growable-array.ts";
import { impactOf as impactOfWeight, lengthNorm } from "./impact-scores.ts";
import type { Section } from "./snapshot.ts";
import { buildStringTable, type StringTable } from "./string-table.ts";

const COLUMN_FROM = 1 / 5;
export const NO_COLUMN = 0xffff_ffff;
/** Between the words of a title and those of its commune. */
export const COMMUNE_FOLLOWS = 0xffff_ffff;
/** Postings per pass: 32 MB. */
const STRETCH = 1 << 23;

export interface TermIndex {
  readonly terms: StringTable;
  readonly documents: Uint32Array;
  /** Items with the term in commune, area or tags. */
  readonly structured: Uint32Array;
  /** Postings of term t are at `starts[t]` to `starts[t + 1]`; none for a term with a column. */
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
  readonly impacts: Uint8Array;
  /** The column of a term, or `NO_COLUMN`. Column c starts at `c * items`. */
  readonly columnOf: Uint32Array;
  readonly columns: Uint8Array;
  /** Distinct words as written, without stop words; with their term and number of items. */
  readonly surfaces: StringTable;
  readonly surfaceTerms: Uint32Array;
  readonly surfaceDocuments: Uint32Array;
  /** Words of the title of item i, `COMMUNE_FOLLOWS` and words of its commune: `nameStarts[i]` to `nameStarts[i + 1]`. */
  readonly nameWords: Uint32Array;
  /** Parallel to `nameWords`: most words of names are compared with the terms of a query and match none. */
  readonly nameTerms: Uint32Array;
  readonly nameStarts: Uint32Array;
}

export interface CollectedTerms {
  readonly terms: Names;
  /** Words as written. */
  readonly surfaces: Names;
  readonly termOfSurface: readonly number[];
  readonly postings: Postings;
  /** The sum of weights of each item. */
  readonly lengths: GrowableArray<Uint32Array>;
  readonly structured: readonly number[];
  /** Words as written of titles and communes, by item. */
  readonly names: { readonly words: GrowableArray<Uint32Array>; readonly starts: GrowableArray<Uint32Array> };
}

export function* termSections(collected: CollectedTerms, order: Uint32Array, stretch = STRETCH): Generator<Section> {
  const { names, positions } = collected.terms.sorted();
  const documents = new Uint32Array(names.length);
  for (const [term, count] of collected.terms.documents.entries()) documents[positions[term]] = count;
  const table = buildStringTable(names);
  yield ["terms", table.bytes];
  yield ["termNames", table.starts];
  yield ["documents", documents];
  const structured = new Uint32Array(names.length);
  for (const [term, count] of collected.structured.entries()) structured[positions[term]] = count;
  yield ["structured", structured];

  const impacts = createImpacts(collected, order, positions);
  const layout = layOut(documents, order.length);
  yield* listSections(impacts, layout, stretch);
  yield* columnSections(impacts, layout);
  yield* surfaceSections(collected, positions, order);
}

interface Impacts {
  readonly items: number;
  /** Visits the terms of an item by position. */
  each(id: number, visit: (position: number, weight: number) => void): void;
  impactOf(id: number, weight: number): number;
}

function createImpacts({ postings, lengths }: CollectedTerms, order: Uint32Array, positions: Uint32Array): Impacts {
  const items = order.length;
  let totalLength = 0;
  for (let item = 0; item < items; item++) totalLength += lengths.at(item);
  return {
    items,
    each: (id, visit) => postings.each(order[id], (term, weight) => visit(positions[term], weight)),
    impactOf: (id, weight) => impactOfWeight(lengthNorm(lengths.at(order[id]), totalLength, items), weight),
  };
}

interface Layout {
  readonly columnOf: Uint32Array;
  readonly columnCount: number;
  readonly starts: Uint32Array;
}

/** Decides which terms get a column, and where the postings of the others start. */
function layOut(documents: Uint32Array, items: number): Layout {
  const columnOf = new Uint32Array(documents.length).fill(NO_COLUMN);
  const starts = new Uint32Array(documents.length + 1);
  let columnCount = 0;
  for (const [term, count] of documents.entries()) {
    const isColumn = count > items * COLUMN_FROM;
    if (isColumn) columnOf[term] = columnCount++;
    starts[term + 1] = starts[term] + (isColumn ? 0 : count);
  }
  return { columnOf, columnCount, starts };
}

function* listSections(
  { items, each, impactOf }: Impacts,
  { starts, columnOf }: Layout,
  stretch: number,
): Generator<Section> {
  yield ["wordStarts", starts];
  const impacts = new Uint8Array(starts[starts.length - 1]);
  const cursors = starts.slice();
  const idsOf = (from: number, to: number): Uint32Array => {
    const begin = starts[from];
    const ids = new Uint32Array(starts[to] - begin);
    for (let id = 0; id < items; id++) {
      each(id, (position, weight) => {
        if (position < from || position >= to || columnOf[position] !== NO_COLUMN) return;
        const at = cursors[position]++;
        ids[at - begin] = id;
        impacts[at] = impactOf(id, weight);
      });
    }
    return ids;
  };
  yield ["wordIds", inStretches(starts, stretch, idsOf)];
  yield ["wordImpacts", impacts];
}

function* inStretches(
  starts: Uint32Array,
  most: number,
  idsOf: (from: number, to: number) => Uint32Array,
): Generator<Uint32Array> {
  const terms = starts.length - 1;
  for (let from = 0; from < terms;) {
    let to = from + 1;
    while (to < terms && starts[to + 1] - starts[from] <= most) to++;
    yield idsOf(from, to);
    from = to;
  }
}

function* columnSections({ items, each, impactOf }: Impacts, { columnOf, columnCount }: Layout): Generator<Section> {
  yield ["columnOf", columnOf];
  const columns = new Uint8Array(columnCount * items);
  for (let id = 0; id < items; id++) {
    each(id, (position, weight) => {
      const column = columnOf[position];
      if (column !== NO_COLUMN) columns[column * items + id] = impactOf(id, weight);
    });
  }
  yield ["columns", columns];
}

function* surfaceSections(
  { surfaces, termOfSurface, names: nameLists }: CollectedTerms,
  positions: Uint32Array,
  order: Uint32Array,
): Generator<Section> {
  const { names, numbers, positions: surfacePositions } = surfaces.sorted((surface) => !STOP_WORDS.has(surface));
  const table = buildStringTable(names);
  yield ["surfaces", table.bytes];
  yield ["surfaceNames", table.starts];
  const surfaceTerms = Uint32Array.from(numbers, (number) => positions[termOfSurface[number]]);
  yield ["surfaceTerms", surfaceTerms];
  yield ["surfaceDocuments", Uint32Array.from(numbers, (number) => surfaces.documents[number])];

  const { words, starts } = nameLists;
  const nameStarts = new Uint32Array(order.length + 1);
  const nameWords = new Uint32Array(words.length);
  let filled = 0;
  for (const [id, item] of order.entries()) {
    for (let at = starts.at(item); at < starts.at(item + 1); at++) {
      const word = words.at(at);
      nameWords[filled++] = word === COMMUNE_FOLLOWS ? word : surfacePositions[word];
    }
    nameStarts[id + 1] = filled;
  }
  yield ["nameWords", nameWords];
  yield ["nameStarts", nameStarts];
  const nameTerms = nameWords.map((word) => (word === COMMUNE_FOLLOWS ? word : surfaceTerms[word]));
  yield ["nameTerms", nameTerms];
}

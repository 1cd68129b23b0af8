/**
 * Collects the words of all items, then turns "item -> its words" into "word -> its items". While collecting, an item costs five
 * bytes per distinct term; strings are kept once per distinct word. Terms found in more than a fifth of the items become columns
 * (one byte of impact per item, 0 = absent), which are then smaller than lists of five bytes per item and answer at once.
 */
import { fold, splitFolded, STOP_WORDS, termOf } from "../analyse.ts";
import { growingUint32, growingUint8 } from "./growing.ts";
import { lengthNorm, quantise, rarity, rawImpact, WEIGHT_MAX } from "./impact.ts";
import type { WeightedText } from "./item-text.ts";
import type { SectionArray } from "./snapshot.ts";
import { buildStringTable, compareBytes, type StringTable } from "./string-table.ts";

const COLUMN_FROM = 1 / 5;
export const NO_COLUMN = 0xffff_ffff;

export interface BuiltWords {
  /** Distinct terms. `documents`: how many items have each. */
  readonly terms: StringTable;
  readonly documents: Uint32Array;
  /** Postings of term t stand from `starts[t]` to `starts[t + 1]`; none for a term with a column. */
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
  readonly impacts: Uint8Array;
  /** Which column a term has, or `NO_COLUMN`. Column c begins at `c * items`. */
  readonly columnOf: Uint32Array;
  readonly columns: Uint8Array;
  /** Distinct words as written, without stop words; the term of each, and how many items have it. */
  readonly surfaces: StringTable;
  readonly surfaceTerms: Uint32Array;
  readonly surfaceDocuments: Uint32Array;
  /** Every character of the vocabulary once, in UTF-8. */
  readonly alphabet: Uint8Array;
}

export interface WordCollector {
  /** Adds the next item. */
  add(texts: readonly WeightedText[]): void;
  /** `order[id]` = which added item has that id. */
  finish(order: Uint32Array): Generator<readonly [name: string, array: SectionArray]>;
}

export function collectWords(): WordCollector {
  const terms = countNames();
  const surfaces = countNames();
  const surfaceTerms: number[] = [];
  const weights: number[] = [];
  const itemStarts = growingUint32();
  const itemTerms = growingUint32();
  const itemWeights = growingUint8();
  const lengths = growingUint32();

  const termOfSurface = (surface: number, word: string): number => {
    if (surface === surfaceTerms.length) surfaceTerms.push(terms.numberOf(termOf(word)));
    return surfaceTerms[surface];
  };

  /** Calls back for each posting, in order of ids. */
  const eachPosting = (
    order: Uint32Array,
    places: Uint32Array,
    visit: (id: number, term: number, raw: number) => void,
  ) => {
    const items = order.length;
    let totalLength = 0;
    for (let item = 0; item < items; item++) totalLength += lengths.at(item);
    const rarities = Float64Array.from(terms.documents, (count) => rarity(count, items));
    for (let id = 0; id < items; id++) {
      const item = order[id];
      const norm = lengthNorm(lengths.at(item), totalLength, items);
      const end = item + 1 < items ? itemStarts.at(item + 1) : itemTerms.length;
      for (let at = itemStarts.at(item); at < end; at++) {
        const term = itemTerms.at(at);
        visit(id, places[term], rawImpact(rarities[term], norm, itemWeights.at(at)));
      }
    }
  };

  return {
    add(texts) {
      const item = itemStarts.length;
      const present: number[] = [];
      let length = 0;
      for (const { text, weight, keepsStopWords } of texts) {
        for (const word of splitFolded(fold(text))) {
          if (!keepsStopWords && STOP_WORDS.has(word)) continue;
          const surface = surfaces.numberOf(word);
          const term = termOfSurface(surface, word);
          surfaces.see(surface, item);
          if (terms.see(term, item)) {
            present.push(term);
            weights[term] = 0;
          }
          weights[term] += weight;
          length += weight;
        }
      }
      itemStarts.push(itemTerms.length);
      lengths.push(length);
      for (const term of present) {
        itemTerms.push(term);
        itemWeights.push(Math.min(WEIGHT_MAX, weights[term]));
      }
    },

    *finish(order) {
      const items = order.length;
      const { names, places } = terms.sorted();
      const documents = new Uint32Array(names.length);
      for (const [term, count] of terms.documents.entries()) documents[places[term]] = count;
      const table = buildStringTable(names);
      yield ["terms", table.bytes];
      yield ["termNames", table.starts];
      yield ["documents", documents];

      const { columnOf, columnCount, starts } = layOut(documents, items);
      const ids = new Uint32Array(starts[names.length]);
      const impacts = new Uint8Array(ids.length);
      const columns = new Uint8Array(columnCount * items);
      const cursors = starts.slice();
      let greatest = 0;
      eachPosting(order, places, (_id, _term, raw) => {
        if (raw > greatest) greatest = raw;
      });
      eachPosting(order, places, (id, term, raw) => {
        const impact = quantise(raw, greatest);
        if (columnOf[term] !== NO_COLUMN) {
          columns[columnOf[term] * items + id] = impact;
          return;
        }
        const at = cursors[term]++;
        ids[at] = id;
        impacts[at] = impact;
      });
      yield ["wordStarts", starts];
      yield ["wordIds", ids];
      yield ["wordImpacts", impacts];
      yield ["columnOf", columnOf];
      yield ["columns", columns];

      const vocabulary = surfaces.sorted((word) => !STOP_WORDS.has(word));
      const words = buildStringTable(vocabulary.names);
      yield ["surfaces", words.bytes];
      yield ["surfaceNames", words.starts];
      yield ["surfaceTerms", Uint32Array.from(vocabulary.numbers, (number) => places[surfaceTerms[number]])];
      yield ["surfaceDocuments", Uint32Array.from(vocabulary.numbers, (number) => surfaces.documents[number])];
      yield ["alphabet", alphabetOf(vocabulary.names)];
    },
  };
}

/** Numbers names in the order in which they are met, and counts the items that have each. */
function countNames() {
  const numbers = new Map<string, number>();
  const documents: number[] = [];
  // The last item that had the name: tells a first occurrence without clearing anything between items.
  const seen: number[] = [];
  return {
    documents,

    numberOf(name: string): number {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      const number = documents.push(0) - 1;
      seen.push(-1);
      // A slice of a long text would keep the whole text alive; a copy does not.
      numbers.set(Buffer.from(name).toString(), number);
      return number;
    },

    /** True the first time for this item. */
    see(number: number, item: number): boolean {
      if (seen[number] === item) return false;
      seen[number] = item;
      documents[number]++;
      return true;
    },

    /** Names in byte order, the number of each, and the place of each number. */
    sorted(keep: (name: string) => boolean = () => true) {
      const names = [...numbers.keys()].filter(keep).sort(compareBytes);
      const order = names.map((name) => numbers.get(name) ?? 0);
      const places = new Uint32Array(numbers.size);
      for (const [place, number] of order.entries()) places[number] = place;
      return { names, numbers: order, places };
    },
  };
}

/** Which terms get a column, and where the postings of the others begin. */
function layOut(documents: Uint32Array, items: number) {
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

function alphabetOf(words: readonly string[]): Uint8Array {
  const letters = new Set<string>();
  for (const word of words) for (const letter of word) letters.add(letter);
  return Buffer.from([...letters].sort(compareBytes).join(""));
}

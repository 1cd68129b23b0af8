/**
 * Collects the words of all items, then turns "item -> its words" into "word -> its items". While collecting, an item costs five
 * bytes per distinct term; strings are kept once per distinct word. Terms found in more than a fifth of the items become columns
 * (one byte of impact per item, 0 = absent), which are then smaller than lists of five bytes per item and answer at once.
 */
import { fold, splitFolded, STOP_WORDS, termOf } from "../analyse.ts";
import { growingUint32, growingUint8 } from "./growing.ts";
import { lengthNorm, quantise, rarity, rawImpact, WEIGHT_MAX } from "./impact.ts";
import type { WeightedText } from "./item-text.ts";
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
  finish(order: Uint32Array): BuiltWords;
}

export function collectWords(): WordCollector {
  const surfaceOf = new Map<string, number>();
  const termIndex = new Map<string, number>();
  const surfaceTerms: number[] = [];
  const surfaceDocuments: number[] = [];
  const documents: number[] = [];
  // Which item was the last to have the word or term: tells a first occurrence without clearing anything between items.
  const surfaceSeen: number[] = [];
  const termSeen: number[] = [];
  const weights: number[] = [];
  const itemStarts = growingUint32();
  const itemTerms = growingUint32();
  const itemWeights = growingUint8();
  const lengths = growingUint32();
  let present: number[] = [];

  const known = (word: string): number => {
    const position = surfaceOf.get(word);
    if (position !== undefined) return position;
    // A slice of a long text would keep the whole text alive; a copy does not.
    const surface = Buffer.from(word).toString();
    const name = termOf(surface);
    let term = termIndex.get(name);
    if (term === undefined) {
      term = documents.push(0) - 1;
      termIndex.set(Buffer.from(name).toString(), term);
      termSeen.push(-1);
      weights.push(0);
    }
    surfaceOf.set(surface, surfaceTerms.length);
    surfaceDocuments.push(0);
    surfaceSeen.push(-1);
    return surfaceTerms.push(term) - 1;
  };

  return {
    add(texts) {
      const item = itemStarts.length;
      let length = 0;
      present = [];
      for (const { text, weight, keepsStopWords } of texts) {
        for (const word of splitFolded(fold(text))) {
          if (!keepsStopWords && STOP_WORDS.has(word)) continue;
          const surface = known(word);
          const term = surfaceTerms[surface];
          length += weight;
          if (surfaceSeen[surface] !== item) {
            surfaceSeen[surface] = item;
            surfaceDocuments[surface] = surfaceDocuments[surface] + 1;
          }
          if (termSeen[term] !== item) {
            termSeen[term] = item;
            documents[term] = documents[term] + 1;
            weights[term] = 0;
            present.push(term);
          }
          weights[term] = weights[term] + weight;
        }
      }
      itemStarts.push(itemTerms.length);
      lengths.push(length);
      for (const term of present) {
        itemTerms.push(term);
        itemWeights.push(Math.min(WEIGHT_MAX, weights[term]));
      }
    },

    finish(order) {
      const items = order.length;
      const termNames = [...termIndex.keys()].sort(compareBytes);
      // From the number a term got when it was first met to its place in byte order.
      const place = new Uint32Array(termNames.length);
      for (const [position, name] of termNames.entries()) place[termIndex.get(name) ?? 0] = position;
      const sortedDocuments = new Uint32Array(termNames.length);
      for (const [term, count] of documents.entries()) sortedDocuments[place[term]] = count;

      const columnOf = new Uint32Array(termNames.length).fill(NO_COLUMN);
      const starts = new Uint32Array(termNames.length + 1);
      let columnCount = 0;
      for (const [term, count] of sortedDocuments.entries()) {
        const isColumn = count > items * COLUMN_FROM;
        if (isColumn) columnOf[term] = columnCount++;
        starts[term + 1] = starts[term] + (isColumn ? 0 : count);
      }

      let totalLength = 0;
      for (let item = 0; item < items; item++) totalLength += lengths.at(item);
      const norms = new Float64Array(items);
      for (let item = 0; item < items; item++) norms[item] = lengthNorm(lengths.at(item), totalLength, items);
      const rarities = Float64Array.from(sortedDocuments, (count) => rarity(count, items));

      const eachPosting = (visit: (id: number, term: number, raw: number) => void) => {
        for (let id = 0; id < items; id++) {
          const item = order[id];
          const end = item + 1 < items ? itemStarts.at(item + 1) : itemTerms.length;
          for (let at = itemStarts.at(item); at < end; at++) {
            const term = place[itemTerms.at(at)];
            visit(id, term, rawImpact(rarities[term], norms[item], itemWeights.at(at)));
          }
        }
      };
      let greatest = 0;
      eachPosting((_id, _term, raw) => {
        if (raw > greatest) greatest = raw;
      });

      const count = starts[termNames.length];
      const ids = new Uint32Array(count);
      const impacts = new Uint8Array(count);
      const columns = new Uint8Array(columnCount * items);
      const cursors = starts.slice();
      eachPosting((id, term, raw) => {
        const column = columnOf[term];
        if (column !== NO_COLUMN) {
          columns[column * items + id] = quantise(raw, greatest);
          return;
        }
        const at = cursors[term];
        cursors[term] = at + 1;
        ids[at] = id;
        impacts[at] = quantise(raw, greatest);
      });

      const words = [...surfaceOf.keys()].filter((word) => !STOP_WORDS.has(word)).sort(compareBytes);
      const numbers = words.map((word) => surfaceOf.get(word) ?? 0);
      return {
        terms: buildStringTable(termNames),
        documents: sortedDocuments,
        starts,
        ids,
        impacts,
        columnOf,
        columns,
        surfaces: buildStringTable(words),
        surfaceTerms: Uint32Array.from(numbers, (number) => place[surfaceTerms[number]]),
        surfaceDocuments: Uint32Array.from(numbers, (number) => surfaceDocuments[number]),
        alphabet: alphabetOf(words),
      };
    },
  };
}

function alphabetOf(words: readonly string[]): Uint8Array {
  const letters = new Set<string>();
  for (const word of words) for (const letter of word) letters.add(letter);
  return Buffer.from([...letters].sort(compareBytes).join(""));
}

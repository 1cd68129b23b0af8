/**
 * Inverts "item -> words" into "word -> items". Terms in more than a fifth of the items become columns (one byte of
 * impact per item, 0 = absent), which are smaller than lists of five bytes per item and need no search.
 *
 * Id lists are written in several passes over the collected words, because at once they would double the memory.
 */
import { STOP_WORDS, termOf } from "../analyse.ts";
import { createStringInterner } from "../string-interner.ts";
import { createTokenizer } from "../read-terms.ts";
import { collectPostings } from "./build-postings.ts";
import { growingUint32 } from "./growable-array.ts";
import { lengthNorm, quantise, rarity, rawImpact } from "./impact-scores.ts";
import type { WeightedText } from "./item-text.ts";
import { isPieces, type Section, type SectionArray } from "./snapshot.ts";
import { buildStringTable, compareBytes, type StringTable } from "./string-table.ts";

const COLUMN_FROM = 1 / 5;
export const NO_COLUMN = 0xffff_ffff;
/** Postings per pass: 32 MB. */
const STRETCH = 1 << 23;
const NO_TERM = -1;

export interface TermIndex {
  readonly terms: StringTable;
  readonly documents: Uint32Array;
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
  readonly alphabet: Uint8Array;
}

export interface TermCollector {
  add(texts: readonly WeightedText[]): void;
  /** `order[id]` is the insertion index of that item. Returns complete arrays. */
  finish(order: Uint32Array): Generator<readonly [name: string, array: SectionArray]>;
  /** The same, with long lists in chunks: consume a section before requesting the next. */
  sections(order: Uint32Array, stretch?: number): Generator<Section>;
}

export function collectTerms(): TermCollector {
  const terms = countNames();
  const surfaces = countNames();
  const surfaceTerms: number[] = [];
  const isStop: boolean[] = [];
  const weights: number[] = [];
  const postings = collectPostings();
  const lengths = growingUint32();
  const tokenize = createTokenizer();

  const meet = (units: Uint16Array, from: number, to: number): number => {
    const surface = surfaces.numberOfUnits(units, from, to);
    if (surface === surfaceTerms.length) {
      surfaceTerms.push(NO_TERM);
      isStop.push(STOP_WORDS.has(surfaces.textAt(surface)));
    }
    return surface;
  };
  const termOfSurface = (surface: number): number => {
    const existing = surfaceTerms[surface];
    return existing === NO_TERM ? (surfaceTerms[surface] = terms.numberOf(termOf(surfaces.textAt(surface)))) : existing;
  };

  /** Impacts before rounding, with item ids; visits terms in `places` order. */
  const rawImpacts = (order: Uint32Array, positions: Uint32Array) => {
    const items = order.length;
    let totalLength = 0;
    for (let item = 0; item < items; item++) totalLength += lengths.at(item);
    const rarities = new Float64Array(positions.length);
    for (const [term, position] of positions.entries()) rarities[position] = rarity(terms.documents[term], items);
    return {
      norm: (item: number): number => lengthNorm(lengths.at(item), totalLength, items),
      of: (position: number, norm: number, weight: number): number => rawImpact(rarities[position], norm, weight),
    };
  };

  function* sections(order: Uint32Array, stretch = STRETCH): Generator<Section> {
    const items = order.length;
    const { names, positions } = terms.sorted();
    const documents = new Uint32Array(names.length);
    for (const [term, count] of terms.documents.entries()) documents[positions[term]] = count;
    const table = buildStringTable(names);
    yield ["terms", table.bytes];
    yield ["termNames", table.starts];
    yield ["documents", documents];

    const { columnOf, columnCount, starts } = layOut(documents, items);
    const raw = rawImpacts(order, positions);
    let greatest = 0;
    for (const item of order) {
      const norm = raw.norm(item);
      postings.each(item, (term, weight) => {
        greatest = Math.max(greatest, raw.of(positions[term], norm, weight));
      });
    }

    yield ["wordStarts", starts];
    const impacts = new Uint8Array(starts[names.length]);
    const cursors = starts.slice();
    const idsOf = (from: number, to: number): Uint32Array => {
      const [begin, end] = [starts[from], starts[to]];
      const ids = new Uint32Array(end - begin);
      for (let id = 0; id < items; id++) {
        const norm = raw.norm(order[id]);
        postings.each(order[id], (term, weight) => {
          const position = positions[term];
          if (position < from || position >= to || columnOf[position] !== NO_COLUMN) return;
          const at = cursors[position]++;
          ids[at - begin] = id;
          impacts[at] = quantise(raw.of(position, norm, weight), greatest);
        });
      }
      return ids;
    };
    yield ["wordIds", stretches(starts, stretch, idsOf)];
    yield ["wordImpacts", impacts];

    yield ["columnOf", columnOf];
    const columns = new Uint8Array(columnCount * items);
    for (const [id, item] of order.entries()) {
      const norm = raw.norm(item);
      postings.each(item, (term, weight) => {
        const position = positions[term];
        const column = columnOf[position];
        if (column !== NO_COLUMN) columns[column * items + id] = quantise(raw.of(position, norm, weight), greatest);
      });
    }
    yield ["columns", columns];

    const vocabulary = surfaces.sorted((surface) => !STOP_WORDS.has(surface));
    const surfaceTable = buildStringTable(vocabulary.names);
    yield ["surfaces", surfaceTable.bytes];
    yield ["surfaceNames", surfaceTable.starts];
    yield ["surfaceTerms", Uint32Array.from(vocabulary.numbers, (number) => positions[surfaceTerms[number]])];
    yield ["surfaceDocuments", Uint32Array.from(vocabulary.numbers, (number) => surfaces.documents[number])];
    yield ["alphabet", alphabetOf(vocabulary.names)];
  }

  return {
    add(texts) {
      const item = postings.items;
      const present: number[] = [];
      let length = 0;
      for (const { text, weight, keepsStopWords } of texts) {
        tokenize(text, (units, from, to) => {
          const surface = meet(units, from, to);
          if (!keepsStopWords && isStop[surface]) return;
          const term = termOfSurface(surface);
          surfaces.see(surface, item);
          if (terms.see(term, item)) {
            present.push(term);
            weights[term] = 0;
          }
          weights[term] += weight;
          length += weight;
        });
      }
      lengths.push(length);
      postings.add(present, weights);
    },

    sections,
    *finish(order) {
      for (const [name, content] of sections(order, Infinity)) {
        const [whole = new Uint32Array(0)] = isPieces(content) ? content : [content];
        yield [name, whole];
      }
    },
  };
}

function countNames() {
  const names = createStringInterner();
  const documents: number[] = [];
  // The last item with the name: detects a first occurrence without clearing between items.
  const seen: number[] = [];
  const counted = (number: number): number => {
    if (number === documents.length) {
      documents.push(0);
      seen.push(-1);
    }
    return number;
  };
  return {
    documents,
    textAt: names.textAt,
    numberOf: (name: string): number => counted(names.numberOf(name)),
    numberOfUnits: (units: Uint16Array, from: number, to: number): number =>
      counted(names.numberOfUnits(units, from, to)),

    see(number: number, item: number): boolean {
      if (seen[number] === item) return false;
      seen[number] = item;
      documents[number]++;
      return true;
    },

    /** Names in byte order, the number of each, and the position of each number. */
    sorted(keep: (name: string) => boolean = () => true) {
      const texts = documents.map((_, number) => names.textAt(number));
      const order = [...texts.keys()].filter((number) => keep(texts[number]));
      order.sort((a, b) => compareBytes(texts[a], texts[b]));
      const positions = new Uint32Array(texts.length);
      for (const [position, number] of order.entries()) positions[number] = position;
      return { names: order.map((number) => texts[number]), numbers: order, positions };
    },
  };
}

function* stretches(
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

/** Decides which terms get a column, and where the postings of the others start. */
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

function alphabetOf(surfaces: readonly string[]): Uint8Array {
  const letters = new Set<string>();
  for (const surface of surfaces) for (const letter of surface) letters.add(letter);
  return Buffer.from([...letters].sort(compareBytes).join(""));
}

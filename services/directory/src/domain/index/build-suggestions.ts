/**
 * Builds the index of suggestions. An entry is a distinct title per type, a commune or a tag. Its *position* is its
 * place among the folded texts, its *number* its place by rank: most items first, then the shortest text. Postings hold
 * numbers, so the first ones of a list are the best ones.
 */
import { ITEM_TYPES } from "@triptych/contracts";
import { memoize } from "@triptych/util";
import type { ItemFields } from "../catalogue.ts";
import { createStringInterner } from "../string-interner.ts";
import { suggestWords } from "../suggestions.ts";
import { sortedIndexes } from "./build-lists.ts";
import { growingUint32, growingUint8 } from "./growable-array.ts";
import { TYPE_NUMBERS } from "./index-views.ts";
import type { SectionArray } from "./snapshot.ts";
import { buildStringTable, compareBytes, growingStringTable, stringAt, type StringTable } from "./string-table.ts";

/** Kinds of entries: communes, tags, and from 2 on the titles of each type by number. */
export const COMMUNE = 0;
export const TAG = 1;
export const titleKind = (typeNumber: number): number => TAG + typeNumber;

type Section = readonly [name: string, array: SectionArray];

export interface SuggestionsCollector {
  add(item: ItemFields): void;
  /** @param titles as returned by `foldTitles`. */
  finish(titles: StringTable, labelOf: (tag: string) => string): Suggestions;
}

export interface Suggestions {
  /** By position. */
  readonly texts: StringTable;
  readonly kinds: Uint8Array;
  readonly counts: Uint32Array;
  /** Of a title: rank of its first item; else the number of its name. */
  readonly targets: Uint32Array;
  readonly numbers: Uint32Array;
  /** Display texts and slugs of communes and tags, and their items per type. */
  readonly names: readonly NamedEntry[];
}

export interface NamedEntry {
  readonly kind: number;
  readonly text: string;
  readonly label: string;
  readonly slug: string;
  readonly perType: readonly number[];
}

/** Communes repeat from item to item; 2 MB. */
const REMEMBERED_MAX = 16_384;

export function collectSuggestions(): SuggestionsCollector {
  const types = growingUint8();
  const communes = collectNames();
  const tags = collectNames();
  const keyOf = memoize((nom) => suggestWords(nom).join(" "), REMEMBERED_MAX);
  return {
    add(item) {
      const type = TYPE_NUMBERS.get(item.type) ?? 0;
      types.push(type);
      const nom = item.commune?.nom;
      if (nom != null) communes.add(keyOf(nom), nom, type);
      for (const tag of item.tags) tags.add(tag, tag, type);
    },
    finish(titles, labelOf) {
      const names = [
        ...communes.entries().map((entry) => ({ ...entry, kind: COMMUNE, text: entry.key, slug: "" })),
        ...tags.entries().map((entry) => {
          const label = labelOf(entry.key);
          return { ...entry, kind: TAG, text: suggestWords(label).join(" "), label, slug: entry.key };
        }),
      ].filter(({ text }) => text !== "");
      return mergeEntries(groupTitles(titles, types.toArray()), names);
    },
  };
}

/** By rank. */
export function foldTitles(titles: readonly string[]): StringTable {
  const texts = growingStringTable();
  for (const title of titles) texts.add(suggestWords(title).join(" "));
  return texts.finish();
}

/** Counts names per type; the display text is the most frequent spelling that is not in capitals. */
function collectNames() {
  const found = new Map<string, { readonly perType: number[]; readonly spellings: Map<string, number> }>();
  return {
    add(key: string, spelling: string, type: number): void {
      let name = found.get(key);
      if (name === undefined) found.set(key, (name = { perType: ITEM_TYPES.map(() => 0), spellings: new Map() }));
      name.perType[type - 1]++;
      name.spellings.set(spelling, (name.spellings.get(spelling) ?? 0) + 1);
    },
    entries: () =>
      Array.from(found, ([key, { perType, spellings }]) => ({ key, perType, label: bestSpelling(spellings) })),
  };
}

function bestSpelling(spellings: ReadonlyMap<string, number>): string {
  const isCapitals = (text: string) => text === text.toUpperCase();
  const [[best]] = [...spellings].sort(
    ([a, countA], [b, countB]) =>
      Number(isCapitals(a)) - Number(isCapitals(b)) || countB - countA || compareBytes(a, b),
  );
  return best;
}

interface TitleGroups {
  readonly table: StringTable;
  /** Per group, in text order: a rank with its text, its type, its items. */
  readonly ranks: Uint32Array;
  readonly types: Uint8Array;
  readonly counts: Uint32Array;
}

function groupTitles(table: StringTable, types: Uint8Array): TitleGroups {
  const order = sortedIndexes(types.length, (a, b) => compareTexts(table, a, b) || types[a] - types[b] || a - b);
  const [ranks, groupTypes, counts] = [growingUint32(), growingUint8(), growingUint32()];
  let previous = -1;
  for (const rank of order) {
    const isSame = previous >= 0 && types[previous] === types[rank] && compareTexts(table, previous, rank) === 0;
    previous = rank;
    // A title without letters and digits completes nothing.
    if (table.starts[rank] === table.starts[rank + 1]) continue;
    if (isSame) counts.set(counts.length - 1, counts.at(counts.length - 1) + 1);
    else {
      ranks.push(rank);
      groupTypes.push(types[rank]);
      counts.push(1);
    }
  }
  return { table, ranks: ranks.toArray(), types: groupTypes.toArray(), counts: counts.toArray() };
}

function compareTexts({ bytes, starts }: StringTable, a: number, b: number): number {
  const [startA, startB] = [starts[a], starts[b]];
  const [lengthA, lengthB] = [starts[a + 1] - startA, starts[b + 1] - startB];
  const shared = Math.min(lengthA, lengthB);
  for (let at = 0; at < shared; at++) {
    const difference = bytes[startA + at] - bytes[startB + at];
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
}

/** Merges the sorted titles with the names, and ranks all entries. */
function mergeEntries(titles: TitleGroups, unsorted: readonly NamedEntry[]): Suggestions {
  const names = unsorted.toSorted(
    (a, b) => compareBytes(a.text, b.text) || a.kind - b.kind || compareBytes(a.slug, b.slug),
  );
  const total = titles.ranks.length + names.length;
  const [kinds, counts, targets] = [new Uint8Array(total), new Uint32Array(total), new Uint32Array(total)];
  const texts = growingStringTable();
  let [title, name] = [0, 0];
  for (let position = 0; position < total; position++) {
    const text = title < titles.ranks.length ? stringAt(titles.table, titles.ranks[title]) : null;
    const named = names[name];
    if (named !== undefined && (text === null || compareBytes(named.text, text) <= 0)) {
      texts.add(named.text);
      kinds[position] = named.kind;
      counts[position] = named.perType.reduce((sum, count) => sum + count, 0);
      targets[position] = name++;
    } else {
      texts.add(text ?? "");
      kinds[position] = titleKind(titles.types[title]);
      counts[position] = titles.counts[title];
      targets[position] = titles.ranks[title++];
    }
  }
  const table = texts.finish();
  const length = (position: number) => table.starts[position + 1] - table.starts[position];
  const order = sortedIndexes(
    total,
    (a, b) => counts[b] - counts[a] || Math.min(kinds[a], 2) - Math.min(kinds[b], 2) || length(a) - length(b) || a - b,
  );
  const numbers = new Uint32Array(total);
  for (const [number, position] of order.entries()) numbers[position] = number;
  return { texts: table, kinds, counts, targets, numbers, names };
}

export function* suggestionSections(suggestions: Suggestions): Generator<Section> {
  const { texts, kinds, counts, targets, numbers, names } = suggestions;
  yield ["suggestTexts", texts.bytes];
  yield ["suggestTextStarts", texts.starts];
  yield ["suggestKinds", kinds];
  yield ["suggestCounts", counts];
  yield ["suggestTargets", targets];
  yield ["suggestNumbers", numbers];
  const labels = buildStringTable(names.map(({ label }) => label));
  yield ["suggestLabels", labels.bytes];
  yield ["suggestLabelStarts", labels.starts];
  const slugs = buildStringTable(names.map(({ slug }) => slug));
  yield ["suggestSlugs", slugs.bytes];
  yield ["suggestSlugStarts", slugs.starts];
  yield ["suggestNameCounts", Uint32Array.from(names.flatMap(({ perType }) => perType))];
  const byNumber = new Uint32Array(numbers.length);
  for (const [position, number] of numbers.entries()) byNumber[number] = position;
  yield ["suggestPositions", byNumber];
  yield* wordSections(texts, byNumber);
}

/** The words of all texts, and per word the numbers of the entries with it, ascending. */
function* wordSections(texts: StringTable, positions: Uint32Array): Generator<Section> {
  const interned = createStringInterner();
  const [starts, words] = [growingUint32(), growingUint32()];
  for (const position of positions) {
    starts.push(words.length);
    for (const word of new Set(stringAt(texts, position).split(" "))) words.push(interned.numberOf(word));
  }
  starts.push(words.length);
  const sorted = Array.from({ length: interned.size }, (_, word) => interned.textAt(word));
  const order = sortedIndexes(sorted.length, (a, b) => compareBytes(sorted[a], sorted[b]));
  const places = new Uint32Array(order.length);
  for (const [place, word] of order.entries()) places[word] = place;

  const wordStarts = new Uint32Array(order.length + 1);
  for (let at = 0; at < words.length; at++) wordStarts[places[words.at(at)] + 1]++;
  for (let place = 0; place < order.length; place++) wordStarts[place + 1] += wordStarts[place];
  const next = wordStarts.slice();
  const entries = new Uint32Array(words.length);
  for (let number = 0; number < positions.length; number++)
    for (let at = starts.at(number); at < starts.at(number + 1); at++) entries[next[places[words.at(at)]]++] = number;
  const table = buildStringTable(Array.from(order, (word) => sorted[word]));
  yield ["suggestWords", table.bytes];
  yield ["suggestWordNames", table.starts];
  yield ["suggestWordStarts", wordStarts];
  yield ["suggestWordEntries", entries];
}

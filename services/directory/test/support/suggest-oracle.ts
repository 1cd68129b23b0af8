/** Suggestions by a scan of all entries. Those with a corrected typo are left to the engines. */
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import type { StoredItem, TagLabel } from "../../src/domain/catalogue.ts";
import { readTyped, suggestWords, type Suggestion, type SuggestQuery } from "../../src/domain/suggestions.ts";
import { byBytes } from "./oracle-words.ts";

interface Entry {
  readonly text: string;
  readonly order: number;
  readonly types: Map<ItemType, number>;
  readonly suggestion: Suggestion;
}

interface Grouped extends Omit<Entry, "suggestion"> {
  readonly spellings: string[];
  readonly slugs: string[];
}

const TYPES_BY_BYTES = ITEM_TYPES.toSorted(byBytes);

export function expectedSuggestions(
  items: readonly Pick<StoredItem, "item">[],
  labels: readonly TagLabel[],
  { text, types, limit }: SuggestQuery,
): { readonly certain: readonly Suggestion[]; readonly isComplete: boolean } {
  const entries = entriesOf(items, new Map(labels.map(({ slug, label }) => [slug, label]))).filter(
    (entry) => types.length === 0 || types.some((type) => entry.types.has(type)),
  );
  const readings = readTyped(text);
  const begins = (entry: Entry, word: string) => entry.text.split(" ").some((own) => own.startsWith(word));
  const steps = [
    (entry: Entry) => readings.some(({ whole }) => entry.text === whole),
    (entry: Entry) => readings.some(({ whole }) => entry.text.startsWith(whole)),
    (entry: Entry) => readings.some(({ words }) => words.every((word) => begins(entry, word))),
    (entry: Entry) => readings.some(({ whole }) => withoutSpaces(entry.text).startsWith(withoutSpaces(whole))),
  ];
  const found = new Set<Entry>();
  for (const step of steps) for (const entry of entries) if (step(entry)) found.add(entry);
  const certain = [...found].slice(0, limit).map((entry) => toSuggestion(entry, types));
  return { certain, isComplete: found.size >= limit };
}

function withoutSpaces(text: string): string {
  return text.replaceAll(" ", "");
}

function toSuggestion({ suggestion, types: counts }: Entry, types: readonly ItemType[]): Suggestion {
  if (suggestion.kind === "title" || types.length === 0) return suggestion;
  return { ...suggestion, count: types.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0) };
}

/** Best first. */
function entriesOf(items: readonly Pick<StoredItem, "item">[], labels: ReadonlyMap<string, string>): Entry[] {
  const entries = new Map<string, Grouped>();
  const add = (
    order: number,
    text: string,
    { spelling, type, slug }: { spelling: string; type: ItemType; slug: string },
  ) => {
    if (text === "") return;
    const key = order === 1 ? `1 ${slug}` : `${order} ${text}`;
    const entry: Grouped = entries.get(key) ?? { text, order, types: new Map(), spellings: [], slugs: [] };
    entries.set(key, entry);
    entry.types.set(type, (entry.types.get(type) ?? 0) + 1);
    entry.spellings.push(spelling);
    entry.slugs.push(slug);
  };
  for (const { item } of items) {
    const { type, slug, title, commune, tags } = item;
    add(2 + TYPES_BY_BYTES.indexOf(type), suggestWords(title).join(" "), { spelling: title, type, slug });
    if (commune?.nom != null) add(0, suggestWords(commune.nom).join(" "), { spelling: commune.nom, type, slug: "" });
    for (const tag of tags) {
      const label = labels.get(tag) ?? tag;
      add(1, suggestWords(label).join(" "), { spelling: label, type, slug: tag });
    }
  }
  const bytes = (text: string) => Buffer.byteLength(text);
  return [...entries.values()]
    .sort(
      (a, b) =>
        b.spellings.length - a.spellings.length ||
        Math.min(a.order, 2) - Math.min(b.order, 2) ||
        bytes(a.text) - bytes(b.text) ||
        byBytes(a.text, b.text) ||
        a.order - b.order ||
        byBytes(a.slugs[0], b.slugs[0]),
    )
    .map((entry) => ({ ...entry, suggestion: suggestionOf(entry) }));
}

function suggestionOf({
  order,
  spellings,
  slugs,
}: {
  order: number;
  spellings: string[];
  slugs: string[];
}): Suggestion {
  const count = spellings.length;
  if (order === 0) return { kind: "commune", text: mostFrequent(spellings), count };
  if (order === 1) return { kind: "tag", text: spellings[0], slug: slugs[0], count };
  const title = { kind: "title", text: spellings[0], type: TYPES_BY_BYTES[order - 2] } as const;
  return count === 1 ? { ...title, slug: slugs[0] } : { ...title, count };
}

/** Prefers spellings not in capitals, then the most frequent one, then the first in byte order. */
function mostFrequent(spellings: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const spelling of spellings) counts.set(spelling, (counts.get(spelling) ?? 0) + 1);
  const capitals = (text: string) => Number(text === text.toUpperCase());
  const [[best]] = [...counts].sort(
    ([a, countA], [b, countB]) => capitals(a) - capitals(b) || countB - countA || byBytes(a, b),
  );
  return best;
}

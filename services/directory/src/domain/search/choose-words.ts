/** Which words of a query to keep when all together match nothing. */
import { rarity } from "../index/impact-scores.ts";
import { findTowns, isArea } from "./find-towns.ts";
import { isName, type WordGroup, type WordLookup } from "./word-groups.ts";

/** Every choice of words to keep is tried: at most 62. More words are first dropped one by one. */
const CHOSEN_MAX = 6;
/** The name of a commune, an area or a tag counts as this many words: without `Brest`, the items found are elsewhere. */
const NAME_WORDS = 2;

/**
 * Groups to keep: fewest dropped first, then the least information lost. No part of the name of a town is dropped.
 *
 * @param options.keepKinds counts kinds and themes like places.
 */
export function* choicesOf(
  groups: readonly WordGroup[],
  lookup: WordLookup,
  { keepKinds }: { readonly keepKinds: boolean },
): Generator<readonly WordGroup[]> {
  const weights = new Map(groups.map((group) => [group, informationOf(group, lookup)]));
  const weightOf = (group: WordGroup) => weights.get(group) ?? 0;
  let rest = [...groups];
  const free = () => rest.filter(({ isFixed }) => !isFixed).sort((a, b) => weightOf(a) - weightOf(b));
  while (free().length > CHOSEN_MAX) {
    const [least] = free();
    rest = rest.filter((group) => group !== least);
    yield rest;
  }
  const chosen = free();
  const masks = Array.from({ length: 2 ** chosen.length - 1 }, (_, mask) => mask).slice(1);
  if (rest.length > chosen.length) masks.push(2 ** chosen.length - 1);
  const droppedBy = (mask: number) => chosen.filter((_, position) => (mask >> position) & 1);
  const towns = groups.length < 3 ? [] : findTowns(groups, lookup).filter((town) => town.length > 1);
  const isSplit = (dropped: readonly WordGroup[]) =>
    towns.some(
      (town) => town.some((group) => dropped.includes(group)) && !town.every((group) => dropped.includes(group)),
    );
  const dropping = masks.map(droppedBy).filter((dropped) => !isSplit(dropped));
  const counts = new Map(
    chosen.map((group) => {
      const isFrame = isName(group, lookup) && (keepKinds || isPlace(group, lookup));
      return [group, isFrame ? NAME_WORDS : 1];
    }),
  );
  const choices = dropping.map((dropped) => {
    let words = 0;
    let lost = 0;
    for (const group of dropped) {
      words += counts.get(group) ?? 1;
      lost += weightOf(group);
    }
    return { dropped, words, lost };
  });
  choices.sort((a, b) => a.words - b.words || a.lost - b.lost);
  for (const { dropped } of choices) yield rest.filter((group) => !dropped.includes(group));
}

/** Rarity, doubled for words that name a commune, an area or a tag: the frame of a query. */
function informationOf({ alternatives }: WordGroup, lookup: WordLookup): number {
  const known = alternatives.map((terms) => ({
    documents: Math.min(...terms.map(lookup.documents)),
    structured: Math.min(...terms.map(lookup.structuredShare)),
  }));
  const documents = known.reduce((sum, alternative) => sum + alternative.documents, 0);
  if (documents === 0) return 0;
  const structured = Math.max(...known.map((alternative) => alternative.structured));
  return rarity(Math.min(documents, lookup.items), lookup.items) * (1 + structured);
}

/** A kind or a theme, not a place. */
export function isKind(group: WordGroup, lookup: WordLookup): boolean {
  return isName(group, lookup) && !isPlace(group, lookup);
}

function isPlace({ words }: WordGroup, lookup: WordLookup): boolean {
  return isArea(words) || lookup.isCommune(words.join(" "));
}

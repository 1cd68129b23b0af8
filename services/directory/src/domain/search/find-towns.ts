/** The names of communes in a query, of one word or several: `rennes`, `saint malo`, `l'haÿ les roses`. */
import { fold, splitFolded, STOP_WORDS } from "../analyse.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import type { WordGroup, WordLookup } from "./word-groups.ts";

/** Side by side in the query. */
export type Town = readonly WordGroup[];

/** Saint-Rémy-en-Bouzemont-Saint-Genest-et-Isson has eight, and nobody types them. */
const TOWN_WORDS_MAX = 6;

/** Départements and regions, without stop words. */
const AREAS: ReadonlySet<string> = new Set(
  [...DEPARTEMENTS, ...REGIONS].map(({ nom }) =>
    splitFolded(fold(nom))
      .filter((word) => !STOP_WORDS.has(word))
      .join(" "),
  ),
);

export function isArea(words: readonly string[]): boolean {
  return AREAS.has(words.join(" "));
}

/** Of the items with a word, those that have it in their commune, area or tags; fewer for a word of other things. */
const NAMED_SHARE = 1 / 3;
/** The least such share of a part of a longer name, as `abbé` in Pont-l'Abbé. */
const PART_SHARE = 1 / 20;

/** The longest names first found from left to right; they do not overlap. */
export function findTowns(groups: readonly WordGroup[], lookup: WordLookup): Town[] {
  const towns: Town[] = [];
  const shares = groups.map(({ alternatives: [own] }) =>
    own.length === 1 ? lookup.structuredShare(own[0]) : Math.min(...own.map(lookup.structuredShare)),
  );
  if (shares.every((share) => share < NAMED_SHARE)) return towns;
  for (let from = 0; from < groups.length; from++) {
    for (let to = lastWord(shares, from); to > from; to--) {
      // Most words are in no name of a place: fewer steps than looking for communes.
      if (!shares.slice(from, to).some((share) => share >= NAMED_SHARE)) break;
      const span = groups.slice(from, to);
      if (span.some(({ isFixed }) => isFixed)) continue;
      // Saône is a town, but not in `saone et loire`.
      const inArea = span.length > 1 && isArea(span.flatMap(({ words }) => words));
      if (!inArea && !lookup.isCommune(nameOf(span))) continue;
      if (!inArea) towns.push(span);
      from = to - 1;
      break;
    }
  }
  return towns;
}

/** The end of the longest span from here whose words are all in names of places. */
function lastWord(shares: readonly number[], from: number): number {
  const end = Math.min(shares.length, from + TOWN_WORDS_MAX);
  let to = from;
  while (to < end && shares[to] >= PART_SHARE) to++;
  return to;
}

/** Without articles and other stop words before it. */
function nameOf(span: readonly WordGroup[]): string {
  const words = span.flatMap(({ spelled }) => spelled.split(" "));
  return words.slice(words.findIndex((word) => !STOP_WORDS.has(word))).join(" ");
}

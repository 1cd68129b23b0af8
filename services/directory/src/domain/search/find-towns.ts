/** The names of communes in a query, of one word or several: `rennes`, `saint malo`, `l'haÿ les roses`. */
import { fold, splitFolded, STOP_WORDS } from "../analyse.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import type { WordGroup, WordLookup } from "./text-plan.ts";

/** Side by side in the query. */
export type Town = readonly WordGroup[];

/** Saint-Rémy-en-Bouzemont-Saint-Genest-et-Isson has eight, and nobody types them. */
const TOWN_WORDS_MAX = 6;

/** Départements and regions of several words, without stop words: Saône is a town, and no part of `saone et loire` is. */
const AREAS: ReadonlySet<string> = new Set(
  [...DEPARTEMENTS, ...REGIONS]
    .map(({ nom }) => splitFolded(fold(nom)).filter((word) => !STOP_WORDS.has(word)))
    .filter((words) => words.length > 1)
    .map((words) => words.join(" ")),
);

/** Of the items with a word, those that have it in their commune, area or tags; fewer for a word of other things. */
const NAMED_SHARE = 1 / 3;

/** The longest names first found from left to right; they do not overlap. */
export function findTowns(groups: readonly WordGroup[], lookup: WordLookup): Town[] {
  // Most words are in no name of a place: fewer steps than looking for communes.
  const isNamed = groups.map(({ alternatives: [own] }) =>
    own.some((term) => lookup.structuredShare(term) >= NAMED_SHARE),
  );
  const towns: Town[] = [];
  for (let from = 0; from < groups.length; from++) {
    for (let to = Math.min(groups.length, from + TOWN_WORDS_MAX); to > from; to--) {
      if (!isNamed.slice(from, to).includes(true)) break;
      const span = groups.slice(from, to);
      if (span.some(({ isFixed }) => isFixed)) continue;
      const isArea = AREAS.has(span.flatMap(({ words }) => words).join(" "));
      if (!isArea && !lookup.isCommune(nameOf(span))) continue;
      if (!isArea) towns.push(span);
      from = to - 1;
      break;
    }
  }
  return towns;
}

function nameOf(span: readonly WordGroup[]): string {
  const words = span.flatMap(({ spelled }) => spelled);
  return words.slice(words.findIndex((word) => !STOP_WORDS.has(word))).join(" ");
}

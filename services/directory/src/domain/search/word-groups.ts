/** Words of a query that match together or instead of each other, and what an engine knows about them. */
import { termOf } from "../analyse.ts";
import type { QueryToken } from "./query-text.ts";
import type { Synonyms } from "./synonyms.ts";
import { isGeneral, isWeak } from "./weak-words.ts";

/** One of the alternatives must match, or a word that begins with `prefix`. */
export interface WordGroup {
  /** As in the query, for `query.relaxed`. */
  readonly typed: string;
  /** As searched: corrected, folded. */
  readonly words: readonly string[];
  /** `words` with the stop words before and between them: part of the name of a town. */
  readonly spelled: string;
  /** Terms that must all occur. The first alternative is the query's own words, the others are synonyms. */
  readonly alternatives: readonly (readonly string[])[];
  readonly prefix: string | null;
  /** Quoted: matched as it stands and never dropped. */
  readonly isFixed: boolean;
  /** A word of questions, dropped first. */
  readonly isWeak: boolean;
}

export interface NearWord {
  readonly surface: string;
  readonly edits: number;
  readonly documents: number;
}

/** The vocabulary of a version. */
export interface WordLookup {
  readonly items: number;
  /** Items with the term; 0 for an unknown one. */
  documents(term: string): number;
  /** The share of the items with the term that have it in their commune, area or tags; 0 for an unknown one. */
  structuredShare(term: string): number;
  /** Whether an item has this word as written; false for stop words. */
  has(surface: string): boolean;
  /** Whether an item is in the commune of this name: `rochelle` is La Rochelle. */
  isCommune(surface: string): boolean;
  /** Whether a word of the vocabulary begins with these letters. */
  begins(surface: string): boolean;
  /** Words within this number of edits: fewest edits first, then most items, then by bytes; at most `NEAR_MAX`. */
  near(surface: string, edits: number): readonly NearWord[];
}

/** Candidates of a correction that are compared. */
export const NEAR_MAX = 8;

export function readGroups(tokens: readonly QueryToken[], unfinished: boolean, synonyms: Synonyms | null): WordGroup[] {
  const terms = tokens.map(({ term }) => term);
  const groups: WordGroup[] = [];
  for (let at = 0; at < tokens.length;) {
    const match = synonyms?.find(terms, at) ?? null;
    const length = match?.length ?? 1;
    const isLast = at + length === tokens.length;
    const group = groupOf(tokens.slice(at, at + length), match?.equivalents ?? null);
    // Only one word is completed: the beginning of a phrase of two is not a word.
    groups.push(unfinished && isLast && length === 1 ? { ...group, prefix: group.words[0] } : group);
    at += length;
  }
  return groups;
}

export function groupOf(tokens: readonly QueryToken[], equivalents: readonly (readonly string[])[] | null): WordGroup {
  const words = tokens.map(({ surface }) => surface);
  return {
    typed: tokens
      .map(({ typed, surface }) => typed ?? surface)
      // Two words of one that was written without the space.
      .filter((text, at, all) => tokens[at].typed === undefined || text !== all[at - 1])
      .join(" "),
    words,
    spelled: tokens.length === 1 ? tokens[0].spelled : tokens.map(({ spelled }) => spelled).join(" "),
    alternatives: [tokens.map(({ term }) => term), ...(equivalents ?? [])],
    prefix: null,
    isFixed: false,
    isWeak: equivalents === null ? words.every(isWeak) : words.every(isGeneral),
  };
}

/** Endings whose plural has another stem, in most cases without an accent: `quais`, `foyers`, `vélos`, `petits`. */
const NUMBERED = /(?:[iou]|er|ir|it|on)([sx]?)$/;
const pluralsOf = (word: string) => (/[iu]$/.test(word) ? [`${word}s`, `${word}x`] : [`${word}s`]);

/** Also finds the plural of a singular, or the singular of a plural, where their stems differ. */
export function withOtherNumber(group: WordGroup, lookup: WordLookup): WordGroup {
  const [word, ...others] = group.words;
  if (others.length > 0) return group;
  const ending = NUMBERED.exec(word);
  if (ending === null) return group;
  const forms = ending[1] === "" ? pluralsOf(word) : [word.slice(0, -1)];
  const isKnownTerm = (form: string) => group.alternatives.some((known) => known.length === 1 && known[0] === form);
  const added = forms.filter((form) => !isKnownTerm(termOf(form)) && lookup.has(form)).map(termOf);
  // Paris is not several bets.
  if (added.length === 0 || isName(group, lookup)) return group;
  return { ...group, alternatives: [...group.alternatives, ...added.map((term) => [term])] };
}

/** Whether most items with the word have it in their commune, area or tags. */
export function isName({ alternatives: [own] }: WordGroup, lookup: WordLookup): boolean {
  return own.every((term) => lookup.structuredShare(term) > 1 / 2);
}

/** Without repeated words; the last one stays, which may be a prefix. */
export function distinct(groups: readonly WordGroup[]): readonly WordGroup[] {
  const keyOf = ({ alternatives }: WordGroup) => alternatives[0].join(" ");
  return groups.filter((group, at) => !groups.slice(at + 1).some((later) => keyOf(later) === keyOf(group)));
}

export function isKnown({ alternatives, prefix }: WordGroup, lookup: WordLookup): boolean {
  return (
    alternatives.some((terms) => terms.every((term) => lookup.documents(term) > 0)) ||
    (prefix !== null && lookup.begins(prefix))
  );
}

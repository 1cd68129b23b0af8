/**
 * Reads a query's text into groups of words that must all match. The plan is the same for every engine: an engine only
 * looks up words and counts matches.
 */
import type { Token } from "../analyse.ts";
import { correctTokens, isMisspelled } from "./correct-words.ts";
import { alone, readQueryText, type QueryToken } from "./query-text.ts";
import type { Synonyms } from "./synonyms.ts";
import { distinct, groupOf, readGroups, withOtherNumber, type WordGroup, type WordLookup } from "./word-groups.ts";

export interface Relaxed {
  readonly dropped: readonly string[];
  readonly corrected: Readonly<Record<string, string>>;
}

export interface TextPlan {
  readonly groups: readonly WordGroup[];
  /** Terms side by side in the title or the commune. */
  readonly phrases: readonly (readonly string[])[];
  /** A term, or terms of a phrase, that must not occur. */
  readonly excluded: readonly (readonly string[])[];
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly relaxed: Relaxed | null;
}

/**
 * Items that match all groups, phrases and exclusions, within the filters of the query. Where one is enough, an engine
 * may stop at the first.
 */
export type CountMatches = (plan: TextPlan, enough?: 1) => Promise<number>;

export interface TextOptions {
  readonly correct: boolean;
  readonly synonyms: Synonyms | null;
}

export async function planText(
  text: string,
  { correct, synonyms }: TextOptions,
  { lookup, count }: { readonly lookup: WordLookup; readonly count: CountMatches },
): Promise<TextPlan> {
  const query = readQueryText(text);
  const base: TextPlan = {
    groups: [],
    phrases: query.phrases.filter(isSideBySide).map((phrase) => phrase.map(({ term }) => term)),
    excluded: query.excluded
      .filter((phrase) => phrase.length === 1 || isSideBySide(phrase))
      .map((phrase) => phrase.map(({ term }) => term)),
    corrected: null,
    relaxed: null,
  };
  const fixed = query.phrases.flat().map((token) => ({ ...groupOf([alone(token)], null), isFixed: true }));
  const read = (tokens: readonly QueryToken[]) =>
    readGroups(tokens, query.unfinished, query.stopOnly ? null : synonyms).map((group) =>
      withOtherNumber(group, lookup),
    );
  const groups = read(query.tokens);
  // Most queries have no error.
  if (!correct || query.stopOnly || !groups.some((group) => isMisspelled(group, lookup)))
    return { ...base, groups: distinct([...fixed, ...groups]) };

  const matches = async (parts: readonly WordGroup[]) => (await count({ ...base, groups: parts }, 1)) > 0;
  const words = { tokens: query.tokens, groups, fixed };
  const { tokens, corrected } = await correctTokens(words, { lookup, synonyms, matches });
  if (Object.keys(corrected).length === 0) return { ...base, groups: distinct([...fixed, ...groups]) };
  // Read again as if typed without the error: the corrected words may be part of a phrase with synonyms.
  return { ...base, groups: distinct([...fixed, ...read(tokens)]), corrected };
}

/** Stop words have no neighbors. */
function isSideBySide(phrase: readonly Token[]): boolean {
  return phrase.length > 1 && !phrase[0].stop;
}

/** Resolves a free text against the vocabulary: terms, the unfinished word, corrections. */
import { analyseQuery, isCorrectable, termOf } from "../analyse.ts";
import type { BuiltWords } from "./build-words.ts";
import { correct, type Vocabulary } from "./correction.ts";
import { positionOf, prefixRange, stringAt, type Range } from "./string-table.ts";

export interface QueryTerm {
  /** Number of the exact term, or -1. */
  readonly term: number;
  /** Words that an unfinished word is a prefix of; null for a finished one. */
  readonly range: Range | null;
}

export interface WordQuery {
  readonly terms: readonly QueryTerm[];
  readonly corrected: Readonly<Record<string, string>> | null;
}

export function readWords(
  words: Pick<BuiltWords, "terms"> & Vocabulary,
  text: string,
  options: { readonly correct: boolean },
): WordQuery {
  const query = analyseQuery(text);
  const corrected: Record<string, string> = {};
  const terms = new Map<string, QueryTerm>();

  for (const [position, word] of query.words.entries()) {
    let { surface, term } = word;
    if (options.correct && !word.stop && isCorrectable(surface) && isUnknown(words, surface, term)) {
      const instead = correct(words, surface);
      if (instead >= 0) {
        const replacement = stringAt(words.surfaces, instead);
        corrected[surface] = replacement;
        surface = replacement;
        term = termOf(replacement);
      }
    }
    if (terms.has(term)) continue;
    const isUnfinished = query.unfinished && position === query.words.length - 1;
    terms.set(term, {
      term: positionOf(words.terms, term),
      range: isUnfinished ? prefixRange(words.surfaces, surface) : null,
    });
  }
  return { terms: [...terms.values()], corrected: Object.keys(corrected).length > 0 ? corrected : null };
}

/** Neither in an item nor the prefix of a word: only these are corrected. */
function isUnknown(words: Pick<BuiltWords, "terms" | "surfaces">, surface: string, term: string): boolean {
  if (positionOf(words.terms, term) >= 0) return false;
  const { from, to } = prefixRange(words.surfaces, surface);
  return from === to;
}

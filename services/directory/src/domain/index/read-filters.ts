/** Resolves the words and tags of a query to their numbers in an index. */
import type { Filters } from "../catalogue.ts";
import { analyseQuery, isCorrectable, termOf } from "../analyse.ts";
import type { TermIndex } from "./build-term-sections.ts";
import { correct, type Vocabulary } from "./correction.ts";
import { positionOf, prefixRange, stringAt, type Range, type StringTable } from "./string-table.ts";

export interface QueryTerm {
  /** Number of the exact term, or -1. */
  readonly term: number;
  /** Words that an unfinished word is a prefix of; null for a finished one. */
  readonly range: Range | null;
}

export interface TextQuery {
  readonly terms: readonly QueryTerm[];
  readonly corrected: Readonly<Record<string, string>> | null;
}

export function readTerms(
  vocabulary: Pick<TermIndex, "terms"> & Vocabulary,
  text: string,
  options: { readonly correct: boolean },
): TextQuery {
  const query = analyseQuery(text);
  const corrected: Record<string, string> = {};
  const terms = new Map<string, QueryTerm>();

  for (const [position, token] of query.tokens.entries()) {
    let { surface, term } = token;
    if (options.correct && !token.stop && isCorrectable(surface) && isUnknown(vocabulary, surface, term)) {
      const instead = correct(vocabulary, surface);
      if (instead >= 0) {
        const replacement = stringAt(vocabulary.surfaces, instead);
        corrected[surface] = replacement;
        surface = replacement;
        term = termOf(replacement);
      }
    }
    if (terms.has(term)) continue;
    const isUnfinished = query.unfinished && position === query.tokens.length - 1;
    terms.set(term, {
      term: positionOf(vocabulary.terms, term),
      range: isUnfinished ? prefixRange(vocabulary.surfaces, surface) : null,
    });
  }
  return { terms: [...terms.values()], corrected: Object.keys(corrected).length > 0 ? corrected : null };
}

/** Neither in an item nor the prefix of a word: only these are corrected. */
function isUnknown(vocabulary: Pick<TermIndex, "terms" | "surfaces">, surface: string, term: string): boolean {
  if (positionOf(vocabulary.terms, term) >= 0) return false;
  const { from, to } = prefixRange(vocabulary.surfaces, surface);
  return from === to;
}

export interface ReadTags {
  /** The known tags of each list; an empty list matches nothing. */
  readonly included: readonly (readonly number[])[];
  readonly excluded: readonly number[];
  readonly unknown: readonly string[];
}

export function readTags(names: StringTable, { tags, excludedTags }: Pick<Filters, "tags" | "excludedTags">): ReadTags {
  const unknown = new Set<string>();
  const numbersOf = (slugs: readonly string[]): number[] =>
    [...new Set(slugs)].flatMap((slug) => {
      const number = positionOf(names, slug);
      if (number >= 0) return [number];
      unknown.add(slug);
      return [];
    });
  const included = tags.map(numbersOf);
  const excluded = numbersOf(excludedTags);
  return { included, excluded, unknown: [...unknown].sort() };
}

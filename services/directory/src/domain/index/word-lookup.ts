/** The vocabulary of an index, for reading queries. */
import { NEAR_MAX, type WordLookup } from "../search/word-groups.ts";
import type { TermIndex } from "./build-term-sections.ts";
import { positionOf, prefixRange, stringAt, type StringTable } from "./string-table.ts";
import { wordsWithin } from "./words-within.ts";
import { slugsOfTown } from "../filter-keys.ts";
import { memoize } from "@triptych/util";

export interface Vocabulary extends Pick<
  TermIndex,
  "terms" | "documents" | "structured" | "surfaces" | "surfaceDocuments"
> {
  /** Slugs. */
  readonly communes: StringTable;
}

/** The position of a term, or -1. */
export type TermPositions = (term: string) => number;

/** Terms of a query and of their synonyms. */
const TERMS_MAX = 1000;

/** Remembers the terms of one query, which are looked up several times. */
export function termPositions(terms: StringTable): TermPositions {
  return memoize((term) => positionOf(terms, term), TERMS_MAX);
}

export function createWordLookup(vocabulary: Vocabulary, items: number, positionOfTerm: TermPositions): WordLookup {
  const { documents, structured, surfaces, surfaceDocuments, communes } = vocabulary;
  return {
    items,
    documents(term) {
      const position = positionOfTerm(term);
      return position < 0 ? 0 : documents[position];
    },
    structuredShare(term) {
      const position = positionOfTerm(term);
      return position < 0 ? 0 : structured[position] / documents[position];
    },
    has: (surface) => positionOf(surfaces, surface) >= 0,
    isCommune: (surface) => slugsOfTown(surface).some((slug) => positionOf(communes, slug) >= 0),
    begins(surface) {
      const { from, to } = prefixRange(surfaces, surface);
      return from < to;
    },
    near: (surface, edits) =>
      wordsWithin(surfaces, surface, edits)
        .filter((neighbor) => neighbor.edits > 0)
        .map((neighbor) => ({ ...neighbor, documents: surfaceDocuments[neighbor.position] }))
        .sort((a, b) => a.edits - b.edits || b.documents - a.documents || a.position - b.position)
        .slice(0, NEAR_MAX)
        .map((neighbor) => ({
          surface: stringAt(surfaces, neighbor.position),
          edits: neighbor.edits,
          documents: neighbor.documents,
        })),
  };
}

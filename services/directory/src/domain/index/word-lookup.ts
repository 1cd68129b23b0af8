/** The vocabulary of an index, for reading queries. */
import { NEAR_MAX, type WordLookup } from "../search/text-plan.ts";
import type { TermIndex } from "./build-term-sections.ts";
import { positionOf, prefixRange, stringAt } from "./string-table.ts";
import { wordsWithin } from "./words-within.ts";

export type Vocabulary = Pick<TermIndex, "terms" | "documents" | "structured" | "surfaces" | "surfaceDocuments">;

export function createWordLookup(vocabulary: Vocabulary, items: number): WordLookup {
  const { terms, documents, structured, surfaces, surfaceDocuments } = vocabulary;
  const valueOf = (values: Uint32Array, term: string): number => {
    const position = positionOf(terms, term);
    return position < 0 ? 0 : values[position];
  };
  return {
    items,
    documents: (term) => valueOf(documents, term),
    structured: (term) => valueOf(structured, term),
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

/** Resolves filters against the catalogue's in-memory vocabulary: the lists, their lengths, and unknown values. */
import type { Filters, Near } from "../../domain/catalogue.ts";
import { readTags } from "../../domain/index/read-tags.ts";
import { readTerms } from "../../domain/index/word-query.ts";
import { toFacetKeyFilter, type FacetKeyFilter } from "./facet-keys.ts";
import type { IndexStatistics } from "./index-sections.ts";

export interface TermQuery {
  readonly exact: number;
  /** Terms that an unfinished word is a prefix of; null for a finished word. */
  readonly longer: readonly number[] | null;
  readonly size: number;
}

export interface TagQuery {
  readonly numbers: readonly number[];
  readonly size: number;
}

export interface ReadQuery {
  readonly termQueries: readonly TermQuery[];
  readonly tags: readonly TagQuery[];
  readonly excluded: readonly number[];
  /** Null without a filter on type, département or région. */
  readonly kinds: FacetKeyFilter | null;
  readonly near: Near | null;
  /** A filter matches no item at all. */
  readonly isHopeless: boolean;
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly unknownTags: readonly string[];
}

/** True when only type, département and région are filtered: those counts are precomputed. */
export function isOfKindsAlone({ termQueries, tags, excluded, near }: ReadQuery): boolean {
  return termQueries.length === 0 && tags.length === 0 && excluded.length === 0 && near === null;
}

export function readQuery(statistics: IndexStatistics, filters: Filters): ReadQuery {
  const { termQueries, corrected } = readText(statistics, filters);
  const { included, excluded, unknown } = readTags(statistics.tags.names, filters);
  const tags = included.map((numbers): TagQuery => ({
    numbers,
    size: sizeOfLists(statistics.tags.documents, numbers),
  }));
  const kinds = toFacetKeyFilter(statistics.kinds, filters);
  const isHopeless = kinds?.size === 0 || [...termQueries, ...tags].some(({ size }) => size === 0);
  return { termQueries, tags, excluded, kinds, near: filters.near, isHopeless, corrected, unknownTags: unknown };
}

function readText({ vocabulary, termLists: { documents } }: IndexStatistics, { text, correct }: Filters) {
  if (text === null) return { termQueries: [], corrected: null };
  const { terms, corrected } = readTerms(vocabulary, text, { correct });
  const termQueries = terms.map(({ term, range }): TermQuery => {
    const exact = sizeOfLists(documents, term < 0 ? [] : [term]);
    if (range === null || range.from === range.to) return { exact: term, longer: null, size: exact };
    const longer = [...new Set(vocabulary.surfaceTerms.subarray(range.from, range.to))];
    return { exact: term, longer, size: exact + sizeOfLists(documents, longer) };
  });
  return { termQueries, corrected };
}

function sizeOfLists(documents: Uint32Array, numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + documents[number], 0);
}

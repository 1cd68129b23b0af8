/** Resolves filters against the catalogue's in-memory vocabulary: the lists, their lengths, and unknown values. */
import type { Filters, Near } from "../../domain/catalogue.ts";
import { readTags } from "../../domain/index/read-tags.ts";
import { readWords } from "../../domain/index/word-query.ts";
import { wantedKinds, type WantedKinds } from "./facet-keys.ts";
import type { Holdings } from "./index-sections.ts";

export interface WantedWord {
  readonly exact: number;
  /** Terms that an unfinished word is a prefix of; null for a finished word. */
  readonly longer: readonly number[] | null;
  readonly size: number;
}

export interface WantedTags {
  readonly numbers: readonly number[];
  readonly size: number;
}

export interface ReadQuery {
  readonly words: readonly WantedWord[];
  readonly tags: readonly WantedTags[];
  readonly excluded: readonly number[];
  /** Null without a filter on type, département or région. */
  readonly kinds: WantedKinds | null;
  readonly near: Near | null;
  /** A filter matches no item at all. */
  readonly isHopeless: boolean;
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly unknownTags: readonly string[];
}

/** True when only type, département and région are filtered: those counts are precomputed. */
export function isOfKindsAlone({ words, tags, excluded, near }: ReadQuery): boolean {
  return words.length === 0 && tags.length === 0 && excluded.length === 0 && near === null;
}

export function readQuery(holdings: Holdings, filters: Filters): ReadQuery {
  const { words, corrected } = readText(holdings, filters);
  const { included, excluded, unknown } = readTags(holdings.tags.names, filters);
  const tags = included.map((numbers): WantedTags => ({
    numbers,
    size: sizeOfLists(holdings.tags.documents, numbers),
  }));
  const kinds = wantedKinds(holdings.kinds, filters);
  const isHopeless = kinds?.size === 0 || [...words, ...tags].some(({ size }) => size === 0);
  return { words, tags, excluded, kinds, near: filters.near, isHopeless, corrected, unknownTags: unknown };
}

function readText({ vocabulary, words: { documents } }: Holdings, { text, correct }: Filters) {
  if (text === null) return { words: [], corrected: null };
  const { terms, corrected } = readWords(vocabulary, text, { correct });
  const words = terms.map(({ term, range }): WantedWord => {
    const exact = sizeOfLists(documents, term < 0 ? [] : [term]);
    if (range === null || range.from === range.to) return { exact: term, longer: null, size: exact };
    const longer = [...new Set(vocabulary.surfaceTerms.subarray(range.from, range.to))];
    return { exact: term, longer, size: exact + sizeOfLists(documents, longer) };
  });
  return { words, corrected };
}

function sizeOfLists(documents: Uint32Array, numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + documents[number], 0);
}

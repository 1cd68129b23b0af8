/** Filters against what a catalogue holds in memory: which lists they mean, how long each is, and what nobody has. */
import type { Filters, Near } from "../../domain/catalogue.ts";
import { readTags } from "../../domain/index/read-tags.ts";
import { readWords } from "../../domain/index/word-query.ts";
import { wantedKinds, type WantedKinds } from "./kinds.ts";
import type { Holdings } from "./sections.ts";

export interface WantedWord {
  /** Number of the exact term, or -1 when no item has it. */
  readonly exact: number;
  /** Terms of the words that begin with an unfinished word; null for a finished one. */
  readonly longer: readonly number[] | null;
  /** Postings behind them. */
  readonly size: number;
}

export interface WantedTags {
  /** Numbers of the known tags, any of which will do. */
  readonly numbers: readonly number[];
  readonly size: number;
}

export interface ReadQuery {
  readonly words: readonly WantedWord[];
  readonly tags: readonly WantedTags[];
  /** Numbers of the tags that no match has. */
  readonly excluded: readonly number[];
  /** Null when type, département and région are left open. */
  readonly kinds: WantedKinds | null;
  readonly near: Near | null;
  /** Something is asked for that no item has. */
  readonly isHopeless: boolean;
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly unknownTags: readonly string[];
}

/** True when only type, département and région are restricted: these are counted beforehand. */
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

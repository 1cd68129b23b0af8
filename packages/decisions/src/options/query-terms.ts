/**
 * The terms of a request with their IDF, for comparison with options. Context has the same low weight as in the trunk.
 */
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { statedValues, type StatedValues } from "./stated-values.ts";
import { createTermTable, type Term } from "./term-table.ts";
import { isWord, stemOf, termsOf } from "./terms.ts";
import { verbGroupOf } from "./verbs.ts";

export interface QueryTerms {
  readonly stems: QueryTermList;
  readonly pairs: QueryTermList;
  /** The length and the sum of the IDF vector of the stems. */
  readonly length: number;
  readonly mass: number;
  /** The first distinct words of the text, without context, for the gate; rarest first. */
  readonly words: readonly QueryWord[];
  readonly numbers: number;
  /** Share of words that contain non-ASCII letters after accents were removed. */
  readonly foreign: number;
  readonly count: number;
  readonly names: number;
  readonly asks: boolean;
  readonly stated: StatedValues;
  /** The group of the first verb. */
  readonly verb: number;
}

export interface QueryTermList {
  readonly count: number;
  indexOf(term: Term): number;
  readonly weights: Float64Array;
  readonly areEqual: boolean;
}

export interface QueryWord {
  readonly stemIndex: number;
  readonly telling: number;
  readonly vector: Float32Array;
  readonly length: number;
}

/** Requests rarely need more words than this to state their intent. */
const WORDS_MAX = 32;
const ASKING: ReadonlySet<string> = new Set(
  "what who why how when where which is are do does que quel quelle quels quelles qui pourquoi comment quand combien est".split(
    " ",
  ),
);
const NAME = /(?<=[\p{Ll},] )\p{Lu}\p{Ll}+/gu;
/** In characters. The first part of a longer request is enough to find the names in it. */
const NAMES_WITHIN = 2000;
const ASCII = /^[\x00-\x7f]+$/;

export function createQueryTerms(trunk: Trunk, { telling }: Frequencies): (encoding: Encoding) => QueryTerms {
  // Several decisions may use the same request; its terms are computed once.
  const cache = new WeakMap<Encoding, QueryTerms>();
  return (encoding) => {
    const cached = cache.get(encoding);
    if (cached !== undefined) return cached;
    const query = read(encoding);
    cache.set(encoding, query);
    return query;
  };

  function read({ state, tokens, contextTokens }: Encoding): QueryTerms {
    const before = termsOf(contextTokens, telling);
    const own = termsOf(tokens, telling);
    const stems = listOf(before.stems, own.stems);
    const pairs = listOf(before.pairs, own.pairs);
    let square = 0;
    let mass = 0;
    for (const [index, term] of stems.terms.entries()) {
      const weight = stems.weights[index];
      square += weight * term.telling * term.telling;
      mass += weight * term.telling;
    }
    const ownWords = tokens.filter(isWord);
    const foreign = ownWords.filter((word) => !ASCII.test(word)).length / Math.max(1, ownWords.length);
    const numbers = tokens.filter((token) => token.startsWith("0")).length;
    return {
      stems,
      pairs,
      length: Math.sqrt(square),
      mass,
      words: wordsOf(ownWords, own.stems, stems),
      numbers,
      foreign,
      count: tokens.length,
      names: state.slice(0, NAMES_WITHIN).match(NAME)?.length ?? 0,
      asks: tokens.length > 0 && ASKING.has(tokens[0]),
      stated: statedValues(state),
      verb: verbGroupOf(tokens),
    };
  }

  /** A term that occurs in both has the weight of the text itself and the position in the context. */
  function listOf(before: readonly Term[], own: readonly Term[]): QueryTermList & { readonly terms: readonly Term[] } {
    const table = createTermTable(before.length + own.length);
    const terms = [...before, ...own].filter((term) => table.add(term));
    const weights = new Float64Array(terms.length).fill(trunk.contextWeight, 0, before.length);
    for (const term of own) weights[table.indexOf(term)] = 1;
    const areEqual = weights.every((weight) => weight === 1);
    return { count: terms.length, indexOf: table.indexOf, weights, areEqual, terms };
  }

  /** Pairs each stem with its first word; `stems` are in the order of those words. */
  function wordsOf(tokens: readonly string[], stems: readonly Term[], list: QueryTermList): QueryWord[] {
    const first = new Map<string, string>();
    for (const token of tokens) {
      if (first.size >= WORDS_MAX) break;
      if (!first.has(stemOf(token))) first.set(stemOf(token), token);
    }
    const words = [...first.values()].map((word, index) => {
      const stem = stems[index];
      const vector = trunk.word(word);
      let square = 0;
      for (let d = 0; d < vector.length; d++) square += vector[d] * vector[d];
      return { stemIndex: list.indexOf(stem), telling: stem.telling, vector, length: Math.sqrt(square) };
    });
    return words.sort((a, b) => b.telling - a.telling);
  }
}

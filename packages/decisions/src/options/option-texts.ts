/**
 * Cache of option texts: names and descriptions repeat between requests, even in new lists. Cached values equal
 * recomputed ones, so results never depend on the cache.
 */
import { createLruCache } from "../lru-cache.ts";
import { tokenise } from "../text/tokenise.ts";
import type { Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { createVectorPool } from "../math/vector-memory.ts";
import type { Term } from "./term-table.ts";
import { termsOf } from "./terms.ts";

export interface OptionText {
  readonly count: number;
  readonly tokens: readonly string[];
  /** The sum of the word vectors, and the same vector normalized to length 1 (or all zero). Read-only. */
  readonly sum: Float64Array;
  unit(): Float64Array;
  readonly stems: readonly Term[];
  readonly pairs: readonly Term[];
  readonly mass: number;
}

export interface OptionTexts {
  readonly dims: number;
  read(text: string): OptionText;
  /** The sum of both texts, valid until the next call. */
  joint(first: OptionText, other: OptionText): Float64Array;
  /** A zero vector that may be kept as long as the texts. */
  fresh(): Float64Array;
}

/** Limit that applies separately to the name, the description, the parameters and each example. */
export const TOKENS_MOST = 64;
/** Each takes about 4 KB. */
const TEXTS_MAX = 4096;
/** Longer texts are rare and specific to one caller. */
const CACHED_CHARACTERS_MAX = 1024;

export function createOptionTexts(trunk: Trunk, frequencies: Frequencies, most = TEXTS_MAX): OptionTexts {
  const { dims } = trunk;
  const cache = createLruCache<OptionText>(most);
  const fresh = createVectorPool(dims);
  const both = new Float64Array(dims);
  const zeros = new Float64Array(dims);
  const nothing: OptionText = { count: 0, tokens: [], sum: zeros, unit: () => zeros, stems: [], pairs: [], mass: 0 };

  return {
    dims,
    read(text) {
      if (text === "") return nothing;
      const cached = cache.get(text);
      if (cached !== undefined) return cached;
      const found = readText(text);
      if (text.length > CACHED_CHARACTERS_MAX) return found;
      cache.set(text, found);
      return found;
    },
    joint({ sum: first }, { sum: other }) {
      for (let d = 0; d < dims; d++) both[d] = first[d] + other[d];
      return both;
    },
    fresh,
  };

  /**
   * Unlike requests, option texts are read by words only, because pairs hardly change the vector and cost as much as
   * all words. What follows the first words is rarely more than a note.
   */
  function readText(text: string): OptionText {
    const tokens = tokenise(text).tokens.slice(0, TOKENS_MOST);
    const sum = fresh();
    trunk.addWords(sum, tokens);
    const { stems, pairs } = termsOf(tokens, frequencies.telling);
    let mass = 0;
    for (const { telling } of stems) mass += telling;
    let unit: Float64Array | null = null;
    return { count: tokens.length, tokens, sum, unit: () => (unit ??= writeUnit(sum, fresh())), stems, pairs, mass };
  }
}

/** Writes the unit vector of `sum` to `unit`, which must contain zeros; a zero sum leaves them. */
export function writeUnit(sum: Float64Array, unit: Float64Array): Float64Array {
  let square = 0;
  for (let d = 0; d < sum.length; d++) square += sum[d] * sum[d];
  if (square > 0) for (let d = 0, length = Math.sqrt(square); d < sum.length; d++) unit[d] = sum[d] / length;
  return unit;
}

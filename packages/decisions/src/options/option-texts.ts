/**
 * Texts of options as they are read: names and descriptions, which come again in one question after the other, also where the whole list
 * is a new one. What is kept is what would be read, so nothing of it shows in an answer; the oldest go where there are too many.
 */
import { createLruCache } from "../lru-cache.ts";
import { tokenise } from "../text/tokenise.ts";
import type { Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { createVectorPool } from "../math/vector-pool.ts";
import type { Term } from "./term-table.ts";
import { termsOf } from "./terms.ts";

export interface OptionText {
  /** Tokens that were read. */
  readonly count: number;
  /** Sum of the vectors of its words; and the same of length 1, or 0. Not to be changed. */
  readonly sum: Float64Array;
  unit(): Float64Array;
  readonly stems: readonly Term[];
  readonly pairs: readonly Term[];
  /** How much the stems tell, together. */
  readonly mass: number;
}

export interface OptionTexts {
  readonly dims: number;
  read(text: string): OptionText;
  /** The sum of both, until the next one is asked for. */
  joint(first: OptionText, other: OptionText): Float64Array;
  /** A vector of zeros, to be kept as long as texts are. */
  fresh(): Float64Array;
}

/** Of each of name, description, parameters and an example. */
export const TOKENS_MOST = 64;
/** About 4 KB each. */
const TEXTS_MAX = 4096;
/** Longer ones are the caller's own, and few. */
const CACHED_CHARACTERS_MAX = 1024;

export function createOptionTexts(trunk: Trunk, frequencies: Frequencies, most = TEXTS_MAX): OptionTexts {
  const { dims } = trunk;
  const cache = createLruCache<OptionText>(most);
  const fresh = createVectorPool(dims);
  const both = new Float64Array(dims);
  const zeros = new Float64Array(dims);
  const nothing: OptionText = { count: 0, sum: zeros, unit: () => zeros, stems: [], pairs: [], mass: 0 };

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
   * A description is not read as a request is: its words say what it is about, pairs of neighbours add hardly anything to its vector and
   * cost as much as all its words; what it says after its first words is seldom more than a note.
   */
  function readText(text: string): OptionText {
    const tokens = tokenise(text).tokens.slice(0, TOKENS_MOST);
    const sum = fresh();
    trunk.addWords(sum, tokens);
    const { stems, pairs } = termsOf(tokens, frequencies.telling);
    let mass = 0;
    for (const { telling } of stems) mass += telling;
    let unit: Float64Array | null = null;
    return { count: tokens.length, sum, unit: () => (unit ??= writeUnit(sum, fresh())), stems, pairs, mass };
  }
}

/** Into `unit`, which is all zeros, the vector of length 1 in the direction of `sum`; zeros of zeros. */
export function writeUnit(sum: Float64Array, unit: Float64Array): Float64Array {
  let square = 0;
  for (let d = 0; d < sum.length; d++) square += sum[d] * sum[d];
  if (square > 0) for (let d = 0, length = Math.sqrt(square); d < sum.length; d++) unit[d] = sum[d] / length;
  return unit;
}

/**
 * What a text says letter by letter, for the part of a head that knows words which the trunk has never seen: the beginnings of its words
 * and pairs of neighbouring beginnings, each as a hash of 20 bits. Beginnings, because a route is told by few weights when "refund",
 * "refunded" and "refunds" are one feature. A feature counts once; all of a text together have length 1.
 */
import { continueHash, finishHash } from "../text/rows.ts";

export interface LexicalFeatures {
  /** Distinct, in rising order. */
  readonly ids: Uint32Array;
  /** Value of each: one over the root of their number. */
  readonly value: number;
}

export const LEXICAL_BUCKETS = 2 ** 20;
const WORD_SEED = 0x51ed270b;
const PAIR_SEED = 0x2545f491;
const BEGINNING = 4;

export function lexicalFeatures(tokens: readonly string[]): LexicalFeatures {
  const all = new Uint32Array(Math.max(0, 2 * tokens.length - 1));
  let count = 0;
  for (let n = 0; n < tokens.length; n++) {
    all[count++] = wordFeature(tokens[n]);
    if (n > 0) all[count++] = pairFeature(tokens[n - 1], tokens[n]);
  }
  const ids = distinct(sortNumbers(all));
  return { ids, value: ids.length === 0 ? 0 : 1 / Math.sqrt(ids.length) };
}

/** A short text's features are in order before the engine's own sort has begun. */
const FEW = 48;

function sortNumbers(numbers: Uint32Array): Uint32Array {
  if (numbers.length > FEW) return numbers.sort();
  for (let n = 1; n < numbers.length; n++) {
    const value = numbers[n];
    let index = n;
    for (; index > 0 && numbers[index - 1] > value; index--) numbers[index] = numbers[index - 1];
    numbers[index] = value;
  }
  return numbers;
}

/** Of numbers in rising order, in their own array. */
function distinct(sorted: Uint32Array): Uint32Array {
  let count = 0;
  for (let n = 0; n < sorted.length; n++) if (n === 0 || sorted[n] !== sorted[count - 1]) sorted[count++] = sorted[n];
  return sorted.subarray(0, count);
}

export function wordFeature(word: string): number {
  return finishHash(continueBeginning(WORD_SEED, word)) % LEXICAL_BUCKETS;
}

/** Of both beginnings with a blank between them. */
export function pairFeature(left: string, right: string): number {
  const begun = continueHash(continueBeginning(PAIR_SEED, left), " ");
  return finishHash(continueBeginning(begun, right)) % LEXICAL_BUCKETS;
}

function continueBeginning(begun: number, word: string): number {
  return continueHash(begun, word, 0, Math.min(BEGINNING, word.length));
}

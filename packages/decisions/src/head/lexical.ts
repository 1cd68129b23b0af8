/**
 * What a text says letter by letter, for the part of a head that knows words which the trunk has never seen: the beginnings of its words
 * and pairs of neighbouring beginnings, each as a hash of 20 bits. Beginnings, because a route is told by few weights when "refund",
 * "refunded" and "refunds" are one feature. A feature counts once; all of a text together have length 1.
 */
import { hashText } from "../text/rows.ts";

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
  const found = new Set<number>();
  let left: string | undefined;
  for (const token of tokens) {
    found.add(wordFeature(token));
    if (left !== undefined) found.add(pairFeature(left, token));
    left = token;
  }
  const ids = Uint32Array.from(found).sort();
  return { ids, value: ids.length === 0 ? 0 : 1 / Math.sqrt(ids.length) };
}

export function wordFeature(word: string): number {
  return hashText(word.slice(0, BEGINNING), WORD_SEED) % LEXICAL_BUCKETS;
}

export function pairFeature(left: string, right: string): number {
  return hashText(`${left.slice(0, BEGINNING)} ${right.slice(0, BEGINNING)}`, PAIR_SEED) % LEXICAL_BUCKETS;
}

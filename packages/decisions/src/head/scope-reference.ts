/**
 * What a head stores about its training texts to detect out-of-scope requests: the mean vector of each route, and the
 * words of all texts. Scope depends on the cosine with the nearest mean, and on the share of words that no training
 * text contained.
 */
import { hashText } from "../text/rows.ts";
import { denseLogits, denseRows, quantiseDense } from "./logits.ts";

/**
 * Two features: the cosine, and the negated share of unknown words. Both increase with the probability that a route
 * fits.
 */
export const REFERENCE_WIDTH = 2;

export interface ScopeReference {
  /** classes x dims integers. A mean is its cells times its scale, and has length 1. */
  readonly cells: Int8Array;
  readonly scales: Float32Array;
  /** Bloom filter of the words. */
  readonly words: Uint8Array;
}

export interface ReferenceRow {
  readonly vector: Float64Array;
  readonly tokens: readonly string[];
}

export interface OpenReference {
  scopeFeatures(row: ReferenceRow): readonly number[];
}

const BITS_PER_WORD = 10;
const HASHES = 4;
export const BLOOM_BYTES_MAX = 16 * 1024;
const BLOOM_BYTES_MIN = 64;
const FIRST_SEED = 0x7f4a7c15;
const SECOND_SEED = 0x2c1b3c6d;

/** Dot products of a vector with fixed rows. */
export type ProductsWith = (
  rows: Float64Array,
  bias: Float64Array,
) => ((vector: Float64Array) => Float64Array) | null | undefined;

export function openReference({ cells, scales, words }: ScopeReference, productsWith?: ProductsWith): OpenReference {
  const means = denseRows({ cells, scales }, cells.length / scales.length);
  const none = new Float64Array(scales.length);
  const cosines = productsWith?.(means, none) ?? ((vector: Float64Array) => denseLogits(means, none, vector));
  return {
    scopeFeatures: ({ vector, tokens }) => [
      Math.max(...cosines(vector)),
      -unknownShare(tokens, (word) => contains(words, word)),
    ],
  };
}

/** Returns 1 for a text without words. Numbers and signs are ignored, because they say nothing about the topic. */
export function unknownShare(tokens: readonly string[], isKnown: (word: string) => boolean): number {
  let words = 0;
  let unknown = 0;
  for (const token of tokens) {
    if (!isWord(token)) continue;
    words++;
    if (!isKnown(token)) unknown++;
  }
  return words === 0 ? 1 : unknown / words;
}

/** The tokenizer lowers letters; below "a" are digits and signs, and the currency signs are the only others. */
export function isWord(token: string): boolean {
  const code = token.charCodeAt(0);
  return code >= 0x61 && code !== 0xa3 && code !== 0x20ac;
}

export function packReference(means: Float64Array, classes: number, words: ReadonlySet<string>): ScopeReference {
  const dims = means.length / classes;
  const { cells, scales } = quantiseDense({ weights: means, bias: new Float32Array(classes) }, dims);
  return { cells, scales, words: filterOf(words) };
}

function filterOf(words: ReadonlySet<string>): Uint8Array {
  const bytes = Math.ceil((words.size * BITS_PER_WORD) / 8);
  const filter = new Uint8Array(Math.min(BLOOM_BYTES_MAX, Math.max(BLOOM_BYTES_MIN, bytes)));
  const bits = filter.length * 8;
  for (const word of words) {
    const first = hashText(word, FIRST_SEED);
    const second = hashText(word, SECOND_SEED) | 1;
    for (let n = 0; n < HASHES; n++) {
      const bit = bitOf(first, second, n) % bits;
      filter[bit >> 3] |= 1 << (bit & 7);
    }
  }
  return filter;
}

function contains(filter: Uint8Array, word: string): boolean {
  const bits = filter.length * 8;
  const first = hashText(word, FIRST_SEED);
  const second = hashText(word, SECOND_SEED) | 1;
  for (let n = 0; n < HASHES; n++) {
    const bit = bitOf(first, second, n) % bits;
    if ((filter[bit >> 3] & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Double hashing (Kirsch and Mitzenmacher 2006): as good as independent hashes. */
function bitOf(first: number, second: number, n: number): number {
  return (first + Math.imul(n, second)) >>> 0;
}

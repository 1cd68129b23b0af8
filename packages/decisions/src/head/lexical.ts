/**
 * What a text says letter by letter, for the part of a head that knows words which the trunk has never seen: words, pairs of
 * neighbours, and pieces of 3 to 5 characters within a word, each as a hash of 20 bits. A feature counts once; all of a text
 * together have length 1.
 */
import { hashText } from "../text/rows.ts";

export interface LexicalFeatures {
  /** Distinct, in rising order. */
  readonly ids: Uint32Array;
  /** Value of each: one over the root of their number. */
  readonly value: number;
}

const BUCKETS = 2 ** 20;
const WORD_SEED = 0x51ed270b;
const PAIR_SEED = 0x2545f491;
const PIECE_SEED = 0x7feb352d;
const PIECE_SHORTEST = 3;
const PIECE_LONGEST = 5;
const LONGEST_WORD = 24;

export function lexicalFeatures(tokens: readonly string[]): LexicalFeatures {
  const found = new Set<number>();
  let left: string | undefined;
  for (const token of tokens) {
    found.add(wordFeature(token));
    if (left !== undefined) found.add(pairFeature(left, token));
    for (const piece of piecesOf(token)) found.add(pieceFeature(piece));
    left = token;
  }
  const ids = Uint32Array.from(found).sort();
  return { ids, value: ids.length === 0 ? 0 : 1 / Math.sqrt(ids.length) };
}

export function wordFeature(word: string): number {
  return hashText(word, WORD_SEED) % BUCKETS;
}

export function pairFeature(left: string, right: string): number {
  return hashText(`${left} ${right}`, PAIR_SEED) % BUCKETS;
}

export function pieceFeature(piece: string): number {
  return hashText(piece, PIECE_SEED) % BUCKETS;
}

export function* piecesOf(word: string): Generator<string> {
  const padded = `<${word.slice(0, LONGEST_WORD)}>`;
  for (let length = PIECE_SHORTEST; length <= PIECE_LONGEST; length++)
    for (let from = 0; from + length <= padded.length; from++) yield padded.slice(from, from + length);
}

/**
 * Trunk rows of tokens and pairs. The most common words have their own row; all other features (words, pairs, 3 to 5
 * character n-grams) share the rest by hash: MurmurHash3's finalizer over FNV-1a of UTF-16 code units, with a seed
 * per kind.
 */

export interface RowPlan {
  readonly rows: number;
  /**
   * Maps the hash of a feature to its own row. All other features share the rows after those, or have no row if there
   * are no further rows.
   */
  readonly own: OwnRows;
}

export interface OwnRows {
  readonly size: number;
  get(hash: number): number | undefined;
}

/** The row of a word (-1 if it has none) and the rows of its n-grams. */
export interface WordRows {
  readonly word: number;
  readonly pieces: Uint32Array;
}

const WORD_SEED = 0x9e3779b1;
const PIECE_SEED = 0x85ebca77;
const PAIR_SEED = 0xc2b2ae3d;
const PIECE_SHORTEST = 3;
const PIECE_LONGEST = 5;
/** Longer tokens are not words, so reading their beginning suffices. */
export const PIECES_OF_CHARACTERS = 24;
/** There are three lengths, with at most one n-gram of each per character or bracket. */
const PIECES_MOST = 3 * (PIECES_OF_CHARACTERS + 2);

export function rowsOfWord(plan: RowPlan, word: string): WordRows {
  const padded = paddedOf(word);
  const pieces = new Uint32Array(PIECES_MOST);
  let count = 0;
  for (let length = PIECE_SHORTEST; length <= PIECE_LONGEST; length++)
    for (let from = 0; from + length <= padded.length; from++) {
      const row = rowOf(plan, finishHash(continueHash(PIECE_SEED, padded, from, from + length)));
      if (row >= 0) pieces[count++] = row;
    }
  return { word: rowOf(plan, hashOfWord(word)), pieces: pieces.subarray(0, count) };
}

export function rowOfPair(plan: RowPlan, left: string, right: string): number {
  return rowOf(plan, hashOfPair(left, right));
}

/** Like `rowOfPair`, but from the hashes of both sides, which are computed once per word. */
export function rowOfHashedPair(plan: RowPlan, left: number, right: number): number {
  return rowOf(plan, pairOfHashes(left, right));
}

export function hashOfWord(word: string): number {
  return hashText(word, WORD_SEED);
}

export function hashOfPiece(piece: string): number {
  return hashText(piece, PIECE_SEED);
}

export function hashOfPair(left: string, right: string): number {
  return pairOfHashes(hashOfLeft(left), hashOfWord(right));
}

/** Hash of a word on the left side of a pair. On the right side, the hash of the word itself applies. */
export function hashOfLeft(word: string): number {
  return hashText(word, PAIR_SEED);
}

function pairOfHashes(left: number, right: number): number {
  return finishHash(left ^ Math.imul(right, 0x27d4eb2f));
}

export function piecesOf(word: string): string[] {
  const padded = paddedOf(word);
  const pieces: string[] = [];
  for (let length = PIECE_SHORTEST; length <= PIECE_LONGEST; length++)
    for (let from = 0; from + length <= padded.length; from++) pieces.push(padded.slice(from, from + length));
  return pieces;
}

function paddedOf(word: string): string {
  return `<${word.slice(0, PIECES_OF_CHARACTERS)}>`;
}

function rowOf(plan: RowPlan, hash: number): number {
  const own = plan.own.get(hash);
  if (own !== undefined) return own;
  const shared = plan.rows - plan.own.size;
  return shared === 0 ? -1 : plan.own.size + (hash % shared);
}

export function hashText(text: string, seed: number): number {
  return finishHash(continueHash(seed, text));
}

/** Hashes a substring or a concatenation without creating it: call it for each part, then call `finishHash`. */
export function continueHash(begun: number, text: string, from = 0, until = text.length): number {
  let hash = begun;
  for (let index = from; index < until; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

export function finishHash(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Which rows of the trunk a token and a pair of tokens stand for. The commonest words have a row of their own; other words, pairs of
 * neighbours and pieces of 3 to 5 characters share the rest by hash: two of them may meet in one row, and what they meet with differs.
 * The hash is MurmurHash3's finaliser over FNV-1a of UTF-16 code units, each kind with a seed of its own.
 */

export interface RowPlan {
  /** Rows in all. */
  readonly rows: number;
  /** Hash of a feature -> its own row. The rows after those are shared by all other features; without any, those have none. */
  readonly own: OwnRows;
}

export interface OwnRows {
  readonly size: number;
  get(hash: number): number | undefined;
}

/** The row of a word, and those of its pieces; -1 where the word has none. */
export interface WordRows {
  readonly word: number;
  readonly pieces: Uint32Array;
}

const WORD_SEED = 0x9e3779b1;
const PIECE_SEED = 0x85ebca77;
const PAIR_SEED = 0xc2b2ae3d;
const PIECE_SHORTEST = 3;
const PIECE_LONGEST = 5;
/** A longer token is no word; its beginning is enough. */
const PIECES_OF_CHARACTERS = 24;
/** Of three lengths, no more than one at each character and its two brackets. */
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

/** -1 where the pair has none. */
export function rowOfPair(plan: RowPlan, left: string, right: string): number {
  return rowOf(plan, hashOfPair(left, right));
}

/** The same from the hashes of both sides, which a word has once however many neighbours it meets. */
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

/** Of a word as the left one of a pair; as the right one it has the hash of a word. */
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

/** The hash of a text that is not cut out, or not put together, for it: any number of parts one after the other, then `finishHash`. */
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

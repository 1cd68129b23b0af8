/**
 * Which rows of the trunk a token and a pair of tokens stand for. The commonest words have a row of their own; other words, pairs of
 * neighbours and pieces of 3 to 5 characters share the rest by hash: two of them may meet in one row, and what they meet with differs.
 * The hash is MurmurHash3's finaliser over FNV-1a of UTF-16 code units, each kind with a seed of its own.
 */

export interface RowPlan {
  /** Rows in all. */
  readonly rows: number;
  /** Hash of a feature -> its own row. The rows after those are shared by all other features; without any, those have none. */
  readonly own: ReadonlyMap<number, number>;
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

export function rowsOfWord(plan: RowPlan, word: string): WordRows {
  const pieces = piecesOf(word).map((piece) => rowOf(plan, hashOfPiece(piece)));
  return { word: rowOf(plan, hashOfWord(word)), pieces: Uint32Array.from(pieces.filter((row) => row >= 0)) };
}

/** -1 where the pair has none. */
export function rowOfPair(plan: RowPlan, left: string, right: string): number {
  return rowOf(plan, hashOfPair(left, right));
}

export function hashOfWord(word: string): number {
  return hashText(word, WORD_SEED);
}

export function hashOfPiece(piece: string): number {
  return hashText(piece, PIECE_SEED);
}

export function hashOfPair(left: string, right: string): number {
  return mix(hashText(left, PAIR_SEED) ^ Math.imul(hashText(right, WORD_SEED), 0x27d4eb2f));
}

export function piecesOf(word: string): string[] {
  const padded = `<${word.slice(0, PIECES_OF_CHARACTERS)}>`;
  const pieces: string[] = [];
  for (let length = PIECE_SHORTEST; length <= PIECE_LONGEST && length < padded.length + 1; length++)
    for (let from = 0; from + length <= padded.length; from++) pieces.push(padded.slice(from, from + length));
  return pieces;
}

function rowOf(plan: RowPlan, hash: number): number {
  const own = plan.own.get(hash);
  if (own !== undefined) return own;
  const shared = plan.rows - plan.own.size;
  return shared === 0 ? -1 : plan.own.size + (hash % shared);
}

export function hashText(text: string, seed: number): number {
  let hash = seed >>> 0;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193) >>> 0;
  return mix(hash);
}

function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

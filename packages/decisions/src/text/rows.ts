/**
 * Which rows of the trunk a token and a pair of tokens stand for. The commonest words have a row of their own; other words, pairs of
 * neighbours and pieces of 3 to 5 characters share the rest by hash: two of them may meet in one row, and what they meet with differs.
 * The hash is MurmurHash3's finaliser over FNV-1a of UTF-16 code units, each kind with a seed of its own.
 */

export interface RowPlan {
  /** Rows in all. */
  readonly rows: number;
  /** Words with a row of their own; the place in the list is the row. */
  readonly exact: ReadonlyMap<string, number>;
}

/** The row of a word, and those of its pieces. */
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
  return { word: plan.exact.get(word) ?? shared(plan, hashText(word, WORD_SEED)), pieces: piecesOf(plan, word) };
}

export function rowOfPair(plan: RowPlan, left: string, right: string): number {
  return shared(plan, mix(hashText(left, PAIR_SEED) ^ Math.imul(hashText(right, WORD_SEED), 0x27d4eb2f)));
}

function piecesOf(plan: RowPlan, word: string): Uint32Array {
  const padded = `<${word.slice(0, PIECES_OF_CHARACTERS)}>`;
  const rows: number[] = [];
  for (let length = PIECE_SHORTEST; length <= PIECE_LONGEST && length < padded.length + 1; length++)
    for (let from = 0; from + length <= padded.length; from++)
      rows.push(shared(plan, hashText(padded.slice(from, from + length), PIECE_SEED)));
  return Uint32Array.from(rows);
}

function shared(plan: RowPlan, hash: number): number {
  return plan.exact.size + (hash % (plan.rows - plan.exact.size));
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

/**
 * Lexical features: words, adjacent words, and 3 to 5 characters of `<word>`, as 20-bit hashes. They distinguish what
 * the trunk does not: words that it was not trained on, spellings, and the order of function words ("from X", "to X").
 * The beginning and the end of a text count as words in pairs.
 */
import { continueHash, finishHash, PIECES_OF_CHARACTERS } from "../text/rows.ts";

export interface LexicalFeatures {
  /** A feature that occurs twice is listed twice. */
  readonly ids: Uint32Array;
  /** The value of each feature: one over the square root of the number of features. */
  readonly value: number;
}

/** How a head turns texts into lexical features. */
export interface Lexicon {
  featuresOf(tokens: readonly string[]): LexicalFeatures;
  /** For explanations, a name for each entry of `ids`. Character n-grams have the name of their word. */
  namesOf(tokens: readonly string[]): readonly string[];
  wordFeature(word: string): number;
}

export const LEXICON: Lexicon = { featuresOf, namesOf, wordFeature };

export const LEXICAL_BUCKETS = 2 ** 20;
const WORD_SEED = 0x165667b1;
const PAIR_SEED = 0x27d4eb2f;
const PIECE_SEED = 0x1b873593;
/** Pieces of 3, 4 and 5 characters. */
const PIECE_SHORTEST = 3;
const PIECE_LENGTHS = 3;
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]/u;
const BEGIN = "^";
const END = "$";

function featuresOf(tokens: readonly string[]): LexicalFeatures {
  if (tokens.length === 0) return { ids: new Uint32Array(0), value: 0 };
  const ids = new Uint32Array(tokens.reduce((sum, token) => sum + featuresMost(token), 1));
  let count = 0;
  let left = BEGIN;
  for (const token of tokens) {
    ids[count++] = wordFeature(token);
    ids[count++] = pairFeature(left, token);
    count = writePieces(ids, count, token);
    left = token;
  }
  ids[count++] = pairFeature(left, END);
  return { ids: ids.subarray(0, count), value: 1 / Math.sqrt(count) };
}

function namesOf(tokens: readonly string[]): readonly string[] {
  const last = tokens.at(-1);
  if (last === undefined) return [];
  const names = tokens.flatMap((token, index) => [
    token,
    `${tokens[index - 1] ?? BEGIN} ${token}`,
    ...Array.from({ length: piecesIn(token) }, () => token),
  ]);
  return [...names, `${last} ${END}`];
}

function wordFeature(word: string): number {
  return finishHash(continueHash(WORD_SEED, word)) % LEXICAL_BUCKETS;
}

function pairFeature(left: string, right: string): number {
  const begun = continueHash(continueHash(PAIR_SEED, left), " ");
  return finishHash(continueHash(begun, right)) % LEXICAL_BUCKETS;
}

/** The maximum number of features: the word, its pair with the previous word, and its pieces. */
function featuresMost(token: string): number {
  return 2 + PIECE_LENGTHS * (Math.min(token.length, PIECES_OF_CHARACTERS) + 2);
}

/**
 * The number of pieces of `<word>`. Only words of letters and digits have pieces; all other tokens are single signs.
 */
function piecesIn(token: string): number {
  if (!hasPieces(token)) return 0;
  const length = Math.min(token.length, PIECES_OF_CHARACTERS) + 2;
  let pieces = 0;
  for (let size = PIECE_SHORTEST; size < PIECE_SHORTEST + PIECE_LENGTHS; size++)
    pieces += Math.max(0, length + 1 - size);
  return pieces;
}

function hasPieces(token: string): boolean {
  return token.length > 1 || LETTER_OR_DIGIT.test(token);
}

/** Pieces that start at the same character share the hash of their beginning. Returns the new number of IDs. */
function writePieces(ids: Uint32Array, from: number, token: string): number {
  if (!hasPieces(token)) return from;
  const padded = `<${token.slice(0, PIECES_OF_CHARACTERS)}>`;
  let count = from;
  for (let begin = 0; begin + PIECE_SHORTEST <= padded.length; begin++) {
    let hash = continueHash(PIECE_SEED, padded, begin, begin + PIECE_SHORTEST);
    ids[count++] = finishHash(hash) % LEXICAL_BUCKETS;
    const end = Math.min(padded.length, begin + PIECE_SHORTEST + PIECE_LENGTHS - 1);
    for (let next = begin + PIECE_SHORTEST; next < end; next++) {
      hash = continueHash(hash, padded, next, next + 1);
      ids[count++] = finishHash(hash) % LEXICAL_BUCKETS;
    }
  }
  return count;
}

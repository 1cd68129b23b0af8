/**
 * Lexical features of heads with many texts: word stems and adjacent stems. They are fewer than those of lexical.ts, so
 * a file can hold a larger share of their weights.
 */
import { continueHash, finishHash } from "../text/rows.ts";
import { LEXICAL_BUCKETS, type Lexicon } from "./lexical.ts";

const WORD_SEED = 0x51ed270b;
const PAIR_SEED = 0x2545f491;
const BEGINNING = 4;

export const STEM_LEXICON: Lexicon = { featuresOf, namesOf, wordFeature };

function featuresOf(tokens: readonly string[]) {
  const all = new Uint32Array(Math.max(0, 2 * tokens.length - 1));
  let count = 0;
  for (let n = 0; n < tokens.length; n++) {
    all[count++] = wordFeature(tokens[n]);
    if (n > 0) all[count++] = pairFeature(tokens[n - 1], tokens[n]);
  }
  const ids = distinct(sortNumbers(all));
  return { ids, value: ids.length === 0 ? 0 : 1 / Math.sqrt(ids.length) };
}

/** Up to this many features, insertion sort beats the engine's sort. */
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

/** Deduplicates an ascending array in place. */
function distinct(sorted: Uint32Array): Uint32Array {
  let count = 0;
  for (let n = 0; n < sorted.length; n++) if (n === 0 || sorted[n] !== sorted[count - 1]) sorted[count++] = sorted[n];
  return sorted.subarray(0, count);
}

function wordFeature(word: string): number {
  return finishHash(continueBeginning(WORD_SEED, word)) % LEXICAL_BUCKETS;
}

function pairFeature(left: string, right: string): number {
  const begun = continueHash(continueBeginning(PAIR_SEED, left), " ");
  return finishHash(continueBeginning(begun, right)) % LEXICAL_BUCKETS;
}

function continueBeginning(begun: number, word: string): number {
  return continueHash(begun, word, 0, Math.min(BEGINNING, word.length));
}

function namesOf(tokens: readonly string[]): readonly string[] {
  const names = new Map<number, string>();
  let left: string | undefined;
  for (const token of tokens) {
    names.set(wordFeature(token), token);
    if (left !== undefined) names.set(pairFeature(left, token), `${left} ${token}`);
    left = token;
  }
  return Array.from(featuresOf(tokens).ids, (id) => names.get(id) ?? "");
}

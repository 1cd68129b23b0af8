/**
 * Corrects one typing error: the most frequent word at Damerau-Levenshtein distance 1, ties by bytes. Candidates whose
 * first difference is at position i are contiguous in the sorted vocabulary. Few are compared one by one; for many, all
 * possible words are generated and looked up, at a cost independent of the vocabulary's size.
 */
import { positionOf, prefixRange, sizeOf, stringAt, type Range, type StringTable } from "./string-table.ts";

/** With fewer neighbors, comparing them is cheaper than generating words. */
const FEW = 64;

export interface Vocabulary {
  readonly surfaces: StringTable;
  readonly surfaceDocuments: Uint32Array;
  readonly alphabet: readonly string[];
}

/** Position of the correction in the vocabulary, or -1. */
export function correct({ surfaces, surfaceDocuments, alphabet }: Vocabulary, surface: string): number {
  let best = -1;
  for (const position of fuzzyMatches(surfaces, surface, { alphabet })) {
    const documents = surfaceDocuments[position];
    const bestDocuments = best < 0 ? -1 : surfaceDocuments[best];
    if (documents > bestDocuments || (documents === bestDocuments && position < best)) best = position;
  }
  return best;
}

export function* fuzzyMatches(
  table: StringTable,
  surface: string,
  options: { readonly alphabet: readonly string[]; readonly within?: Range },
): Generator<number> {
  const letters = Array.from(surface);
  let within: Range = options.within ?? { from: 0, to: sizeOf(table) };
  for (let at = 0; at <= letters.length && within.from < within.to; at++) {
    const head = letters.slice(0, at).join("");
    within = prefixRange(table, head, within);
    if (within.to - within.from <= FEW) {
      for (let position = within.from; position < within.to; position++) {
        if (isSingleEdit(surface, stringAt(table, position))) yield position;
      }
      return;
    }
    for (const candidate of editsAt(letters, at, options.alphabet)) {
      const position = positionOf(table, head + candidate, within);
      if (position >= 0) yield position;
    }
  }
}

/** Whether exactly one edit (a letter, or a swap of neighbors) turns one word into the other. */
export function isSingleEdit(one: string, other: string): boolean {
  const [a, b] = [Array.from(one), Array.from(other)];
  if (Math.abs(a.length - b.length) > 1) return false;
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (left.length + right.length === 0) return false;
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/** All words one edit away. */
export function singleEdits(word: string, alphabet: readonly string[]): Set<string> {
  const letters = Array.from(word);
  const edits = new Set<string>();
  for (let at = 0; at <= letters.length; at++)
    for (const rest of editsAt(letters, at, alphabet)) edits.add(letters.slice(0, at).join("") + rest);
  return edits;
}

/** Possible continuations after the first `at` letters when the edit is there. */
function* editsAt(letters: readonly string[], at: number, alphabet: readonly string[]): Generator<string> {
  const rest = letters.slice(at).join("");
  for (const letter of alphabet) yield letter + rest;
  const [here, next] = [letters[at], letters[at + 1]];
  if (here === undefined) return;
  const shorter = letters.slice(at + 1).join("");
  yield shorter;
  for (const letter of alphabet) if (letter !== here) yield letter + shorter;
  if (next !== undefined && next !== here) yield next + here + letters.slice(at + 2).join("");
}

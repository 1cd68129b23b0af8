/** Slugs with a similar spelling. */
import { SLUG_MAX } from "../slug.ts";
import { positionOf, prefixRange, sizeOf, type Range, type StringTable, stringAt } from "./string-table.ts";
import { editDistance } from "@triptych/util";

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
    for (const candidate of editsAt(letters, at, options.alphabet)) {
      const position = positionOf(table, head + candidate, within);
      if (position >= 0) yield position;
    }
  }
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

/** Alphabetical neighbors on either side of the target that `nearestSlugs` examines. */
export const NEIGHBOURS = 32;
export const SLUG_ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz0123456789-");

/** @param within the sorted slugs of one type. Nearest first, ties by bytes. */
export function nearestSlugs(
  slugs: StringTable,
  slug: string,
  options: { within: Range; count: number },
): readonly string[] {
  const { within, count } = options;
  const target = slug.slice(0, SLUG_MAX).toLowerCase();
  const candidates = new Set<number>(fuzzyMatches(slugs, target, { alphabet: SLUG_ALPHABET, within }));
  const { from } = prefixRange(slugs, target, within);
  for (let at = Math.max(within.from, from - NEIGHBOURS); at < Math.min(within.to, from + NEIGHBOURS); at++)
    candidates.add(at);

  const farthest = Math.max(2, target.length >> 1);
  return Array.from(candidates, (at) => stringAt(slugs, at))
    .map((candidate) => ({ candidate, edits: editDistance(target, candidate) }))
    .filter(({ edits }) => edits <= farthest)
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

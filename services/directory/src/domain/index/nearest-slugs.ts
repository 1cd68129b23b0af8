/**
 * Suggests slugs for an unknown one. A scan of all slugs would make a wrong URL the most expensive request, so only
 * slugs one edit away (as in `correct`) and alphabetical neighbors are compared.
 */
import { editDistance } from "@triptych/util";
import { isSingleEdit, fuzzyMatches } from "./correction.ts";
import { prefixRange, stringAt, type Range, type StringTable } from "./string-table.ts";

const NEIGHBOURS = 32;
const ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz0123456789-");

/** @param within the sorted slugs of one type. Nearest first, ties by bytes. */
export function nearestSlugs(
  slugs: StringTable,
  slug: string,
  options: { within: Range; count: number },
): readonly string[] {
  const { within, count } = options;
  const target = slug.slice(0, 120).toLowerCase();
  const candidates = new Set<number>(fuzzyMatches(slugs, target, { alphabet: ALPHABET, within }));
  const { from } = prefixRange(slugs, target, within);
  for (let at = Math.max(within.from, from - NEIGHBOURS); at < Math.min(within.to, from + NEIGHBOURS); at++)
    candidates.add(at);

  const farthest = Math.max(2, target.length >> 1);
  return Array.from(candidates, (at) => stringAt(slugs, at))
    .map((candidate) => ({ candidate, edits: isSingleEdit(target, candidate) ? 1 : editDistance(target, candidate) }))
    .filter(({ edits }) => edits <= farthest)
    .sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** The groups of a query as numbers of an index. */
import type { WordGroup } from "../search/text-plan.ts";
import type { TermIndex } from "./build-term-sections.ts";
import { rarity, sharesOf } from "./impact-scores.ts";
import type { MatchLevel } from "./rank-names.ts";
import { positionOf, prefixRange, type Range } from "./string-table.ts";

export interface ResolvedGroup {
  /** Terms that must all occur; alternatives with an unknown term are left out. */
  readonly alternatives: readonly (readonly number[])[];
  /** The query's own words are unknown: the first alternative is a synonym. */
  readonly isSynonymOnly: boolean;
  readonly prefixTerms: readonly number[];
  readonly prefixRange: Range | null;
  /** The words as written. */
  readonly surfaces: readonly number[];
  /** Upper bound of the matching items. */
  readonly documents: number;
}

export function resolveGroup(termIndex: TermIndex, { words, alternatives, prefix }: WordGroup): ResolvedGroup {
  const numbers = alternatives.map((terms) => terms.map((term) => positionOf(termIndex.terms, term)));
  const known = numbers.filter((terms) => terms.every((term) => term >= 0));
  const range = prefix === null ? null : prefixRange(termIndex.surfaces, prefix);
  const prefixTerms = range === null ? [] : [...new Set(termIndex.surfaceTerms.subarray(range.from, range.to))];
  const documentsOf = (terms: readonly number[]) => Math.min(...terms.map((term) => termIndex.documents[term]));
  const total = [...known.map(documentsOf), ...prefixTerms.map((term) => termIndex.documents[term])];
  return {
    alternatives: known,
    isSynonymOnly: numbers[0].some((term) => term < 0),
    prefixTerms,
    prefixRange: range,
    surfaces: words.map((word) => positionOf(termIndex.surfaces, word)),
    documents: total.reduce((sum, documents) => sum + documents, 0),
  };
}

export function sharesOfGroups(groups: readonly ResolvedGroup[], items: number): number[] {
  return sharesOf(groups.map(({ documents }) => rarity(Math.min(items, documents), items)));
}

export function levelOf(termIndex: TermIndex, group: ResolvedGroup, surface: number): MatchLevel {
  if (group.surfaces.includes(surface)) return 3;
  const term = termIndex.surfaceTerms[surface];
  for (const [position, terms] of group.alternatives.entries())
    if (terms.includes(term)) return position === 0 && !group.isSynonymOnly ? 2 : 1;
  const range = group.prefixRange;
  return range !== null && surface >= range.from && surface < range.to ? 1 : 0;
}

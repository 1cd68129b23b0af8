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

/** What tells how words of names match the groups. */
export interface GroupLevels {
  readonly groups: readonly ResolvedGroup[];
  /** Of all groups. Few words of names have one of them, so these are checked first. */
  readonly terms: Uint32Array;
  readonly ranges: readonly Range[];
  readonly surfaceTerms: Uint32Array;
  /** By word as written. */
  readonly known: Map<number, readonly MatchLevel[]>;
}

export function levelsOfGroups({ surfaceTerms }: TermIndex, groups: readonly ResolvedGroup[]): GroupLevels {
  const surfaces = groups.flatMap((group) => group.surfaces.filter((surface) => surface >= 0));
  const terms = [
    ...groups.flatMap(({ alternatives }) => alternatives.flat()),
    ...surfaces.map((at) => surfaceTerms[at]),
  ];
  const ranges = groups.flatMap(({ prefixRange: range }) => range ?? []);
  return { groups, terms: Uint32Array.from(new Set(terms)), ranges, surfaceTerms, known: new Map() };
}

/** Plain loops: most words of the best matches pass here and match nothing. */
export function isMatch({ terms, ranges, surfaceTerms }: GroupLevels, surface: number): boolean {
  const term = surfaceTerms[surface];
  for (let at = 0; at < terms.length; at++) if (terms[at] === term) return true;
  for (let at = 0; at < ranges.length; at++) if (isWithin(ranges[at], surface)) return true;
  return false;
}

/** Of a word that matches. */
export function levelsOf(levels: GroupLevels, surface: number): readonly MatchLevel[] {
  const { groups, surfaceTerms, known } = levels;
  let found = known.get(surface);
  if (found === undefined) {
    found = groups.map((group) => levelOf(group, surface, surfaceTerms[surface]));
    known.set(surface, found);
  }
  return found;
}

function levelOf(group: ResolvedGroup, surface: number, term: number): MatchLevel {
  if (group.surfaces.includes(surface)) return 3;
  const position = group.alternatives.findIndex((terms) => terms.includes(term));
  if (position >= 0) return position === 0 && !group.isSynonymOnly ? 2 : 1;
  return group.prefixRange !== null && isWithin(group.prefixRange, surface) ? 1 : 0;
}

function isWithin({ from, to }: Range, position: number): boolean {
  return position >= from && position < to;
}

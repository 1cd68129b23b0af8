/** The groups of a query as numbers of an index. */
import type { WordGroup } from "../search/text-plan.ts";
import { COMMUNE_FOLLOWS, type TermIndex } from "./build-term-sections.ts";
import { rarity, sharesOf } from "./impact-scores.ts";
import { addWord, clearMatches, createNameMatches, isWritten, nameScore, type MatchLevel } from "./rank-names.ts";
import { positionOf, prefixRange, stringAt, type Range } from "./string-table.ts";

export interface ResolvedGroup {
  /** Terms that must all occur; alternatives with an unknown term are left out. */
  readonly alternatives: readonly (readonly number[])[];
  /** The query's own words are unknown: the first alternative is a synonym. */
  readonly isSynonymOnly: boolean;
  readonly prefixTerms: readonly number[];
  readonly prefixRange: Range | null;
  /** As written, and the known ones of their terms. */
  readonly words: readonly string[];
  readonly ownTerms: readonly number[];
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
    words,
    ownTerms: numbers[0].filter((term) => term >= 0),
    documents: total.reduce((sum, documents) => sum + documents, 0),
  };
}

export function sharesOfGroups(groups: readonly ResolvedGroup[], items: number): number[] {
  return sharesOf(groups.map(({ documents }) => rarity(Math.min(items, documents), items)));
}

/** The score of the title and the commune of an item. */
export function createNameScore(
  termIndex: TermIndex,
  groups: readonly ResolvedGroup[],
  shares: readonly number[],
): (id: number) => number {
  const { nameTerms, nameStarts, structured, documents } = termIndex;
  const levels = levelsOfGroups(groups);
  const isGeneral = (term: number) => structured[term] * 2 > documents[term];
  const [title, commune] = [createNameMatches(groups.length), createNameMatches(groups.length)];
  return (id) => {
    clearMatches(title);
    clearMatches(commune);
    let name = title;
    let isMatched = false;
    const item = { from: nameStarts[id], to: nameStarts[id + 1] };
    for (let at = item.from; at < item.to; at++) {
      if (nameTerms[at] === COMMUNE_FOLLOWS) name = commune;
      else {
        const matches = isMatch(levels, termIndex, at);
        addWord(name, matches ? levelsOf(levels, termIndex, at, item) : null, isGeneral(nameTerms[at]));
        isMatched ||= matches;
      }
    }
    return isMatched ? nameScore(title, commune, shares) : 0;
  };
}

/** What tells how words of names match the groups. */
interface GroupLevels {
  readonly groups: readonly ResolvedGroup[];
  /** Of all groups. Few words of names have one of them, so these are checked first. */
  readonly terms: readonly number[];
  readonly ranges: readonly Range[];
  /** By word as written. */
  readonly known: Map<number, readonly MatchLevel[]>;
}

function levelsOfGroups(groups: readonly ResolvedGroup[]): GroupLevels {
  const terms = new Set<number>();
  for (const { ownTerms, alternatives } of groups)
    for (const term of [...ownTerms, ...alternatives.flat()]) terms.add(term);
  const ranges = groups.flatMap(({ prefixRange: range }) => range ?? []);
  return { groups, terms: [...terms], ranges, known: new Map() };
}

/** Whether the word at a position of `nameWords` matches. Plain loops: most words of the best matches match nothing. */
function isMatch({ terms, ranges }: GroupLevels, { nameTerms, nameWords }: TermIndex, position: number): boolean {
  const term = nameTerms[position];
  for (let at = 0; at < terms.length; at++) if (terms[at] === term) return true;
  for (let at = 0; at < ranges.length; at++) if (isWithin(ranges[at], nameWords[position])) return true;
  return false;
}

/** Of a word that matches. */
function levelsOf(
  { groups, known }: GroupLevels,
  termIndex: TermIndex,
  position: number,
  item: Range,
): readonly MatchLevel[] {
  const surface = termIndex.nameWords[position];
  // Whether a word belongs to a phrase depends on its neighbors.
  if (groups.some(isPhrase)) return groups.map((group) => levelOf(group, termIndex, position, item));
  let found = known.get(surface);
  if (found === undefined) {
    found = groups.map((group) => levelOf(group, termIndex, position, item));
    known.set(surface, found);
  }
  return found;
}

function levelOf(group: ResolvedGroup, termIndex: TermIndex, position: number, item: Range): MatchLevel {
  const term = termIndex.nameTerms[position];
  const surface = termIndex.nameWords[position];
  const isOwn = isPhrase(group) ? isInPhrase(group, termIndex, position, item) : group.ownTerms.includes(term);
  if (isOwn) return isWritten(group.words, stringAt(termIndex.surfaces, surface)) ? 3 : 2;
  const synonyms = group.isSynonymOnly ? group.alternatives : group.alternatives.slice(1);
  if (synonyms.some((terms) => terms.includes(term))) return 1;
  return group.prefixRange !== null && isWithin(group.prefixRange, surface) ? 1 : 0;
}

function isPhrase({ words }: ResolvedGroup): boolean {
  return words.length > 1;
}

/** Whether the word is in all of the terms side by side. Stop words are not in names. */
function isInPhrase(
  { ownTerms, isSynonymOnly }: ResolvedGroup,
  { nameTerms }: TermIndex,
  position: number,
  item: Range,
): boolean {
  const beginsAt = (from: number) =>
    from >= item.from &&
    from + ownTerms.length <= item.to &&
    ownTerms.every((term, at) => nameTerms[from + at] === term);
  return !isSynonymOnly && ownTerms.some((_, offset) => beginsAt(position - offset));
}

function isWithin({ from, to }: Range, position: number): boolean {
  return position >= from && position < to;
}

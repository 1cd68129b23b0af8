/** The groups of a query as numbers of an index. */
import type { WordGroup } from "../search/word-groups.ts";
import { COMMUNE_FOLLOWS, type TermIndex } from "./build-term-sections.ts";
import { EXACT_IMPACTS, PREFIX_IMPACTS, rarity, sharesOf, SYNONYM_IMPACTS } from "./impact-scores.ts";
import {
  addWord,
  clearMatches,
  createNameMatches,
  isWritten,
  nameScore,
  type MatchLevel,
  type NameMatches,
} from "./rank-names.ts";
import { prefixRange, stringAt, type Range } from "./string-table.ts";
import type { TermPositions } from "./word-lookup.ts";

export interface ResolvedGroup {
  /** Terms that must all occur; alternatives with an unknown term are left out. */
  readonly alternatives: readonly (readonly number[])[];
  /** The query's own words are unknown: the first alternative is a synonym. */
  readonly isSynonymOnly: boolean;
  /** Without what raises no impact: `club` with `association`, where `association` alone matches. */
  readonly matches: readonly GroupMatch[];
  readonly prefixRange: Range | null;
  /** As written, and the known ones of their terms. */
  readonly words: readonly string[];
  readonly ownTerms: readonly number[];
  /** Upper bound of the matching items. */
  readonly documents: number;
}

/** Terms of one kind (own words, synonyms, words that begin with the prefix), each of which matches. */
export interface GroupMatch {
  readonly terms: readonly number[];
  /** Terms that match only together. */
  readonly phrases: readonly (readonly number[])[];
  /** What an impact counts, by impact. */
  readonly impacts: Uint8Array;
}

export function resolveGroup(
  termIndex: TermIndex,
  { words, alternatives, prefix }: WordGroup,
  positionOfTerm: TermPositions,
): ResolvedGroup {
  const numbers = alternatives.map((terms) => terms.map(positionOfTerm));
  const known = numbers.filter((terms) => terms.every((term) => term >= 0));
  const range = prefix === null ? null : prefixRange(termIndex.surfaces, prefix);
  const prefixTerms = range === null ? [] : [...new Set(termIndex.surfaceTerms.subarray(range.from, range.to))];
  const documentsOf = (terms: readonly number[]) => Math.min(...terms.map((term) => termIndex.documents[term]));
  const total = [...known.map(documentsOf), ...prefixTerms.map((term) => termIndex.documents[term])];
  const isSynonymOnly = numbers[0].some((term) => term < 0);
  return {
    alternatives: known,
    isSynonymOnly,
    matches: matchesOf(known, isSynonymOnly, prefixTerms),
    prefixRange: range,
    words,
    ownTerms: numbers[0].filter((term) => term >= 0),
    documents: total.reduce((sum, documents) => sum + documents, 0),
  };
}

function matchesOf(
  alternatives: readonly (readonly number[])[],
  isSynonymOnly: boolean,
  prefixTerms: readonly number[],
): GroupMatch[] {
  if (alternatives.length === 1 && prefixTerms.length === 0)
    return [matchOf(alternatives, isSynonymOnly ? SYNONYM_IMPACTS : EXACT_IMPACTS)];
  const [own, synonyms] = isSynonymOnly ? [[], alternatives] : [alternatives.slice(0, 1), alternatives.slice(1)];
  const single = new Set(alternatives.flatMap((terms) => (terms.length === 1 ? terms : [])));
  const isContained = (term: number) => single.has(term);
  return [
    matchOf(own, EXACT_IMPACTS),
    matchOf(
      synonyms.filter((terms) => terms.length === 1 || !terms.some(isContained)),
      SYNONYM_IMPACTS,
    ),
    { terms: prefixTerms.filter((term) => !isContained(term)), phrases: [], impacts: PREFIX_IMPACTS },
  ].filter(({ terms, phrases }) => terms.length + phrases.length > 0);
}

function matchOf(alternatives: readonly (readonly number[])[], impacts: Uint8Array): GroupMatch {
  const terms: number[] = [];
  const phrases: (readonly number[])[] = [];
  for (const alternative of alternatives) {
    if (alternative.length === 1) terms.push(alternative[0]);
    else phrases.push(alternative);
  }
  return { terms, phrases, impacts };
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
  const [title, commune] = [createNameMatches(groups.length), createNameMatches(groups.length)];
  // Counted only in titles.
  const isGeneral = (term: number, name: NameMatches) => name === title && structured[term] * 2 > documents[term];
  return (id) => {
    const item = { from: nameStarts[id], to: nameStarts[id + 1] };
    const first = nextMatch(levels, termIndex, item.from, item.to);
    if (first === item.to) return 0;
    clearMatches(title);
    clearMatches(commune);
    let name = title;
    let next = first;
    for (let at = item.from; at < item.to; at++) {
      const term = nameTerms[at];
      if (term === COMMUNE_FOLLOWS) name = commune;
      else if (at < next) addWord(name, null, isGeneral(term, name));
      else {
        addWord(name, levelsOf(levels, termIndex, at, item), isGeneral(term, name));
        next = nextMatch(levels, termIndex, at + 1, item.to);
      }
    }
    return nameScore(title, commune, shares);
  };
}

/** What tells how words of names match the groups. */
interface GroupLevels {
  readonly groups: readonly ResolvedGroup[];
  readonly hasPhrase: boolean;
  /** Of all groups. Few words of names have one of them, so these are checked first. */
  readonly terms: readonly number[];
  readonly ranges: readonly Range[];
  /** By word as written. */
  readonly known: Map<number, readonly MatchLevel[]>;
}

function levelsOfGroups(groups: readonly ResolvedGroup[]): GroupLevels {
  const terms: number[] = [];
  const ranges: Range[] = [];
  for (const { ownTerms, alternatives, prefixRange: range } of groups) {
    for (const some of [ownTerms, ...alternatives])
      for (const term of some) if (!terms.includes(term)) terms.push(term);
    if (range !== null) ranges.push(range);
  }
  return { groups, hasPhrase: groups.some(isPhrase), terms, ranges, known: new Map() };
}

/** The first position of `nameWords` with a word that matches, or `to`. Plain loops: most words match nothing. */
function nextMatch(
  { terms, ranges }: GroupLevels,
  { nameTerms, nameWords }: TermIndex,
  from: number,
  to: number,
): number {
  for (let position = from; position < to; position++) {
    const term = nameTerms[position];
    for (let at = 0; at < terms.length; at++) if (terms[at] === term) return position;
    for (let at = 0; at < ranges.length; at++) if (isWithin(ranges[at], nameWords[position])) return position;
  }
  return to;
}

/** Of a word that matches. */
function levelsOf(
  { groups, known, hasPhrase }: GroupLevels,
  termIndex: TermIndex,
  position: number,
  item: Range,
): readonly MatchLevel[] {
  const surface = termIndex.nameWords[position];
  // Whether a word belongs to a phrase depends on its neighbors.
  if (hasPhrase) return groups.map((group) => levelOf(group, termIndex, position, item));
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

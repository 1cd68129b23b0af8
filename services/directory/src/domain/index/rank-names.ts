/**
 * The second part of the order of relevance, for the best matches of the text score: how the words of a query are in
 * the title and the commune of an item. The memory engine and the test oracle call this code.
 */

import { SHORT_FORMS } from "../analyse.ts";

/** The best matches by text score that are ranked by their names; the others follow in the order of that score. */
export const RANKED_MAX = 32;

/** How a word of an item matches a group: not, as a synonym or longer word, by its stem, or as written. */
export type MatchLevel = 0 | 1 | 2 | 3;

/** A word as in the query, or its long form: `st` is written `saint`. */
export function isWritten(words: readonly string[], surface: string): boolean {
  return words.some((word) => word === surface || SHORT_FORMS.get(word) === surface);
}

/** Per share of a group, by level. */
const IN_TITLE = [0, 15, 40, 120];
const IN_COMMUNE = [0, 10, 40, 115];
const SIDE_BY_SIDE = 20;
const WHOLE_TITLE = 30_000;
const WHOLE_TITLE_IN_ANOTHER_ORDER = 22_000;
const WHOLE_TITLE_AND_COMMUNE = 16_000;
/** Musée des armes, for `musée armée`. */
const NOT_AS_WRITTEN = 8000;
const WHOLE_COMMUNE = 8000;
/** Louvres, for `louvre`: less than the museum of that name. */
const WHOLE_COMMUNE_BY_STEM = 1500;
const COVERED_TITLE = 10_000;

/** The levels of a word, by group; null if it matches none, as most words of names do. */
export type WordLevels = readonly MatchLevel[] | null;

/** How the words of a title or a commune match, without stop words. Used for item after item, without new objects. */
export interface NameMatches {
  /** Words so far. */
  length: number;
  /** Of each group, the best level among the words. */
  readonly best: number[];
  /** Of each group, 1 if a word of it stands directly after one of the group before, neither as a synonym. */
  readonly follows: number[];
  /** Words that match no group and name a kind or a town, as `musée` does: they tell little about a title. */
  general: number;
  /** Words that match a group; and those of them that match as written. */
  covered: number;
  written: number;
  /** Words that match the group of their own position. */
  inOrder: number;
  before: WordLevels;
}

export function createNameMatches(groups: number): NameMatches {
  const [best, follows]: number[][] = [[], []];
  for (let group = 0; group < groups; group++) {
    best.push(0);
    follows.push(0);
  }
  return { length: 0, general: 0, best, follows, covered: 0, written: 0, inOrder: 0, before: null };
}

export function clearMatches(matches: NameMatches): void {
  // `fill` takes longer for a few groups.
  for (let group = 0; group < matches.best.length; group++) {
    matches.best[group] = 0;
    matches.follows[group] = 0;
  }
  matches.length = 0;
  matches.general = 0;
  matches.covered = 0;
  matches.written = 0;
  matches.inOrder = 0;
  matches.before = null;
}

/** @param isGeneral most items with the word have it in their commune, area or tags. */
export function addWord(matches: NameMatches, levels: WordLevels, isGeneral: boolean): void {
  const { best, follows, before } = matches;
  const position = matches.length++;
  matches.before = levels;
  if (levels === null) {
    if (isGeneral) matches.general++;
    return;
  }
  let highest: MatchLevel = 0;
  for (let group = 0; group < best.length; group++) {
    const level = levels[group];
    if (level === 0) continue;
    if (level > highest) highest = level;
    if (level > best[group]) best[group] = level;
    if (level > 1 && group > 0 && before !== null && before[group - 1] > 1) follows[group] = 1;
  }
  if (highest > 0) matches.covered++;
  else if (isGeneral) matches.general++;
  if (highest === 3) matches.written++;
  if (position < best.length && levels[position] > 0) matches.inOrder++;
}

/**
 * The whole title comes first, then words as written before stems before longer words and synonyms, and words side by
 * side before words apart.
 */
export function nameScore(title: NameMatches, commune: NameMatches, shares: readonly number[]): number {
  let score = 0;
  let titleGroups = 0;
  let nameGroups = 0;
  for (let group = 0; group < shares.length; group++) {
    const ofTitle = title.best[group];
    const ofCommune = commune.best[group];
    score += shares[group] * Math.max(IN_TITLE[ofTitle], IN_COMMUNE[ofCommune]);
    if (ofTitle > 0) titleGroups++;
    if (ofTitle > 0 || ofCommune > 0) nameGroups++;
    if (title.follows[group] > 0) score += (shares[group - 1] + shares[group]) * SIDE_BY_SIDE;
  }
  if (title.covered > 0) score += Math.floor((COVERED_TITLE * title.covered) / (title.length - title.general));
  if (commune.length > 0 && commune.covered === commune.length)
    score += commune.written === commune.length ? WHOLE_COMMUNE : WHOLE_COMMUNE_BY_STEM;
  if (title.length === 0 || title.covered < title.length) return score;
  if (titleGroups === shares.length) {
    const isInOrder = title.length === shares.length && title.inOrder === title.length;
    const whole = isInOrder ? WHOLE_TITLE : WHOLE_TITLE_IN_ANOTHER_ORDER;
    return score + whole - (title.written < title.length ? NOT_AS_WRITTEN : 0);
  }
  return nameGroups === shares.length ? score + WHOLE_TITLE_AND_COMMUNE : score;
}

/**
 * The second part of the order of relevance, for the best matches of the text score: how the words of a query are in
 * the title and the commune of an item. The memory engine and the test oracle call this code.
 */

/** The best matches by text score that are ranked by their names; the others follow in the order of that score. */
export const RANKED_MAX = 128;

/** How a word of an item matches a group: not, as a synonym or longer word, by its stem, or as written. */
export type MatchLevel = 0 | 1 | 2 | 3;

export interface ItemNames<Word> {
  /** Without stop words. */
  readonly title: ArrayLike<Word>;
  readonly commune: ArrayLike<Word>;
}

/** Per share of a group, by level. */
const IN_TITLE = [0, 15, 50, 60];
const IN_COMMUNE = [0, 10, 50, 55];
const SIDE_BY_SIDE = 20;
const WHOLE_TITLE = 30_000;
const WHOLE_TITLE_IN_ANOTHER_ORDER = 22_000;
const WHOLE_TITLE_AND_COMMUNE = 16_000;
const WHOLE_COMMUNE = 8000;
const COVERED_TITLE = 6000;

/**
 * The whole title comes first, then words as written before stems before longer words and synonyms, and words side by
 * side before words apart.
 */
export function nameScore<Word>(
  { title, commune }: ItemNames<Word>,
  shares: readonly number[],
  levelsOf: (word: Word) => readonly MatchLevel[],
): number {
  const inTitle = matchesIn(title, shares.length, levelsOf);
  const inCommune = matchesIn(commune, shares.length, levelsOf);
  let score = 0;
  let titleGroups = 0;
  let nameGroups = 0;
  for (let group = 0; group < shares.length; group++) {
    const [ofTitle, ofCommune] = [inTitle.best[group], inCommune.best[group]];
    score += shares[group] * Math.max(IN_TITLE[ofTitle], IN_COMMUNE[ofCommune]);
    if (ofTitle > 0) titleGroups++;
    if (ofTitle > 0 || ofCommune > 0) nameGroups++;
    if (inTitle.follows[group]) score += (shares[group - 1] + shares[group]) * SIDE_BY_SIDE;
  }
  if (title.length > 0) score += Math.floor((COVERED_TITLE * inTitle.covered) / title.length);
  if (commune.length > 0 && inCommune.covered === commune.length) score += WHOLE_COMMUNE;
  if (title.length === 0 || inTitle.covered < title.length) return score;
  if (titleGroups === shares.length) {
    const isInOrder = title.length === shares.length && inTitle.inOrder === title.length;
    return score + (isInOrder ? WHOLE_TITLE : WHOLE_TITLE_IN_ANOTHER_ORDER);
  }
  return nameGroups === shares.length ? score + WHOLE_TITLE_AND_COMMUNE : score;
}

interface NameMatches {
  /** Of each group, the best level among the words. */
  readonly best: readonly MatchLevel[];
  /** Of each group, whether a word of it stands directly after one of the group before, neither as a synonym. */
  readonly follows: readonly boolean[];
  /** Words that match a group. */
  readonly covered: number;
  /** Words that match the group of their own position. */
  readonly inOrder: number;
}

/** In one pass, because a query ranks hundreds of items. */
function matchesIn<Word>(
  words: ArrayLike<Word>,
  groups: number,
  levelsOf: (word: Word) => readonly MatchLevel[],
): NameMatches {
  const best = Array.from({ length: groups }, (): MatchLevel => 0);
  const follows = Array.from({ length: groups }, () => false);
  let [covered, inOrder] = [0, 0];
  let before: readonly MatchLevel[] = [];
  for (let at = 0; at < words.length; at++) {
    const levels = levelsOf(words[at]);
    let isCovered = false;
    for (let group = 0; group < groups; group++) {
      const level = levels[group];
      if (level === 0) continue;
      isCovered = true;
      if (level > best[group]) best[group] = level;
      if (level > 1 && group > 0 && at > 0 && before[group - 1] > 1) follows[group] = true;
    }
    if (isCovered) covered++;
    if (at < groups && levels[at] > 0) inOrder++;
    before = levels;
  }
  return { best, follows, covered, inOrder };
}

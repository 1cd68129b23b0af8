/**
 * The second part of the order of relevance, for the best matches of the text score: how the words of a query are in
 * the title and the commune of an item. The memory engine and the test oracle call this code.
 */

/** The best matches by text score that are ranked by their names; the others follow in the order of that score. */
export const RANKED_MAX = 128;

/** How a word of an item matches a group: not, as a synonym or longer word, by its stem, or as written. */
export type MatchLevel = 0 | 1 | 2 | 3;

/** Words from one position of a list to another, because copies for a hundred items would take as long as their ranking. */
export interface NameWords<Word> {
  readonly words: ArrayLike<Word>;
  readonly from: number;
  readonly to: number;
}

export interface ItemNames<Word> {
  /** Without stop words. */
  readonly title: NameWords<Word>;
  readonly commune: NameWords<Word>;
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

/** The levels of a word, by group; null if it matches none, as most words of names do. */
export type LevelsOf<Word> = (word: Word) => readonly MatchLevel[] | null;

/**
 * Scores the names of an item. The whole title comes first, then words as written before stems before longer words and
 * synonyms, and words side by side before words apart.
 */
export function createNameScore<Word>(
  shares: readonly number[],
  levelsOf: LevelsOf<Word>,
): (names: ItemNames<Word>) => number {
  // Overwritten for each item, because a query scores a hundred of them.
  const inTitle = createMatches(shares.length);
  const inCommune = createMatches(shares.length);
  return ({ title, commune }) => {
    readMatches(inTitle, title, levelsOf);
    readMatches(inCommune, commune, levelsOf);
    return scoreOf(
      { inTitle, inCommune, titleLength: title.to - title.from, communeLength: commune.to - commune.from },
      shares,
    );
  };
}

interface Matches {
  /** Of each group, the best level among the words. */
  readonly best: Uint8Array;
  /** Of each group, whether a word of it stands directly after one of the group before, neither as a synonym: 1. */
  readonly follows: Uint8Array;
  /** Words that match a group. */
  covered: number;
  /** Words that match the group of their own position. */
  inOrder: number;
}

function createMatches(groups: number): Matches {
  return { best: new Uint8Array(groups), follows: new Uint8Array(groups), covered: 0, inOrder: 0 };
}

function readMatches<Word>(matches: Matches, { words, from, to }: NameWords<Word>, levelsOf: LevelsOf<Word>): void {
  const { best, follows } = matches;
  best.fill(0);
  follows.fill(0);
  let [covered, inOrder] = [0, 0];
  let before: readonly MatchLevel[] | null = null;
  for (let at = from; at < to; at++) {
    const levels = levelsOf(words[at]);
    if (levels !== null) {
      let isCovered = false;
      for (let group = 0; group < levels.length; group++) {
        const level = levels[group];
        if (level === 0) continue;
        isCovered = true;
        if (level > best[group]) best[group] = level;
        if (level > 1 && group > 0 && before !== null && before[group - 1] > 1) follows[group] = 1;
      }
      if (isCovered) covered++;
      if (at - from < levels.length && levels[at - from] > 0) inOrder++;
    }
    before = levels;
  }
  matches.covered = covered;
  matches.inOrder = inOrder;
}

interface NameMatches {
  readonly inTitle: Matches;
  readonly inCommune: Matches;
  readonly titleLength: number;
  readonly communeLength: number;
}

function scoreOf({ inTitle, inCommune, titleLength, communeLength }: NameMatches, shares: readonly number[]): number {
  let score = 0;
  let titleGroups = 0;
  let nameGroups = 0;
  for (let group = 0; group < shares.length; group++) {
    const ofTitle = inTitle.best[group];
    const ofCommune = inCommune.best[group];
    score += shares[group] * Math.max(IN_TITLE[ofTitle], IN_COMMUNE[ofCommune]);
    if (ofTitle > 0) titleGroups++;
    if (ofTitle > 0 || ofCommune > 0) nameGroups++;
    if (inTitle.follows[group] > 0) score += (shares[group - 1] + shares[group]) * SIDE_BY_SIDE;
  }
  if (titleLength > 0) score += Math.floor((COVERED_TITLE * inTitle.covered) / titleLength);
  if (communeLength > 0 && inCommune.covered === communeLength) score += WHOLE_COMMUNE;
  if (titleLength === 0 || inTitle.covered < titleLength) return score;
  if (titleGroups === shares.length) {
    const isInOrder = titleLength === shares.length && inTitle.inOrder === titleLength;
    return score + (isInOrder ? WHOLE_TITLE : WHOLE_TITLE_IN_ANOTHER_ORDER);
  }
  return nameGroups === shares.length ? score + WHOLE_TITLE_AND_COMMUNE : score;
}

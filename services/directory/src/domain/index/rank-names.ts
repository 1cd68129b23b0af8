/**
 * The second part of the order of relevance, for the best matches of the text score: how the words of a query are in
 * the title and the commune of an item. The memory engine and the test oracle call this code.
 */

/** The best matches by text score that are ranked by their names; the others follow in the order of that score. */
export const RANKED_MAX = 512;

/** How a word of an item matches a group: not, as a synonym or longer word, by its stem, or as written. */
export type MatchLevel = 0 | 1 | 2 | 3;

export interface ItemNames<Word> {
  /** Without stop words. */
  readonly title: readonly Word[];
  readonly commune: readonly Word[];
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
  levelOf: (group: number, word: Word) => MatchLevel,
): number {
  const inTitle = title.map((word) => shares.map((_, group) => levelOf(group, word)));
  const inCommune = commune.map((word) => shares.map((_, group) => levelOf(group, word)));
  const best = (words: readonly (readonly MatchLevel[])[], group: number) =>
    words.reduce<number>((most, levels) => Math.max(most, levels[group]), 0);
  const covered = (words: readonly (readonly MatchLevel[])[]) =>
    words.filter((levels) => levels.some((level) => level > 0)).length;

  let score = 0;
  let titleGroups = 0;
  let nameGroups = 0;
  for (const [group, share] of shares.entries()) {
    const [ofTitle, ofCommune] = [best(inTitle, group), best(inCommune, group)];
    score += share * Math.max(IN_TITLE[ofTitle], IN_COMMUNE[ofCommune]);
    if (ofTitle > 0) titleGroups++;
    if (ofTitle > 0 || ofCommune > 0) nameGroups++;
    const follows =
      group > 0 && inTitle.some((levels, at) => at > 0 && levels[group] > 1 && inTitle[at - 1][group - 1] > 1);
    if (follows) score += (shares[group - 1] + share) * SIDE_BY_SIDE;
  }
  const titleCovered = covered(inTitle);
  if (title.length > 0) score += Math.floor((COVERED_TITLE * titleCovered) / title.length);
  if (commune.length > 0 && covered(inCommune) === commune.length) score += WHOLE_COMMUNE;
  if (title.length === 0 || titleCovered < title.length) return score;
  if (titleGroups === shares.length) {
    const isInOrder = title.length === shares.length && inTitle.every((levels, at) => levels[at] > 0);
    return score + (isInOrder ? WHOLE_TITLE : WHOLE_TITLE_IN_ANOTHER_ORDER);
  }
  return nameGroups === shares.length ? score + WHOLE_TITLE_AND_COMMUNE : score;
}

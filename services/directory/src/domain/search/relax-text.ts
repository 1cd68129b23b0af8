/**
 * The second step of a search: when all words together match nothing, words are widened or dropped until something is
 * found. Order: postal codes become their département; unknown words become prefixes; unknown words, then words of
 * questions are dropped; a rare word is widened by one edit; the fewest and least informative words are dropped.
 *
 * Words are also dropped when few items match: words of questions when no item has all words in its title, and others
 * when all items are elsewhere than the town of the query (for `piscine rennes`, a museum that mentions both words).
 */
import { isCorrectable, STOP_WORDS, termOf } from "../analyse.ts";
import { choicesOf, isKind } from "./choose-words.ts";
import { findTowns, type Town } from "./find-towns.ts";
import { firstMatching, RARE } from "./correct-words.ts";
import type { CountMatches, TextPlan } from "./text-plan.ts";
import { isKnown, isName, type WordGroup, type WordLookup } from "./word-groups.ts";
import { isWeak } from "./weak-words.ts";

const PREFIX_FROM = 3;
/** With more matches, the order of relevance has enough to choose from. */
const FEW = 10;
/** Of the items with the word, those that have the name of a town in their title or commune. */
const TOWN_SHARE = 1 / 3;

export interface RelaxOptions {
  readonly correct: boolean;
  /** Items that match the plan. */
  readonly found: number;
  readonly lookup: WordLookup;
  readonly count: CountMatches;
}

/** A plan that matches something, or null. */
export async function relaxText(plan: TextPlan, options: RelaxOptions): Promise<TextPlan | null> {
  if (options.found > FEW) return null;
  const looser = options.found === 0 ? await findAnything(plan, options) : await withoutQuestion(plan, options);
  const searched = looser ?? plan;
  if ((looser === null && options.found === 0) || searched.groups.length < 2 || hasStopWord(searched.groups))
    return looser;
  const towns = findTowns(searched.groups, options.lookup);
  // Counting is slow, and few queries have a town beside other words.
  if (towns.length === 0) return looser;
  const found = looser === null ? options.found : await options.count(looser);
  return (found > FEW ? null : await findInTown(searched, towns, options)) ?? looser;
}

/** Names are searched without stop words, of which some queries consist. */
function hasStopWord(groups: readonly WordGroup[]): boolean {
  return groups.some(({ words }) => STOP_WORDS.has(words[0]));
}

/** Without the words of questions when no item has all words in its title: `jouer` in `où jouer aux échecs à Lyon`. */
async function withoutQuestion(plan: TextPlan, { count, found }: RelaxOptions): Promise<TextPlan | null> {
  const groups = plan.groups.filter(({ isWeak, isFixed }) => isFixed || !isWeak);
  if (
    groups.length === 0 ||
    groups.length === plan.groups.length ||
    hasStopWord(plan.groups) ||
    (await isInTitles(plan, plan.groups, count))
  )
    return null;
  const looser = { ...plan, groups };
  if ((await count(looser)) === found) return null;
  const dropped = plan.groups.filter((group) => !groups.includes(group)).map(({ typed }) => typed);
  return { ...looser, relaxed: { dropped, corrected: {} } };
}

/** A plan with at least one item whose title or commune has the town of the query, or null. */
async function findInTown(
  plan: TextPlan,
  towns: readonly Town[],
  { lookup, count }: RelaxOptions,
): Promise<TextPlan | null> {
  for (const town of towns) {
    const terms = town.flatMap(({ alternatives: [own] }) => own);
    const others = plan.groups.filter((group) => !town.includes(group));
    if (others.length === 0) continue;
    const inTown = { ...plan, phrases: [...plan.phrases, terms] };
    if ((await count(inTown, 1)) > 0) continue;
    // Vienne is a town, and a département that few titles and communes name.
    const named = await count({ ...inTown, groups: town });
    if (named < Math.min(...terms.map(lookup.documents)) * TOWN_SHARE) continue;
    const subject = others.filter((group) => !group.isWeak);
    if (await isInTitles(plan, subject, count)) continue;
    const strong = plan.groups.filter((group) => !group.isWeak || town.includes(group));
    const choices = [strong, ...choicesOf(strong, lookup, { keepKinds: true })].filter((choice) =>
      town.every((group) => choice.includes(group)),
    );
    const groups = await firstMatching(choices, async (choice) => (await count({ ...inTown, groups: choice }, 1)) > 0);
    if (groups === null) continue;
    const dropped = plan.groups.filter((group) => !groups.includes(group)).map(({ typed }) => typed);
    return {
      ...plan,
      groups,
      relaxed: { dropped: [...(plan.relaxed?.dropped ?? []), ...dropped], corrected: plan.relaxed?.corrected ?? {} },
    };
  }
  return null;
}

/** Whether an item has these words in its title or commune: it is about them. */
async function isInTitles(plan: TextPlan, groups: readonly WordGroup[], count: CountMatches): Promise<boolean> {
  const titles = groups.map(({ alternatives: [own] }) => own);
  return groups.length > 0 && (await count({ ...plan, phrases: [...plan.phrases, ...titles] }, 1)) > 0;
}

async function findAnything(plan: TextPlan, options: RelaxOptions): Promise<TextPlan | null> {
  const { lookup, count } = options;
  const isUnknownPhrase = (group: WordGroup) => group.words.length > 1 && !isKnown(group, lookup);
  if (plan.groups.some(isUnknownPhrase)) {
    const known = plan.groups.flatMap((group) => (isUnknownPhrase(group) ? wordsOfPhrase(group) : [group]));
    return findAnything({ ...plan, groups: known }, options);
  }
  const corrected: Record<string, string> = {};
  const widened = plan.groups.map((group) => widenWhole(group, lookup, corrected));
  let groups: readonly WordGroup[] = widened;
  const planOf = (searched: readonly WordGroup[]): TextPlan => {
    const words = new Set(searched.map(({ typed }) => typed));
    const dropped = plan.groups.filter(({ typed }) => !words.has(typed)).map(({ typed }) => typed);
    // A word may be widened first and dropped later.
    const stillCorrected = Object.entries(corrected).filter(([typed]) => words.has(typed));
    return { ...plan, groups: searched, relaxed: { dropped, corrected: Object.fromEntries(stillCorrected) } };
  };
  // On PostgreSQL, each count is a query.
  const known = new Map<string, boolean>();
  const matches = async (searched: readonly WordGroup[]) => {
    const key = searched.map((group) => widened.indexOf(group)).join(" ");
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = (await count({ ...plan, groups: searched }, 1)) > 0));
    return found;
  };
  if (Object.keys(corrected).length > 0 && (await matches(groups))) return planOf(groups);

  for (const isDropped of [(group: WordGroup) => !isKnown(group, lookup), (group: WordGroup) => group.isWeak]) {
    const rest = groups.filter((group) => group.isFixed || !isDropped(group));
    if (rest.length === groups.length || rest.length === 0) continue;
    groups = rest;
    if (await matches(groups)) return planOf(groups);
  }
  const isAlone = groups.length === 1;
  const matching = isAlone ? new Set<WordGroup>() : await matchingAlone(groups, matches);
  // Most searches that find nothing end here: words match together only if each of them matches alone.
  if (!isAlone && matching.size === 0) return null;
  if (options.correct) {
    const replaced = await widenOne(groups, corrected, {
      lookup,
      matching,
      matches,
      count: (searched) => count({ ...plan, groups: searched }, 1),
    });
    if (replaced !== null) return planOf(replaced);
  }
  const choices = isAlone ? [] : choicesOf(groups, lookup, { keepKinds: !(await isAboutMore(plan, groups, options)) });
  const found = await firstMatching(
    choices,
    async (choice) => choice.every((group) => matching.has(group)) && (await matches(choice)),
  );
  // Words of a phrase are dropped rather than all of it.
  const split = plan.groups.flatMap(wordsOfPhrase);
  const keepsPhrases =
    found !== null && plan.groups.every((group, at) => group.words.length === 1 || found.includes(widened[at]));
  const looser =
    keepsPhrases || split.length === plan.groups.length
      ? null
      : await findAnything({ ...plan, groups: split }, options);
  return looser ?? (found === null ? null : planOf(found));
}

/** Whether another word than kinds and places is in a title: `exposition dinosaures`. Few exhibitions say what they are. */
async function isAboutMore(
  plan: TextPlan,
  groups: readonly WordGroup[],
  { lookup, count }: RelaxOptions,
): Promise<boolean> {
  const others = groups.filter((group) => !isName(group, lookup));
  if (others.length === 0 || !groups.some((group) => isKind(group, lookup))) return false;
  for (const group of others) if (await isInTitles({ ...plan, groups: [group] }, [group], count)) return true;
  return false;
}

/** `femmes battues` has synonyms as a whole; its words are searched when none of these matches. */
function wordsOfPhrase(group: WordGroup): WordGroup[] {
  if (group.words.length === 1) return [group];
  return group.words.map((word, at) => ({
    ...group,
    typed: word,
    words: [word],
    spelled: word,
    alternatives: [[group.alternatives[0][at]]],
    isWeak: isWeak(word),
  }));
}

/** Quoted groups, which are never dropped, and those that match beside them. */
async function matchingAlone(
  groups: readonly WordGroup[],
  matches: (groups: readonly WordGroup[]) => Promise<boolean>,
): Promise<Set<WordGroup>> {
  const fixed = groups.filter(({ isFixed }) => isFixed);
  const matching = new Set(fixed);
  for (const group of groups) if (!group.isFixed && (await matches([...fixed, group]))) matching.add(group);
  return matching;
}

/** A postal code stands for its département, an unknown word for all words that begin with it. */
function widenWhole(group: WordGroup, lookup: WordLookup, corrected: Record<string, string>): WordGroup {
  const [word] = group.words;
  if (group.isFixed || group.words.length > 1) return group;
  if (/^\d{5}$/.test(word)) {
    const codes = departementCodes(word);
    corrected[group.typed] = codes[0];
    return { ...group, words: codes.slice(0, 1), alternatives: codes.map((code) => [code]), prefix: null };
  }
  if (isKnown(group, lookup) || group.isWeak || word.length < PREFIX_FROM || !lookup.begins(word)) return group;
  corrected[group.typed] = `${word}*`;
  return { ...group, prefix: word };
}

function departementCodes(postalCode: string): string[] {
  if (postalCode.startsWith("20")) return ["2a", "2b"];
  return [postalCode.slice(0, /^9[78]/.test(postalCode) ? 3 : 2)];
}

interface WidenContext {
  readonly lookup: WordLookup;
  /** Groups that match alone. */
  readonly matching: ReadonlySet<WordGroup>;
  matches(groups: readonly WordGroup[]): Promise<boolean>;
  count(groups: readonly WordGroup[]): Promise<number>;
}

/** Replaces the rarest word that has a neighbor one edit away among the items of the other words. */
async function widenOne(
  groups: readonly WordGroup[],
  corrected: Record<string, string>,
  { lookup, matching, matches, count }: WidenContext,
): Promise<WordGroup[] | null> {
  const rare = groups
    .filter(({ words, isFixed }) => !isFixed && words.length === 1 && isCorrectable(words[0]))
    .map((group) => ({ group, documents: lookup.documents(group.alternatives[0][0]) }))
    .filter(({ documents }) => documents <= RARE)
    // The name of a commune, an area or a tag is not a misspelling of a similar word.
    .filter(({ group }) => lookup.structuredShare(group.alternatives[0][0]) === 0)
    .sort((a, b) => a.documents - b.documents);
  for (const { group } of rare) {
    // Similar words are slow to find, and none helps where the other words alone match nothing.
    const others = groups.filter((other) => other !== group);
    if (!others.every((other) => matching.has(other)) || !(await matches(others))) continue;
    const replaced = (word: string) =>
      groups.map((other) => (other === group ? { ...group, words: [word], alternatives: [[termOf(word)]] } : other));
    const near = lookup.near(group.words[0], 1).map(({ surface }) => surface);
    const best = await firstMatching(near, async (word) => (await count(replaced(word))) > 0);
    if (best === null) continue;
    corrected[group.typed] = best;
    return replaced(best);
  }
  return null;
}

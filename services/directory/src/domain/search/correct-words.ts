/**
 * Corrects words that no item has, and words of which items have only the stem. A candidate must occur with the other
 * words of the query, if it has others.
 */
import { analyse, isCorrectable, letterCount, STOP_WORDS, termOf } from "../analyse.ts";
import { withoutStopWords, type QueryToken } from "./query-text.ts";
import { soundAlikes } from "./sounds.ts";
import type { Synonyms } from "./synonyms.ts";
import { isGeneral } from "./weak-words.ts";
import { isKnown, NEAR_MAX, readGroups, type WordGroup, type WordLookup } from "./word-groups.ts";

/** Words of this length have two edits. */
const TWO_EDITS_FROM = 8;
const SPLIT_FROM = 3;

interface CorrectionSources {
  readonly lookup: WordLookup;
  readonly synonyms: Synonyms | null;
  /** Whether an item matches these groups, within the filters of the query. */
  matches(groups: readonly WordGroup[]): Promise<boolean>;
}

interface CorrectionContext extends CorrectionSources {
  /** The other groups of the query that need no correction. */
  readonly others: readonly WordGroup[];
}

interface ReadWords {
  readonly tokens: readonly QueryToken[];
  /** Of the tokens, in order. */
  readonly groups: readonly WordGroup[];
  /** Quoted words. */
  readonly fixed: readonly WordGroup[];
}

/** The words of the query, with replacements for those that are misspelled. */
export async function correctTokens({ tokens, groups, fixed }: ReadWords, sources: CorrectionSources) {
  const corrected: Record<string, string> = {};
  const read: QueryToken[] = [];
  const before: WordGroup[] = [...fixed];
  let at = 0;
  for (const [position, group] of groups.entries()) {
    const own = tokens.slice(at, (at += group.words.length));
    const replacement = await replacementOf(group, [...before, ...groups.slice(position + 1)], sources);
    if (replacement === null) {
      read.push(...own);
      before.push(group);
      continue;
    }
    corrected[group.typed] = replacement;
    const words = wordsOf(replacement).map((token) => ({ ...token, typed: group.typed }));
    read.push(...words);
    before.push(...readGroups(words, false, null));
  }
  return { tokens: read, corrected };
}

async function replacementOf(
  group: WordGroup,
  beside: readonly WordGroup[],
  sources: CorrectionSources,
): Promise<string | null> {
  const { lookup } = sources;
  if (!isMisspelled(group, lookup)) return null;
  const others = beside.filter(
    (other) => (!other.isWeak || other.words.every(isGeneral)) && !needsCorrection(other, lookup),
  );
  const context = { ...sources, others };
  return needsCorrection(group, lookup) ? correctionOf(group.words[0], context) : commonerWord(group, context);
}

export function isMisspelled(group: WordGroup, lookup: WordLookup): boolean {
  return needsCorrection(group, lookup) || isKnownByStem(group, lookup);
}

function needsCorrection(group: WordGroup, lookup: WordLookup): boolean {
  return group.words.length === 1 && !group.isWeak && isCorrectable(group.words[0]) && !isKnown(group, lookup);
}

/** A word in more items is not a misspelling. */
export const RARE = 10;
const ENDINGS = ["s", "x", "e", "es"];

/** Whether items have neither the word nor a usual form of it, but a few have its stem: Brette, for `brets`. */
function isKnownByStem(group: WordGroup, lookup: WordLookup): boolean {
  const { words, alternatives, prefix, isWeak } = group;
  const [word] = words;
  if (words.length + alternatives.length > 2 || prefix !== null || isWeak || !isCorrectable(word)) return false;
  if (lookup.documents(alternatives[0][0]) > RARE || lookup.has(word)) return false;
  const forms = ENDINGS.flatMap((ending) =>
    word.endsWith(ending) ? [word + ending, word.slice(0, -ending.length)] : [word + ending],
  );
  return !forms.some(lookup.has);
}

/** How many times more items must have the other word: `brets` is Brest rather than Brette. */
const COMMONER = 20;

/** A far commoner word one edit away that occurs with the other words. */
async function commonerWord(group: WordGroup, { lookup, others, matches }: CorrectionContext): Promise<string | null> {
  const [own] = group.alternatives[0];
  const candidates = lookup
    .near(group.words[0], 1)
    .filter(({ surface, documents }) => documents >= lookup.documents(own) * COMMONER && termOf(surface) !== own)
    .map(({ surface }) => surface);
  if (others.length === 0) return candidates[0] ?? null;
  return firstMatching(candidates, (word) => matches([...others, ...readGroups(wordsOf(word), false, null)]));
}

function editsOf(surface: string): number {
  return letterCount(surface) >= TWO_EDITS_FROM ? 2 : 1;
}

/** The nearest word that occurs with the other words, else the nearest of all; or two words without their space. */
async function correctionOf(surface: string, context: CorrectionContext): Promise<string | null> {
  const { lookup, synonyms, others, matches } = context;
  const matchesWith = (groups: readonly WordGroup[]) => (words: string) =>
    matches([...groups, ...readGroups(wordsOf(words), false, null)]);
  const asTyped = others.map((group) => withoutSynonyms(group, lookup));
  const best = async (candidates: readonly string[]) =>
    (await firstMatching(candidates, matchesWith(asTyped))) ??
    (asTyped.every((group, at) => group === others[at]) ? null : await firstMatching(candidates, matchesWith(others)));
  let nearest: string | null = null;
  // Words with two edits take ten times as long to find, and most words need one.
  for (let edits = 1; edits <= editsOf(surface); edits++) {
    const candidates = lookup
      .near(surface, edits)
      .filter((word) => word.edits === edits)
      .map((word) => word.surface);
    nearest ??= candidates[0] ?? null;
    if (others.length === 0 && nearest !== null) return nearest;
    const found = await best(candidates);
    if (found !== null) return found;
    if (edits > 1) continue;
    const similar = synonyms?.near(surface).slice(0, NEAR_MAX) ?? [];
    const synonym = await firstMatching(similar, (word) =>
      matches([...others, ...readGroups(wordsOf(word), false, synonyms)]),
    );
    if (synonym !== null) return synonym;
    const alike = soundAlikes(surface, lookup.has, NEAR_MAX);
    nearest ??= alike[0] ?? null;
    if (others.length === 0 && nearest !== null) return nearest;
    const sounding = await best(alike);
    if (sounding !== null) return sounding;
  }
  // One edit and the number: `samurai` for samouraïs.
  const otherNumber = lookup.near(surface.endsWith("s") ? surface.slice(0, -1) : `${surface}s`, 1);
  const inOtherNumber = otherNumber.map((word) => word.surface);
  if (others.length === 0 && inOtherNumber.length > 0) return inOtherNumber[0];
  const found = await best(inOtherNumber);
  if (found !== null) return found;
  nearest ??= inOtherNumber[0] ?? null;
  const splits = splitsOf(surface, lookup);
  if (others.length === 0) return splits[0] ?? null;
  return (await best(splits)) ?? nearest ?? splits[0] ?? null;
}

/** Synonyms match far more items, and most of them by chance. */
function withoutSynonyms(group: WordGroup, lookup: WordLookup): WordGroup {
  const [own, ...others] = group.alternatives;
  if (others.length === 0 || own.some((term) => lookup.documents(term) === 0)) return group;
  return { ...group, alternatives: [own] };
}

export async function firstMatching<Candidate>(
  candidates: Iterable<Candidate>,
  matches: (candidate: Candidate) => Promise<boolean>,
): Promise<Candidate | null> {
  for (const candidate of candidates) if (await matches(candidate)) return candidate;
  return null;
}

/** Stop words are only in titles and communes. */
function wordsOf(replacement: string): QueryToken[] {
  return withoutStopWords(analyse(replacement));
}

/**
 * Pairs of words of items that the word consists of; the first may be short if it is a stop word, as in `La Rochelle`.
 * A stem is not enough: `guernica` is not `Guer` and a form of `Nice`.
 */
function splitsOf(surface: string, lookup: WordLookup): string[] {
  const splits: string[] = [];
  const isWord = (part: string) => lookup.has(part) || (STOP_WORDS.has(part) && lookup.documents(termOf(part)) > 0);
  for (let at = 1; at <= surface.length - SPLIT_FROM; at++) {
    const parts = [surface.slice(0, at), surface.slice(at)];
    if (at < SPLIT_FROM && !STOP_WORDS.has(parts[0])) continue;
    if (parts.every(isWord)) splits.push(parts.join(" "));
  }
  return splits.slice(0, NEAR_MAX);
}

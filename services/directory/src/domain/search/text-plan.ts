/**
 * Reads a query's text into groups of words that must all match. The plan is the same for every engine: an engine only
 * looks up words and counts matches.
 */
import { analyse, isCorrectable, letterCount, STOP_WORDS, termOf, type Token } from "../analyse.ts";
import { alone, readQueryText, withoutStopWords, type QueryToken } from "./query-text.ts";
import { soundAlikes } from "./sounds.ts";
import type { Synonyms } from "./synonyms.ts";
import { isGeneral, isWeak } from "./weak-words.ts";

/** One of the alternatives must match, or a word that begins with `prefix`. */
export interface WordGroup {
  /** As in the query, for `query.relaxed`. */
  readonly typed: string;
  /** As searched: corrected, folded. */
  readonly words: readonly string[];
  /** `words` with the stop words before and between them: part of the name of a town. */
  readonly spelled: string;
  /** Terms that must all occur. The first alternative is the query's own words, the others are synonyms. */
  readonly alternatives: readonly (readonly string[])[];
  readonly prefix: string | null;
  /** Quoted: matched as it stands and never dropped. */
  readonly isFixed: boolean;
  /** A word of questions, dropped first. */
  readonly isWeak: boolean;
}

export interface Relaxed {
  readonly dropped: readonly string[];
  readonly corrected: Readonly<Record<string, string>>;
}

export interface TextPlan {
  readonly groups: readonly WordGroup[];
  /** Terms side by side in the title or the commune. */
  readonly phrases: readonly (readonly string[])[];
  /** A term, or terms of a phrase, that must not occur. */
  readonly excluded: readonly (readonly string[])[];
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly relaxed: Relaxed | null;
}

export interface NearWord {
  readonly surface: string;
  readonly edits: number;
  readonly documents: number;
}

/** The vocabulary of a version. */
export interface WordLookup {
  readonly items: number;
  /** Items with the term; 0 for an unknown one. */
  documents(term: string): number;
  /** The share of the items with the term that have it in their commune, area or tags; 0 for an unknown one. */
  structuredShare(term: string): number;
  /** Whether an item has this word as written; false for stop words. */
  has(surface: string): boolean;
  /** Whether an item is in the commune of this name: `rochelle` is La Rochelle. */
  isCommune(surface: string): boolean;
  /** Whether a word of the vocabulary begins with these letters. */
  begins(surface: string): boolean;
  /** Words within this number of edits: fewest edits first, then most items, then by bytes; at most `NEAR_MAX`. */
  near(surface: string, edits: number): readonly NearWord[];
}

/** Candidates of a correction that are compared. */
export const NEAR_MAX = 8;
/** Words of this length have two edits. */
const TWO_EDITS_FROM = 8;
const SPLIT_FROM = 3;

/**
 * Items that match all groups, phrases and exclusions, within the filters of the query. Where one is enough, an engine
 * may stop at the first.
 */
export type CountMatches = (plan: TextPlan, enough?: 1) => Promise<number>;

export interface TextOptions {
  readonly correct: boolean;
  readonly synonyms: Synonyms | null;
}

export async function planText(
  text: string,
  { correct, synonyms }: TextOptions,
  { lookup, count }: { readonly lookup: WordLookup; readonly count: CountMatches },
): Promise<TextPlan> {
  const query = readQueryText(text);
  const base: TextPlan = {
    groups: [],
    phrases: query.phrases.filter(isSideBySide).map((phrase) => phrase.map(({ term }) => term)),
    excluded: query.excluded
      .filter((phrase) => phrase.length === 1 || isSideBySide(phrase))
      .map((phrase) => phrase.map(({ term }) => term)),
    corrected: null,
    relaxed: null,
  };
  const fixed = query.phrases.flat().map((token) => ({ ...groupOf([alone(token)], null), isFixed: true }));
  const groups = readGroups(query.tokens, query.unfinished, query.stopOnly ? null : synonyms).map((group) =>
    withOtherNumber(group, lookup),
  );
  if (!correct || query.stopOnly) return { ...base, groups: distinct([...fixed, ...groups]) };

  const isUnknown = (group: WordGroup) => needsCorrection(group, lookup);
  const corrected: Record<string, string> = {};
  const read: WordGroup[] = [];
  for (const [position, group] of groups.entries()) {
    if (!isUnknown(group)) {
      read.push(group);
      continue;
    }
    const others = [...fixed, ...read, ...groups.slice(position + 1)].filter(
      (other) => (!other.isWeak || other.words.every(isGeneral)) && !isUnknown(other),
    );
    const replacement = await correctionOf(group.words[0], {
      lookup,
      others,
      count: (parts) => count({ ...base, groups: parts }),
    });
    if (replacement === null) {
      read.push(group);
      continue;
    }
    corrected[group.typed] = replacement;
    const isPrefix = group.prefix !== null;
    const tokens = wordsOf(replacement);
    read.push(...readGroups(tokens, isPrefix, synonyms).map((part) => ({ ...part, typed: group.typed })));
  }
  const isCorrected = Object.keys(corrected).length > 0;
  return { ...base, groups: distinct([...fixed, ...read]), corrected: isCorrected ? corrected : null };
}

/** Stop words have no neighbors. */
function isSideBySide(phrase: readonly Token[]): boolean {
  return phrase.length > 1 && !phrase[0].stop;
}

function readGroups(tokens: readonly QueryToken[], unfinished: boolean, synonyms: Synonyms | null): WordGroup[] {
  const terms = tokens.map(({ term }) => term);
  const groups: WordGroup[] = [];
  for (let at = 0; at < tokens.length;) {
    const match = synonyms?.find(terms, at) ?? null;
    const length = match?.length ?? 1;
    const isLast = at + length === tokens.length;
    const group = groupOf(tokens.slice(at, at + length), match?.equivalents ?? null);
    // Only one word is completed: the beginning of a phrase of two is not a word.
    groups.push(unfinished && isLast && length === 1 ? { ...group, prefix: group.words[0] } : group);
    at += length;
  }
  return groups;
}

function groupOf(tokens: readonly QueryToken[], equivalents: readonly (readonly string[])[] | null): WordGroup {
  const words = tokens.map(({ surface }) => surface);
  return {
    typed: words.join(" "),
    words,
    spelled: tokens.length === 1 ? tokens[0].spelled : tokens.map(({ spelled }) => spelled).join(" "),
    alternatives: [tokens.map(({ term }) => term), ...(equivalents ?? [])],
    prefix: null,
    isFixed: false,
    isWeak: equivalents === null ? words.every(isWeak) : words.every(isGeneral),
  };
}

/** Endings whose plural has another stem, in most cases without an accent: `quais`, `foyers`, `vélos`, `petits`. */
const NUMBERED = /(?:[iou]|er|ir|it|on)([sx]?)$/;
const pluralsOf = (word: string) => (/[iu]$/.test(word) ? [`${word}s`, `${word}x`] : [`${word}s`]);

/** Also finds the plural of a singular, or the singular of a plural, where their stems differ. */
function withOtherNumber(group: WordGroup, lookup: WordLookup): WordGroup {
  const [word, ...others] = group.words;
  if (others.length > 0) return group;
  const ending = NUMBERED.exec(word);
  if (ending === null) return group;
  const forms = ending[1] === "" ? pluralsOf(word) : [word.slice(0, -1)];
  const isKnownTerm = (form: string) => group.alternatives.some((known) => known.length === 1 && known[0] === form);
  const added = forms.filter((form) => !isKnownTerm(termOf(form)) && lookup.has(form)).map(termOf);
  // Paris is not several bets.
  if (added.length === 0 || isName(group, lookup)) return group;
  return { ...group, alternatives: [...group.alternatives, ...added.map((term) => [term])] };
}

/** Whether most items with the word have it in their commune, area or tags. */
export function isName({ alternatives: [own] }: WordGroup, lookup: WordLookup): boolean {
  return own.every((term) => lookup.structuredShare(term) > 1 / 2);
}

/** Without repeated words; the last one stays, which may be a prefix. */
function distinct(groups: readonly WordGroup[]): readonly WordGroup[] {
  const keyOf = ({ alternatives }: WordGroup) => alternatives[0].join(" ");
  return groups.filter((group, at) => !groups.slice(at + 1).some((later) => keyOf(later) === keyOf(group)));
}

export function isKnown({ alternatives, prefix }: WordGroup, lookup: WordLookup): boolean {
  return (
    alternatives.some((terms) => terms.every((term) => lookup.documents(term) > 0)) ||
    (prefix !== null && lookup.begins(prefix))
  );
}

function needsCorrection(group: WordGroup, lookup: WordLookup): boolean {
  return group.words.length === 1 && !group.isWeak && isCorrectable(group.words[0]) && !isKnown(group, lookup);
}

export function editsOf(surface: string): number {
  return letterCount(surface) >= TWO_EDITS_FROM ? 2 : 1;
}

interface CorrectionContext {
  readonly lookup: WordLookup;
  /** The groups that need no correction. */
  readonly others: readonly WordGroup[];
  count(groups: readonly WordGroup[]): Promise<number>;
}

/** The nearest word that occurs with the other words, else the nearest of all; or two words without their space. */
async function correctionOf(surface: string, { lookup, others, count }: CorrectionContext): Promise<string | null> {
  const countWith = (groups: readonly WordGroup[]) => (words: string) =>
    count([...groups, ...readGroups(wordsOf(words), false, null)]);
  const asTyped = others.map((group) => withoutSynonyms(group, lookup));
  const best = async (candidates: readonly string[]) =>
    (await mostMatches(candidates, countWith(asTyped))) ??
    (asTyped.every((group, at) => group === others[at]) ? null : await mostMatches(candidates, countWith(others)));
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

export async function mostMatches(
  candidates: readonly string[],
  count: (candidate: string) => Promise<number>,
): Promise<string | null> {
  let best: string | null = null;
  let most = 0;
  for (const candidate of candidates) {
    const matches = await count(candidate);
    if (matches > most) [best, most] = [candidate, matches];
  }
  return best;
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

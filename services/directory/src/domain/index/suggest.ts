/**
 * Finds suggestions: texts that begin with what was typed, then texts with words that begin with the typed words, then
 * texts that begin with the typed letters but for spaces, then the words one edit away. Each step runs only if the steps
 * before it found too few. Synchronous and bounded.
 */
import type { ItemType } from "@triptych/contracts";
import { isCorrectable } from "../analyse.ts";
import { readTyped, type Suggestion, type SuggestQuery, type TypedText } from "../suggestions.ts";
import { COMMUNE, TAG, titleKind } from "./build-suggestions.ts";
import { TYPE_NUMBERS } from "./index-views.ts";
import type { SuggestIndex } from "./suggest-index.ts";
import { prefixRange, sizeOf, stringAt, type Range, type StringTable } from "./string-table.ts";

/** Candidates compared with the other words of a query: a millisecond. */
const CHECKS_MAX = 10_000;
/** Comparing with an edit is slower. */
const EDIT_CHECKS_MAX = 2_000;
/** Longer words are completed but not corrected: each letter costs dozens of look-ups. */
const EDITED_LETTERS_MAX = 16;
const ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz");

export type FoundSuggestion =
  | { readonly kind: "title"; readonly type: ItemType; readonly rank: number; readonly count: number }
  | { readonly kind: "commune" | "tag"; readonly text: string; readonly slug: string; readonly count: number };

export function findSuggestions(index: SuggestIndex, { text, types, limit }: SuggestQuery): FoundSuggestion[] {
  const accepts = acceptedBy(index, types);
  const found: number[] = [];
  const readings = readTyped(text);
  const take = (numbers: readonly number[]) => {
    for (const number of numbers) if (found.length < limit && !found.includes(number)) found.push(number);
  };
  for (const step of [equalTexts, beginningTexts, beginningWords, beginningLetters, editedWords]) {
    const best = bestNumbers(limit + found.length, accepts);
    for (const typed of readings) step(index, typed, best);
    take(best.numbers());
    if (found.length >= limit) break;
  }
  return found.map((number) => describe(index, index.positions[number], types));
}

/** @param titles JSON of the items with the found titles, by rank. */
export function toSuggestion(found: FoundSuggestion, titles: ReadonlyMap<number, Uint8Array>): Suggestion {
  if (found.kind !== "title") {
    const { kind, text, slug, count } = found;
    return kind === "tag" ? { kind, text, slug, count } : { kind, text, count };
  }
  const { kind, type, rank, count } = found;
  // The builder wrote it from an item.
  const { title, slug } = JSON.parse(Buffer.from(titles.get(rank) ?? "{}").toString()) as {
    title: string;
    slug: string;
  };
  return count === 1 ? { kind, text: title, type, slug } : { kind, text: title, type, count };
}

/** The least numbers offered: the best entries. */
interface BestNumbers {
  /** Numbers from here on are not among the best. */
  readonly bound: number;
  offer(number: number): void;
  numbers(): readonly number[];
}

function bestNumbers(count: number, accepts: (number: number) => boolean): BestNumbers {
  const best: number[] = [];
  return {
    get bound() {
      return best.length < count ? Infinity : best[best.length - 1];
    },
    offer(number) {
      if (best.length === count && number >= best[best.length - 1]) return;
      if (best.includes(number) || !accepts(number)) return;
      let at = best.length;
      while (at > 0 && best[at - 1] > number) at--;
      best.splice(at, 0, number);
      if (best.length > count) best.pop();
    },
    numbers: () => best,
  };
}

function acceptedBy({ kinds, targets, positions, nameCounts }: SuggestIndex, types: readonly ItemType[]) {
  if (types.length === 0) return () => true;
  const numbers = types.map((type) => TYPE_NUMBERS.get(type) ?? 0);
  return (number: number): boolean => {
    const position = positions[number];
    const kind = kinds[position];
    if (kind !== COMMUNE && kind !== TAG) return numbers.some((type) => titleKind(type) === kind);
    return numbers.some((type) => nameCounts[targets[position] * TYPE_NUMBERS.size + type - 1] > 0);
  };
}

function equalTexts({ texts, numbers }: SuggestIndex, { whole }: TypedText, best: BestNumbers): void {
  const { from, to } = prefixRange(texts, whole);
  const length = Buffer.byteLength(whole);
  for (let at = from; at < to && texts.starts[at + 1] - texts.starts[at] === length; at++) best.offer(numbers[at]);
}

function beginningTexts({ texts, numbers }: SuggestIndex, { whole }: TypedText, best: BestNumbers): void {
  const { from, to } = prefixRange(texts, whole);
  for (let at = from; at < to; at++) if (numbers[at] < best.bound) best.offer(numbers[at]);
}

function beginningWords(index: SuggestIndex, { words }: TypedText, best: BestNumbers): void {
  const ranges = words.map((word) => [prefixRange(index.words, word)]);
  const rarest = rarestOf(index, ranges);
  const others = words.filter((_, at) => at !== rarest).map((word) => Buffer.from(word));
  let checks = CHECKS_MAX;
  const matches = (number: number) =>
    others.length === 0 ||
    (checks-- > 0 && others.every((word) => hasWordBeginning(index.texts, index.positions[number], word)));
  offerEntries(index, ranges[rarest], { best, matches });
}

/** `larochelle` begins `la rochelle`. Visits the beginnings of texts that have these letters, with any spaces. */
function beginningLetters({ texts, numbers }: SuggestIndex, { whole }: TypedText, best: BestNumbers): void {
  const letters = Array.from(whole.replaceAll(" ", ""));
  const visit = (beginning: string, at: number, { from, to }: Range): void => {
    if (at === letters.length) {
      for (let text = from; text < to; text++) if (numbers[text] < best.bound) best.offer(numbers[text]);
      return;
    }
    for (const space of at === 0 ? [""] : ["", " "]) {
      const longer = beginning + space + letters[at];
      const within = prefixRange(texts, longer, { from, to });
      if (within.from < within.to) visit(longer, at + 1, within);
    }
  };
  visit("", 0, { from: 0, to: sizeOf(texts) });
}

function editedWords(index: SuggestIndex, { words }: TypedText, best: BestNumbers): void {
  const isEdited = (word: string) => isCorrectable(word) && word.length <= EDITED_LETTERS_MAX;
  const ranges = words.map((word) => {
    const own = prefixRange(index.words, word);
    return isEdited(word) ? [own, ...editedRanges(index.words, word)] : [own];
  });
  const rarest = rarestOf(index, ranges);
  const others = words.filter((_, at) => at !== rarest);
  let checks = EDIT_CHECKS_MAX;
  const matches = (number: number) => {
    if (others.length === 0) return true;
    if (checks-- <= 0) return false;
    const candidates = stringAt(index.texts, index.positions[number]).split(" ");
    return others.every((word) =>
      candidates.some((candidate) => (isEdited(word) ? beginsWithEdit(candidate, word) : candidate.startsWith(word))),
    );
  };
  offerEntries(index, ranges[rarest], { best, matches });
}

interface Offering {
  readonly best: BestNumbers;
  readonly matches: (number: number) => boolean;
}

function offerEntries(
  { wordStarts, wordEntries }: SuggestIndex,
  ranges: readonly Range[],
  { best, matches }: Offering,
): void {
  for (const { from, to } of ranges)
    for (let word = from; word < to; word++)
      for (let at = wordStarts[word]; at < wordStarts[word + 1] && wordEntries[at] < best.bound; at++)
        if (matches(wordEntries[at])) best.offer(wordEntries[at]);
}

/** The word in the fewest entries lists the candidates. */
function rarestOf({ wordStarts }: SuggestIndex, ranges: readonly (readonly Range[])[]): number {
  const sizes = ranges.map((own) => own.reduce((sum, { from, to }) => sum + wordStarts[to] - wordStarts[from], 0));
  return sizes.indexOf(Math.min(...sizes));
}

/** Ranges of the words that begin with a word one edit away. */
function editedRanges(words: StringTable, word: string): Range[] {
  const ranges: Range[] = [];
  let within: Range = { from: 0, to: words.starts.length - 1 };
  for (let at = 0; at <= word.length; at++) {
    const head = word.slice(0, at);
    within = prefixRange(words, head, within);
    // No word has this beginning: the edit is before it.
    if (within.from === within.to) break;
    const rest = word.slice(at);
    const shorter = rest.slice(1);
    const edits = ALPHABET.flatMap((letter) => [letter + rest, letter + shorter]);
    if (rest.length > 1) edits.push(rest[1] + rest[0] + rest.slice(2));
    // A shorter end would complete to too much.
    if (at < word.length - 1) edits.push(shorter);
    for (const edit of edits) {
      const range = prefixRange(words, head + edit, within);
      if (range.from < range.to) ranges.push(range);
    }
  }
  return ranges;
}

/** Whether a beginning of the candidate is one edit away. Everything before the first difference is equal. */
function beginsWithEdit(candidate: string, word: string): boolean {
  let at = 0;
  while (at < word.length && candidate[at] === word[at]) at++;
  if (at === word.length) return true;
  const begins = (rest: number, from: number) => candidate.startsWith(word.slice(rest), from);
  return (
    begins(at + 1, at + 1) ||
    begins(at + 1, at) ||
    begins(at, at + 1) ||
    (candidate[at] === word[at + 1] && candidate[at + 1] === word[at] && begins(at + 2, at + 2))
  );
}

const SPACE = " ".charCodeAt(0);

function hasWordBeginning({ bytes, starts }: StringTable, position: number, word: Uint8Array): boolean {
  const end = starts[position + 1] - word.length;
  for (let at = starts[position]; at <= end; at++) {
    let same = 0;
    while (same < word.length && bytes[at + same] === word[same]) same++;
    if (same === word.length) return true;
    while (at <= end && bytes[at] !== SPACE) at++;
  }
  return false;
}

function describe(index: SuggestIndex, position: number, types: readonly ItemType[]): FoundSuggestion {
  const { kinds, counts, targets, labels, slugs, nameCounts } = index;
  const [kind, target] = [kinds[position], targets[position]];
  if (kind === COMMUNE || kind === TAG) {
    const perType = (type: ItemType) => nameCounts[target * TYPE_NUMBERS.size + (TYPE_NUMBERS.get(type) ?? 1) - 1];
    const count = types.length === 0 ? counts[position] : types.reduce((sum, type) => sum + perType(type), 0);
    return {
      kind: kind === TAG ? "tag" : "commune",
      text: stringAt(labels, target),
      slug: stringAt(slugs, target),
      count,
    };
  }
  const [type] = [...TYPE_NUMBERS].find(([, number]) => titleKind(number) === kind) ?? ["place"];
  return { kind: "title", type: type as ItemType, rank: target, count: counts[position] };
}

/** Completions of what a visitor types: titles, communes and tags. Only fields of the summary, so every plan has them. */
import type { ItemType } from "@triptych/contracts";
import { fold, SHORT_FORMS, splitFolded, STOP_WORDS } from "./analyse.ts";

/** Further words would narrow nothing, but cost a look-up each. */
const WORDS_MAX = 8;

export interface Suggestion {
  readonly kind: "title" | "commune" | "tag";
  readonly text: string;
  /** Type of the items with this title. */
  readonly type?: ItemType;
  /** Slug of the tag, or of the only item with this title. */
  readonly slug?: string;
  /** Items of a commune or tag, or with this title when there are several. */
  readonly count?: number;
}

export interface SuggestQuery {
  readonly text: string;
  /** All types if empty. */
  readonly types: readonly ItemType[];
  readonly limit: number;
}

/** The words of a text without case, accents, hyphens and apostrophes; `St` is `Saint`. */
export function suggestWords(text: string): string[] {
  return splitFolded(fold(text)).map((word) => SHORT_FORMS.get(word) ?? word);
}

export interface TypedText {
  /** Folded, words separated by spaces. */
  readonly whole: string;
  /** Without stop words, unless there are no others. */
  readonly words: readonly string[];
}

/** An unfinished `st` may be `Saint` or the beginning of `stade`: both are read. */
export function readTyped(text: string): TypedText[] {
  const folded = splitFolded(fold(text)).slice(0, WORDS_MAX);
  const [last, expanded] = [folded.at(-1), suggestWords(text).slice(0, WORDS_MAX)];
  if (last === undefined) return [];
  const readings = SHORT_FORMS.has(last) ? [expanded, [...expanded.slice(0, -1), last]] : [expanded];
  return readings.map((words) => {
    const meaningful = words.filter((word, at) => at === words.length - 1 || !STOP_WORDS.has(word));
    return { whole: words.join(" "), words: meaningful };
  });
}

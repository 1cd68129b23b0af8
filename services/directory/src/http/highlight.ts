/**
 * Marks the words of a text that a query matched: the same term (case, accents, inflection), an unfinished last word,
 * and corrected words. Whole words only, so a mark never splits a character or an entity.
 */
import { escapeHtml } from "@triptych/server";
import type { Hit } from "../domain/catalogue.ts";
import type { ProjectedItem } from "../domain/serializers/json.ts";
import { analyse } from "../domain/analyse.ts";
import { readQueryText } from "../domain/search/query-text.ts";

export type Highlighter = (text: string) => string;

/** The item with `highlights`, whatever its selected fields. */
export function withHighlights(
  item: ProjectedItem,
  hit: Pick<Hit, "json">,
  highlight: Highlighter | null,
): ProjectedItem {
  if (highlight === null) return item;
  // Stored JSON was validated at import.
  const { title, summary } = JSON.parse(Buffer.from(hit.json).toString()) as { title: string; summary: string };
  return { ...item, highlights: { title: highlight(title), summary: highlight(summary) } };
}

/** @param corrected typed word -> what was searched instead, as in the response: words, or a beginning with `*`. */
export function createHighlighter(text: string, corrected: Readonly<Record<string, string>> | null): Highlighter {
  const { tokens, phrases, unfinished } = readQueryText(text);
  const typed = [...tokens, ...phrases.flat()].map(({ surface }) => corrected?.[surface] ?? surface);
  const terms = new Set(typed.flatMap((words) => analyse(words)).map(({ term }) => term));
  const last = tokens.at(-1)?.surface;
  const beginnings = typed.filter((words) => words.endsWith("*")).map((words) => words.slice(0, -1));
  if (unfinished && last !== undefined) beginnings.push(corrected?.[last] ?? last);
  const isMatch = (word: string) =>
    analyse(word).some(
      ({ surface, term }) => terms.has(term) || beginnings.some((beginning) => surface.startsWith(beginning)),
    );

  return (marked) => {
    let result = "";
    let end = 0;
    for (const { 0: word, index } of marked.matchAll(WORDS)) {
      if (!isMatch(word)) continue;
      result += `${escapeHtml(marked.slice(end, index))}<mark>${escapeHtml(word)}</mark>`;
      end = index + word.length;
    }
    return result + escapeHtml(marked.slice(end));
  };
}

/** Letters, digits, and the combining marks of decomposed accents, which analysis removes. */
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * Reads the text of a query: words, quoted phrases (`"musée de bretagne"`) and exclusions (`-gare`, `-"la gare"`). A
 * hyphen excludes only behind a space: `Saint-Denis` is two words.
 */
import { analyse, fold, letterCount, type Token } from "../analyse.ts";

/** Minimum length of an unfinished last word for a prefix search. */
const PREFIX_FROM = 3;

export interface QueryToken extends Token {
  /** With the stop words directly before it: `en bresse`. */
  readonly spelled: string;
  /** Of a corrected word: as it was in the query. */
  readonly typed?: string;
}

export interface QueryText {
  /** Words outside quotes, without stop words where the query has another word. */
  readonly tokens: readonly QueryToken[];
  readonly stopOnly: boolean;
  /** The last of `tokens` may be a prefix. Never for stop words. */
  readonly unfinished: boolean;
  /** The words of each phrase; stop words between them are ignored. */
  readonly phrases: readonly (readonly Token[])[];
  /** The words of each exclusion, which are a phrase when there are several. */
  readonly excluded: readonly (readonly Token[])[];
}

/** Most queries have neither phrases nor exclusions. */
const MARK = /["“”«-]/;
const QUOTED = /(^|[\s(])(-?)["“”«]\s*([^"“”«»]*?)\s*["“”»]/gu;
/** `paris 13` is the arrondissement, which few items name, and no number of a title. */
const ARRONDISSEMENT = /\b(paris|lyon|marseille) (\d{1,2})(?!\S)/g;
const EXCLUDED = /(^|\s)-([\p{L}\p{N}][^\s]*)/gu;

export function readQueryText(text: string): QueryText {
  const phrases: Token[][] = [];
  const excluded: Token[][] = [];
  const add = (list: Token[][], words: string) => {
    const tokens = contentOf(analyse(words));
    if (tokens.length > 0) list.push(tokens);
  };
  const readMarked = () =>
    text
      .replaceAll(QUOTED, (_whole, _before, minus: string, words: string) => {
        add(minus === "" ? phrases : excluded, words);
        return " ";
      })
      .replaceAll(EXCLUDED, (_whole, _before, words: string) => {
        add(excluded, words);
        return " ";
      });
  const rest = MARK.test(text) ? readMarked() : text;

  const folded = fold(rest).replaceAll(ARRONDISSEMENT, "$1 $2e");
  const all = analyse(folded);
  const stopOnly = phrases.length === 0 && all.every((token) => token.stop);
  const last = all.at(-1);
  const unfinished =
    last !== undefined && !last.stop && letterCount(last.surface) >= PREFIX_FROM && folded.endsWith(last.surface);
  return { tokens: stopOnly ? all.map(alone) : withoutStopWords(all), stopOnly, unfinished, phrases, excluded };
}

export function withoutStopWords(tokens: readonly Token[]): QueryToken[] {
  const content: QueryToken[] = [];
  let before = "";
  for (const { surface, term, stop } of tokens) {
    if (stop) before += `${surface} `;
    else {
      content.push({ surface, term, stop, spelled: before + surface });
      before = "";
    }
  }
  return content;
}

export function alone({ surface, term, stop }: Token): QueryToken {
  return { surface, term, stop, spelled: surface };
}

function contentOf(tokens: Token[]): Token[] {
  return tokens.some((token) => !token.stop) ? tokens.filter((token) => !token.stop) : tokens;
}

/**
 * How text becomes words: one reading for import, query, every engine and the oracle. A word has its folded form as written
 * (`surface`) and the term it is found under (`term`, its French Snowball stem), so that accents, case, apostrophes, hyphens and
 * inflection never decide whether something is found. A change of any rule here must raise `ANALYSER_VERSION`: snapshots built
 * by another analyser are refused, because their terms would silently not match.
 */
import { stemmer } from "@orama/stemmers/french";

export const ANALYSER_VERSION = 1;

/** Words shorter than this are never stemmed nor corrected. */
const STEM_FROM = 4;
/** An unfinished last word stands for what begins with it from this length on. */
const PREFIX_FROM = 3;

export const STOP_WORDS: ReadonlySet<string> = new Set(
  "a au aux avec c d dans de des du en et j l la le les m n ou par pour qu s sur t un une".split(" "),
);

export interface Word {
  readonly surface: string;
  /** What postings are kept under. A stop word's term begins with `_`, which no stem can: `danse` must not find `dans`. */
  readonly term: string;
  readonly stop: boolean;
}

export interface QueryWords {
  /** In order; stop words only when there is no other word. */
  readonly words: readonly Word[];
  readonly stopOnly: boolean;
  /** The last of `words` may be the beginning of longer ones. Never for a stop word: those are searched as they stand. */
  readonly unfinished: boolean;
}

export function analyse(text: string): Word[] {
  return splitFolded(fold(text)).map(wordOf);
}

export function analyseQuery(text: string): QueryWords {
  const folded = fold(text);
  const all = splitFolded(folded).map(wordOf);
  const stopOnly = all.every((word) => word.stop);
  const last = all.at(-1);
  const unfinished =
    last !== undefined && !last.stop && letterCount(last.surface) >= PREFIX_FROM && folded.endsWith(last.surface);
  return { words: stopOnly ? all : all.filter((word) => !word.stop), stopOnly, unfinished };
}

/** Compatibility forms unified, lower case, ligatures opened, accents removed. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(MARKS, "")
      .replaceAll("œ", "oe")
      .replaceAll("æ", "ae")
      .replaceAll("ß", "ss")
      // Lower-casing writes the last sigma of a Greek word differently, depending on what follows it.
      .replaceAll("ς", "σ")
      .normalize("NFC")
  );
}

/** Everything that is neither letter nor digit separates. */
export function splitFolded(folded: string): string[] {
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? [];
}

export function termOf(surface: string): string {
  if (STOP_WORDS.has(surface)) return `_${surface}`;
  if (letterCount(surface) < STEM_FROM) return surface;
  return stemmer(surface) || surface;
}

/** Characters, not UTF-16 units: the same count as PostgreSQL's `char_length`. */
export function letterCount(word: string): number {
  return ASTRAL.test(word) ? Array.from(word).length : word.length;
}

/** Numbers are never corrected: `35001` is not a mistyped `35000`. */
export function isCorrectable(surface: string): boolean {
  return letterCount(surface) >= STEM_FROM && !DIGIT.test(surface);
}

function wordOf(surface: string): Word {
  return { surface, term: termOf(surface), stop: STOP_WORDS.has(surface) };
}

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const ASTRAL = /[\ud800-\udbff]/;
const DIGIT = /\p{N}/u;

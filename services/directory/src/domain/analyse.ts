/**
 * Text analysis for import, query, all engines and the test oracle. `surface` is a word's folded form, `term` its
 * French Snowball stem, so accents, case, hyphens and inflection do not affect matching. Raise `ANALYSER_VERSION` with
 * every change of a rule: terms of older snapshots would silently not match.
 */
import { stemmer } from "@orama/stemmers/french";
import { memoize } from "@triptych/util";

export const ANALYSER_VERSION = 2;

/** Shorter words are neither stemmed nor corrected. */
const STEM_FROM = 4;

export const STOP_WORDS: ReadonlySet<string> = new Set(
  "a au aux avec c d dans de des du en et j l la le les m n ou par pour qu s sur t un une".split(" "),
);

/** Folded words of names and what they stand for. */
export const SHORT_FORMS: ReadonlyMap<string, string> = new Map([
  ["st", "saint"],
  ["ste", "sainte"],
  ["sts", "saints"],
  ["stes", "saintes"],
]);

export interface Token {
  readonly surface: string;
  /** Key of the postings. Terms of stop words begin with `_`, which no stem can: `danse` must not find `dans`. */
  readonly term: string;
  readonly stop: boolean;
}

export function analyse(text: string): Token[] {
  return splitFolded(fold(text)).map(toToken);
}

/** NFKC, lower case, ligatures expanded, accents removed. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  if (FRENCH.test(text)) return text.toLowerCase().replaceAll(BEYOND_ASCII, foldCharacter);
  return foldAny(text);
}

/** Folds characters by themselves in half the time of the whole text; none of these merges with its neighbors. */
export const FRENCH = /^[\0-\x7f\xa0-\xff\u0152\u0153\u2010-\u203a]*$/;
const BEYOND_ASCII = /[^\0-\x7f]/g;
const foldCharacter = memoize(foldAny, 256);

function foldAny(text: string): string {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(MARKS, "")
      .replaceAll("œ", "oe")
      .replaceAll("æ", "ae")
      .replaceAll("ß", "ss")
      // Lower-casing produces either form of sigma, depending on the next letter.
      .replaceAll("ς", "σ")
      .normalize("NFC")
  );
}

export function splitFolded(folded: string): string[] {
  return folded.match(ASCII.test(folded) ? ASCII_TOKENS : TOKENS) ?? [];
}

/** Spellings in names of towns; `sainte` and `saints` have the stem of `saint`. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ["st", "saint"],
  ["sts", "saint"],
  ["ste", "saint"],
  ["stes", "saint"],
  ["mt", "mont"],
  ["mts", "mont"],
]);

/** Words repeat: stemming takes longer than looking a word up. The words remembered take 1 MB. */
export const termOf = memoize(findTerm, 4096);

function findTerm(surface: string): string {
  if (STOP_WORDS.has(surface)) return `_${surface}`;
  const whole = ABBREVIATIONS.get(surface);
  if (whole !== undefined) return whole;
  if (letterCount(surface) < STEM_FROM) return surface;
  return stemmer(surface) || surface;
}

/** Counts characters, not UTF-16 units, like PostgreSQL's `char_length`. */
export function letterCount(text: string): number {
  return ASTRAL.test(text) ? Array.from(text).length : text.length;
}

/** Numbers are not corrected: `35001` is not a typo of `35000`. */
export function isCorrectable(surface: string): boolean {
  return letterCount(surface) >= STEM_FROM && !DIGIT.test(surface);
}

function toToken(surface: string): Token {
  return { surface, term: termOf(surface), stop: STOP_WORDS.has(surface) };
}

const ASCII = /^[\0-\x7f]*$/;
const ASCII_TOKENS = /[a-z0-9]+/g;
const TOKENS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const ASTRAL = /[\ud800-\udbff]/;
const DIGIT = /\p{N}/u;

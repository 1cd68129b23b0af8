/**
 * The words of a text as `analyse` reads them, for whoever reads millions of texts: folded unit by unit into one buffer, where
 * each word is told by its place, so that nothing is cut out or thrown away. What it knows of folding it asks `fold` once for each
 * letter; a text with letters whose folding depends on their neighbours (combining marks, Greek, Hangul) goes to `fold` as a whole.
 *
 * Law (tested): the same words as `splitFolded(fold(text))`, in the same order.
 */
import { fold, splitFolded } from "./analyse.ts";

/** The word stands in `units` from `from` to `to`; valid only until the call returns. */
export type VisitWord = (units: Uint16Array, from: number, to: number) => void;

/** Latin letters, precomposed: each folds by itself, whatever stands beside it. */
const LATIN_END = 0x250;
/** Dashes, quotation marks, dots. */
const PUNCTUATION = 0x2010;
const PUNCTUATION_END = 0x2060;
/** No letter folds to more units than this. */
const MOST_UNITS = 4;
const SURROGATES = 0xd800;
const SURROGATES_END = 0xe000;

export function wordReader(): (text: string, visit: VisitWord) => void {
  const folds = foldsOfLetters();
  const isLetter = letterTest();
  let units = new Uint16Array(1 << 12);

  /** Fills `units`; -1 when the text must be folded as a whole. */
  const foldIntoUnits = (text: string): number => {
    let length = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const folded = unit < PUNCTUATION_END ? folds.single[unit] : 0;
      if (folded !== 0) {
        units[length++] = folded;
        continue;
      }
      const several = folds.several.get(unit);
      if (several === undefined) return -1;
      for (let place = 0; place < several.length; place++) units[length++] = several.charCodeAt(place);
    }
    return length;
  };

  const makeRoom = (length: number): void => {
    if (length > units.length) units = new Uint16Array(length * 2);
  };
  const copyIntoUnits = (text: string): void => {
    makeRoom(text.length);
    for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  };

  return (text, visit) => {
    makeRoom(text.length * MOST_UNITS);
    const length = foldIntoUnits(text);
    if (length < 0) {
      for (const word of splitFolded(fold(text))) {
        copyIntoUnits(word);
        visit(units, 0, word.length);
      }
      return;
    }
    let from = 0;
    for (let at = 0; at < length; at++) {
      if (isLetter(units[at])) continue;
      if (at > from) visit(units, from, at);
      from = at + 1;
    }
    if (length > from) visit(units, from, length);
  };
}

interface LetterFolds {
  /** What a letter folds to where that is one unit; 0 = none or several. */
  readonly single: Uint16Array;
  readonly several: ReadonlyMap<number, string>;
}

function foldsOfLetters(): LetterFolds {
  const single = new Uint16Array(PUNCTUATION_END);
  const several = new Map<number, string>();
  for (let unit = 0; unit < PUNCTUATION_END; unit++) {
    if (unit >= LATIN_END && unit < PUNCTUATION) continue;
    const folded = fold(String.fromCharCode(unit));
    if (folded.length === 1 && folded !== "\0") single[unit] = folded.charCodeAt(0);
    else several.set(unit, folded);
  }
  return { single, several };
}

/** For units of folded Latin text, never halves of a pair. Asked of `splitFolded` once for each. */
function letterTest(): (unit: number) => boolean {
  /** 0 = not asked yet, 1 = no, 2 = yes. */
  const known = new Uint8Array(1 << 16);
  return (unit) => {
    if (known[unit] === 0) {
      const isHalf = unit >= SURROGATES && unit < SURROGATES_END;
      known[unit] = !isHalf && splitFolded(String.fromCharCode(unit)).length > 0 ? 2 : 1;
    }
    return known[unit] === 2;
  };
}

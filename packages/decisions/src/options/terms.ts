/**
 * The terms that requests and options are compared by: word stems, so that "reservations" matches "reserve" and
 * "annuler" matches "annulation", and pairs of adjacent stems. Punctuation and numbers do not indicate intent.
 */
import { FIRST_TOKENS, LAST_TOKENS } from "../text/tokenise.ts";
import { hashOfTerm } from "./frequencies.ts";
import { createTermTable, type Term } from "./term-table.ts";

const STEM = 5;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
const WORD = /^\p{L}/u;
/** Small integers (Smi) avoid heap objects. */
const THIRTY_BITS = 0x3fffffff;

export interface Terms {
  readonly stems: readonly Term[];
  readonly pairs: readonly Term[];
}

const met = createTermTable(2 * (FIRST_TOKENS + LAST_TOKENS));

/** `telling`: IDF of a term by hash. */
export function termsOf(tokens: readonly string[], telling: (hash: number) => number): Terms {
  const stems: Term[] = [];
  const pairs: Term[] = [];
  let before: Term | null = null;
  met.clear();
  for (const token of tokens) {
    if (!isWord(token)) {
      before = null;
      continue;
    }
    const stem = stemTerm(stemOf(token), telling);
    if (met.add(stem)) stems.push(stem);
    if (before !== null) {
      const pair = pairTerm(before, stem);
      if (met.add(pair)) pairs.push(pair);
    }
    before = stem;
  }
  return { stems, pairs };
}

/** The text of a term, for counting. It is unambiguous, because stems contain no spaces. */
export function textOfTerm({ left, right }: Term): string {
  return right === "" ? left : `${left} ${right}`;
}

function stemTerm(left: string, telling: (hash: number) => number): Term {
  const hash = hashOfTerm(left) & THIRTY_BITS;
  return { hash, left, right: "", telling: telling(hash) };
}

function pairTerm(first: Term, next: Term): Term {
  return {
    hash: (Math.imul(first.hash, 31) + next.hash) & THIRTY_BITS,
    left: first.left,
    right: next.left,
    telling: 0,
  };
}

export function isWord(token: string): boolean {
  const code = token.charCodeAt(0);
  // Tokens are lower case and mostly ASCII, which needs no Unicode tables.
  return code < 0x80 ? code >= LOWER_A && code <= LOWER_Z : WORD.test(token);
}

export function stemOf(word: string): string {
  return word.slice(0, STEM);
}

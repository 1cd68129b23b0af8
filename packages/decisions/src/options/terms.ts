/**
 * The terms by which a request and an option are laid side by side: the beginning of each word, so that "reservations" meets
 * "reserve" and "annuler" meets "annulation", and pairs of neighbours. Signs and figures say nothing of what is wanted.
 */
import { FIRST_TOKENS, LAST_TOKENS } from "../text/tokenise.ts";
import { hashOfTerm } from "./frequencies.ts";
import { createTermTable, type Term } from "./term-table.ts";

const STEM = 5;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
const WORD = /^\p{L}/u;
/** A number that the engine keeps as it is, and not as an object. */
const THIRTY_BITS = 0x3fffffff;

/** Each once, in the order in which they came. */
export interface Terms {
  readonly stems: readonly Term[];
  readonly pairs: readonly Term[];
}

const met = createTermTable(2 * (FIRST_TOKENS + LAST_TOKENS));

/** `telling`: of a term with this hash. */
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

/** As it is counted: no beginning of a word holds a blank. */
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
  // Tokens are lower case, and most of them ASCII: those need no look at the tables of Unicode.
  return code < 0x80 ? code >= LOWER_A && code <= LOWER_Z : WORD.test(token);
}

export function stemOf(word: string): string {
  return word.slice(0, STEM);
}

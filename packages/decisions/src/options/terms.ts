/**
 * The terms by which a request and an option are laid side by side: the beginning of each word, so that "reservations" meets
 * "reserve" and "annuler" meets "annulation", and pairs of neighbours. Signs and figures say nothing of what is wanted.
 */
const STEM = 5;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
const WORD = /^\p{L}/u;

export interface Terms {
  readonly stems: readonly string[];
  readonly pairs: readonly string[];
}

export function termsOf(tokens: readonly string[]): Terms {
  const stems = new Set<string>();
  const pairs = new Set<string>();
  let left: string | undefined;
  for (const token of tokens) {
    if (!isWord(token)) {
      left = undefined;
      continue;
    }
    const stem = stemOf(token);
    stems.add(stem);
    if (left !== undefined) pairs.add(`${left} ${stem}`);
    left = stem;
  }
  return { stems: [...stems], pairs: [...pairs] };
}

export function isWord(token: string): boolean {
  const code = token.charCodeAt(0);
  // Tokens are lower case, and most of them ASCII: those need no look at the tables of Unicode.
  return code < 0x80 ? code >= LOWER_A && code <= LOWER_Z : WORD.test(token);
}

export function stemOf(word: string): string {
  return word.slice(0, STEM);
}

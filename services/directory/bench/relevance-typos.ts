import type { Random } from "../test/support/random.ts";
import type { JudgedQuery } from "./relevance-queries.ts";

const LONG_WORD = /^\p{L}{5,}$/u;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * The queries with one random error in a word of five letters or more: a letter more, less or wrong, or two exchanged.
 * The first letter stays.
 */
export function withTypingErrors(queries: readonly JudgedQuery[], random: Random): JudgedQuery[] {
  return queries.flatMap((query) => {
    const words = query.text.split(" ");
    const long = [...words.keys()].filter((at) => LONG_WORD.test(words[at]));
    if (query.group === "typing errors" || long.length === 0) return [];
    const chosen = random.pick(long);
    return [{ ...query, text: words.with(chosen, misspell(words[chosen], random)).join(" ") }];
  });
}

/** Until it differs: two equal letters can be exchanged. */
function misspell(word: string, random: Random): string {
  const at = 1 + random.below(word.length - 2);
  const [before, letter, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const other = LETTERS[random.below(LETTERS.length)];
  const typed = random.pick([
    before + other + letter + next + after,
    before + next + after,
    before + other + next + after,
    before + next + letter + after,
  ]);
  return typed === word ? misspell(word, random) : typed;
}

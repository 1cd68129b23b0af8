/** Changes a text as if it was typed in a hurry. The changes depend only on the hash of the text. */
import { hashText } from "../src/text/rows.ts";

export type Disturbance = "typos" | "upper case" | "no marks" | "first half";

export const DISTURBANCES: readonly Disturbance[] = ["typos", "upper case", "no marks", "first half"];

const SEED = 0x243f6a88;
/** Shorter words are rarely mistyped beyond recognition. */
const MISTYPED_FROM = 4;
/** One of the longer words in this many is mistyped. */
const MISTYPED = 3;

export function disturbed(text: string, how: Disturbance): string {
  switch (how) {
    case "typos":
      return text.split(" ").map(mistyped).join(" ");
    case "upper case":
      return text.toUpperCase();
    case "no marks":
      return text.replaceAll(/[^\p{L}\p{N}\s]+/gu, " ").trim();
    case "first half": {
      const words = text.split(/\s+/);
      return words.slice(0, Math.ceil(words.length / 2)).join(" ");
    }
  }
}

/** Swaps two letters, drops one, or doubles one. */
function mistyped(word: string, index: number): string {
  const hash = hashText(`${index} ${word}`, SEED);
  if (word.length < MISTYPED_FROM || hash % MISTYPED !== 0) return word;
  const at = 1 + (Math.floor(hash / MISTYPED) % (word.length - 2));
  const [before, letter, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  switch (Math.floor(hash / 1024) % 3) {
    case 0:
      return before + next + letter + after;
    case 1:
      return before + next + after;
    default:
      return before + letter + letter + next + after;
  }
}

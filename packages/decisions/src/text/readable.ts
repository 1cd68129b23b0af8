/**
 * Decides whether a text can be read, because only words in Latin script have vectors. Of other texts only the
 * punctuation remains, and a lone question mark resembles a question about the weather.
 */
/** First code unit after the Latin letters (Latin Extended-B ends at U+024F). */
const LATIN_END = 0x250;

/**
 * False if the text has no words and numbers, or if more than half of them are unknown: words of another script without
 * a vector, and keyboard noise. Any other unknown word in Latin script still has character n-grams.
 */
export function isReadable(tokens: readonly string[], knows: (word: string) => boolean): boolean {
  const { words, noise, foreign } = countsOf(tokens);
  const unknown = noise + foreign.filter((word) => !knows(word)).length;
  return words > 0 && unknown * 2 <= words;
}

interface Counts {
  readonly words: number;
  readonly noise: number;
  /** Words of other scripts. */
  readonly foreign: readonly string[];
}

/** Counts are cached, because a call may ask 400 questions about the same text. */
const counted = new WeakMap<readonly string[], Counts>();

function countsOf(tokens: readonly string[]): Counts {
  const before = counted.get(tokens);
  if (before !== undefined) return before;
  const words = tokens.filter((token) => !isSign(token.charCodeAt(0)));
  const foreign = words.filter((word) => word.charCodeAt(0) >= LATIN_END);
  const noise = words.filter((word) => word.charCodeAt(0) < LATIN_END && isNoise(word)).length;
  const counts = { words: words.length, noise, foreign };
  counted.set(tokens, counts);
  return counts;
}

const NOISE_LENGTH = 4;
/** This many consonants in a row are noise; clusters such as "sch" count once. */
const NOISE_RUN = 5;
const VOWEL = /[aeiouyœæ]/;
const CLUSTER = /sch|tch|[cpst]h|st|ng/g;
const CONSONANTS = /[b-df-hj-np-tv-xz]+/g;
const KEYS = /qwer|rtyu|tyui|yuio|uiop|poiu|(.)\1{3}/;

/** "asdfgh", "sdkjfh", "zzzz": strings that are words in no language. Abbreviations have fewer letters. */
function isNoise(word: string): boolean {
  if (word.length < NOISE_LENGTH || word.charCodeAt(0) < 0x61) return false;
  if (!VOWEL.test(word) || KEYS.test(word)) return true;
  let longest = 0;
  let run = 0;
  for (let index = 0; index < word.length; index++) {
    run = VOWELS.has(word.charCodeAt(index)) ? 0 : run + 1;
    if (run > longest) longest = run;
  }
  if (longest < NOISE_RUN) return false;
  return (word.replace(CLUSTER, "s").match(CONSONANTS) ?? []).some((found) => found.length >= NOISE_RUN);
}

const VOWELS: ReadonlySet<number> = new Set(Array.from("aeiouyœæ", (vowel) => vowel.charCodeAt(0)));

/** The tokenizer turns each symbol into a token: ASCII other than letters and digits, and currency signs. */
function isSign(code: number): boolean {
  if (code >= 0x80) return code === 0xa3 || code === 0x20ac;
  return !((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39));
}

export function isZero(vector: ArrayLike<number>): boolean {
  for (let d = 0; d < vector.length; d++) if (vector[d] !== 0) return false;
  return true;
}

/** The normal form in which texts are compared: NFKC, lower case, letters and digits only, single spaces. */
export function normaliseText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

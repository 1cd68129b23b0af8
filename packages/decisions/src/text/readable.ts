/**
 * Whether a text can be read: only words in Latin script have vectors. Other texts are reduced to punctuation, and a
 * lone question mark resembles a question about the weather.
 */
/** First code unit after the Latin letters (Latin Extended-B ends at U+024F). */
const LATIN_END = 0x250;

/**
 * False without words and numbers, or if more than half of them are unknown. `knows` is called only for words in
 * other scripts: an unknown Latin word still has character n-grams.
 */
export function isReadable(tokens: readonly string[], knows: (word: string) => boolean): boolean {
  let words = 0;
  let unknown = 0;
  for (const token of tokens) {
    const code = token.charCodeAt(0);
    if (isSign(code)) continue;
    words++;
    if (code >= LATIN_END && !knows(token)) unknown++;
  }
  return words > 0 && unknown * 2 <= words;
}

/** The tokenizer keeps symbols as single-character tokens: ASCII other than letters and digits, and currency signs. */
function isSign(code: number): boolean {
  if (code >= 0x80) return code === 0xa3 || code === 0x20ac;
  return !((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39));
}

export function isZero(vector: ArrayLike<number>): boolean {
  for (let d = 0; d < vector.length; d++) if (vector[d] !== 0) return false;
  return true;
}

/** Normal form for comparing texts: NFKC, lower case, letters and digits only, single spaces. */
export function normaliseText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/**
 * Whether a text can be read at all. The trunk knows words in Latin script; a word of another script has a vector of zeros. What is left
 * of such a text is its signs, and a question mark alone looks like a question about the weather.
 */

/** First code unit after the Latin letters (Latin Extended-B ends at U+024F). */
const LATIN_END = 0x250;

/**
 * False when there is no word and no number, or when more than half of them are unknown. `knows` is asked only for words of other scripts:
 * an unknown word in Latin script still has its character n-grams.
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

/** The tokenizer keeps signs as tokens of one character: ASCII that is no letter and no digit, and the currency signs. */
function isSign(code: number): boolean {
  if (code >= 0x80) return code === 0xa3 || code === 0x20ac;
  return !((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39));
}

export function isZero(vector: ArrayLike<number>): boolean {
  for (let d = 0; d < vector.length; d++) if (vector[d] !== 0) return false;
  return true;
}

/**
 * Splits texts into folded words, as numbers. French text is folded byte by byte, because a string for each word takes
 * more time than everything else that an index build does with it.
 */
import { FRENCH, fold, splitFolded } from "../analyse.ts";
import type { DistinctTexts } from "../string-interner.ts";

/** Values of `foldedBytes`. */
const SEPARATOR = 0;
const NOT_FRENCH = 0xffff;

export function createWordReader({
  numberOf,
  numberOfBytes,
}: Pick<DistinctTexts, "numberOf" | "numberOfBytes">): (text: string) => readonly number[] {
  const folded = foldedBytes();
  let word = new Uint8Array(0);

  return (text) => {
    // A character has at most two bytes.
    if (word.length < 2 * text.length) word = new Uint8Array(2 * text.length);
    const numbers: number[] = [];
    let length = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const bytes = code < folded.length ? folded[code] : NOT_FRENCH;
      if (bytes === NOT_FRENCH) return splitFolded(fold(text)).map(numberOf);
      if (bytes !== SEPARATOR) {
        word[length++] = bytes & 0xff;
        if (bytes > 0xff) word[length++] = bytes >>> 8;
      } else if (length > 0) {
        numbers.push(numberOfBytes(word, length));
        length = 0;
      }
    }
    if (length > 0) numbers.push(numberOfBytes(word, length));
    return numbers;
  };
}

/** By UTF-16 code: the one or two ASCII bytes of the folded character, the second one in the high byte. */
function foldedBytes(): Uint16Array {
  return Uint16Array.from({ length: 0x2040 }, (_, code) => {
    const character = String.fromCharCode(code);
    if (!FRENCH.test(character)) return NOT_FRENCH;
    const letters = fold(character);
    if (splitFolded(letters).length === 0) return SEPARATOR;
    if (!/^[a-z0-9]{1,2}$/.test(letters)) return NOT_FRENCH;
    return letters.charCodeAt(0) | (letters.length > 1 ? letters.charCodeAt(1) << 8 : 0);
  });
}

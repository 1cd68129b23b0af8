/** Time-ordered IDs and the base32 in which IDs and keys are written. */

/** A source of random bytes; `randomBytes` of node:crypto outside tests. */
export type RandomSource = (count: number) => Uint8Array;

/** Crockford's base32 in lower case: 32 symbols without `i l o u`, so that keys can be read aloud or copied by hand. */
const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * `<prefix>_<10 symbols of milliseconds><16 random symbols>`: the layout of a ULID, in lower case. 80 random bits
 * prevent collisions between processes in the same millisecond.
 */
export function ulid(prefix: string, at: number, random: RandomSource): string {
  return `${prefix}_${symbolsOfNumber(at, 10)}${encodeBase32(random(16))}`;
}

/** One symbol per byte, from its low five bits: uniform if the bytes are. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += SYMBOLS.charAt(byte & 31);
  return text;
}

/**
 * A non-negative safe integer as exactly `width` symbols, most significant first; excess digits are cut off on the
 * left.
 */
export function symbolsOfNumber(value: number, width: number): string {
  let text = "";
  for (let rest = value, index = 0; index < width; index++, rest = Math.floor(rest / 32)) {
    text = SYMBOLS.charAt(rest % 32) + text;
  }
  return text;
}

export function isSymbols(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]*$/.test(text);
}

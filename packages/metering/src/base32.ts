/** Crockford's base32 in lower case: 32 symbols without `i l o u`, so that keys can be read aloud or copied by hand. */
const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";
const CODES = Buffer.from(SYMBOLS, "latin1");

/** One symbol per byte, from its low five bits: uniform if the bytes are. */
export function encodeBase32(bytes: Uint8Array): string {
  // Built as one flat string: concatenation would create a rope that every later reader has to flatten.
  const codes = Buffer.allocUnsafe(bytes.length);
  for (let index = 0; index < bytes.length; index++) codes[index] = CODES[bytes[index] & 31];
  return codes.toString("latin1");
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

/** True if every character is one of the 32 symbols. */
export function isSymbols(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]*$/.test(text);
}

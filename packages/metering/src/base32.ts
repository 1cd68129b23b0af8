/**
 * Crockford's base32 in lower case: 32 symbols without `i l o u`, so that a key read aloud or copied by hand survives.
 */
const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";
const CODES = Buffer.from(SYMBOLS, "latin1");

/** One symbol per byte, from its low five bits: uniform when the bytes are. */
export function encodeBase32(bytes: Uint8Array): string {
  // Written out as one text: put together symbol by symbol, it would be a chain that every later reader has to follow.
  const codes = Buffer.allocUnsafe(bytes.length);
  for (let index = 0; index < bytes.length; index++) codes[index] = CODES[bytes[index] & 31];
  return codes.toString("latin1");
}

/** A non-negative safe integer in exactly `width` symbols, most significant first; what does not fit is cut off on the left. */
export function symbolsOfNumber(value: number, width: number): string {
  let text = "";
  for (let rest = value, index = 0; index < width; index++, rest = Math.floor(rest / 32)) {
    text = SYMBOLS.charAt(rest % 32) + text;
  }
  return text;
}

/** True when every character is one of the 32 symbols. */
export function isSymbols(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]*$/.test(text);
}

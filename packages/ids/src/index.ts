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

const POOL_BYTES = 4_096;

/**
 * Fetches bytes in blocks and hands out each byte once. A system call for every ID takes 3 µs; without the pool the
 * embedded meter misses its bar of 25 µs a request (`packages/usage-metering/bench/meter.ts`).
 */
export function poolRandom(random: RandomSource): RandomSource {
  let pool: Uint8Array = new Uint8Array();
  return (count) => {
    if (count > POOL_BYTES) return random(count);
    if (count > pool.length) pool = random(POOL_BYTES);
    const bytes = pool.subarray(0, count);
    pool = pool.subarray(count);
    return bytes;
  };
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

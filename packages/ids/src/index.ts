/** Time-ordered IDs, and the base32 encoding of IDs and keys. */

/** A source of random bytes; `randomBytes` of node:crypto outside tests. */
export type RandomSource = (count: number) => Uint8Array;

/**
 * Crockford's base32 in lower case. Its 32 symbols exclude `i l o u`, so that keys can be read aloud or copied by hand.
 */
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
 * Fetches random bytes in blocks and uses each byte once. A system call per ID takes 3 µs; without the pool, the
 * embedded meter exceeds its budget of 25 µs per request (`packages/usage-metering/bench/meter.ts`).
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

/** One symbol per byte, from its low five bits. Uniform bytes give uniform symbols. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += SYMBOLS.charAt(byte & 31);
  return text;
}

/**
 * Encodes a non-negative safe integer as exactly `width` symbols, most significant first. Excess leading digits are
 * dropped.
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

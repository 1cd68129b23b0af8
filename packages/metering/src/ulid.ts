/**
 * Time-ordered IDs: `<prefix>_<10 symbols of milliseconds><16 random symbols>` (the layout of a ULID, in lower case).
 * 80 random bits prevent collisions between processes in the same millisecond.
 */
import { encodeBase32, symbolsOfNumber } from "./base32.ts";

/** A source of random bytes; `randomBytes` of node:crypto outside tests. */
export type RandomSource = (count: number) => Uint8Array;

export function ulid(prefix: string, at: number, random: RandomSource): string {
  if (at !== last.at) last = { at, symbols: symbolsOfNumber(at, 10) };
  return `${prefix}_${last.symbols}${encodeBase32(random(16))}`;
}

/** Caches the last time: several requests share a millisecond. */
let last = { at: NaN, symbols: "" };

/** About 500 IDs per refill: a system call costs as much for 8 KB as for 16 bytes. */
const POOL_BYTES = 8192;

/** Buffers randomness in larger pieces. No byte is used twice. */
export function randomPool(random: RandomSource): RandomSource {
  let pool = new Uint8Array(0);
  let next = 0;
  return (count) => {
    if (next + count > pool.length) {
      pool = Uint8Array.from(random(Math.max(POOL_BYTES, count)));
      next = 0;
    }
    next += count;
    return pool.subarray(next - count, next);
  };
}

/**
 * Ids that sort by the time they were made: `<prefix>_<10 symbols of milliseconds><16 symbols of randomness>` (the layout of a
 * ULID, in lower case). 80 random bits keep two processes apart that make an id in the same millisecond.
 */
import { symbolsOf, symbolsOfNumber } from "./crockford.ts";

/** A source of random bytes, `randomBytes` of node:crypto outside tests. */
export type RandomSource = (count: number) => Uint8Array;

export function timeId(prefix: string, at: number, random: RandomSource): string {
  return `${prefix}_${symbolsOfNumber(at, 10)}${symbolsOf(random(16))}`;
}

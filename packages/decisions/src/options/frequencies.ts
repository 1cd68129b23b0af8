/**
 * Inverse document frequency of terms, by hash, in one byte per entry (units of a sixteenth). Colliding terms share
 * their value; an unknown term has the highest one.
 */
import { log } from "../math/exp-log.ts";
import { hashText } from "../text/rows.ts";

export interface Frequencies {
  telling(hash: number): number;
}

export const FREQUENCY_BYTES = 16_384;
const STEP = 16;
const SEED = 0x3c6ef372;

export function openFrequencies(bytes: Uint8Array): Frequencies {
  const mask = bytes.length - 1;
  return { telling: (hash) => bytes[hash & mask] / STEP };
}

export function hashOfTerm(term: string): number {
  return hashText(term, SEED);
}

export function countFrequencies(documents: Iterable<Iterable<string>>): Uint8Array {
  const counts = new Uint32Array(FREQUENCY_BYTES);
  let total = 0;
  for (const terms of documents) {
    total++;
    for (const bucket of new Set(Array.from(terms, (term) => hashOfTerm(term) & (FREQUENCY_BYTES - 1))))
      counts[bucket]++;
  }
  return Uint8Array.from(counts, (count) => Math.round(STEP * (0.25 + log((total + 1) / (count + 1)))));
}

/**
 * How telling a term is: the logarithm of its rarity among the texts of training, kept by hash in one byte of a sixteenth each. Two
 * terms that meet in one place share what they tell; a term that was never met tells the most.
 */
import { log } from "../math/exp-log.ts";
import { hashText } from "../text/rows.ts";

export interface Frequencies {
  /** Of a term, by its hash. */
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

/** `documents`: the distinct terms of each text. */
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

/**
 * BM25 (k1 1.2, b 0.75) on a weighted frequency, quantized at import to an integer from 1 to 255. Scores are integer
 * sums, equal on every machine. The memory engine and the test oracle call this code.
 */
import type { ItemFields } from "../catalogue.ts";

const K1 = 1.2;
const B = 0.75;

/** Weight per occurrence in a field; a word's weight in an item is their sum, at most `WEIGHT_MAX`. */
export const FIELD_WEIGHTS = { title: 3, commune: 2, tags: 2, summary: 1, description: 1 } as const;
/** BM25 is nearly flat here (a 21,000-letter text of one word), and a weight fits a byte. */
export const WEIGHT_MAX = 255;

export const IMPACT_MAX = 255;

export function rarity(documents: number, items: number): number {
  return Math.log(1 + (items - documents + 0.5) / (documents + 0.5));
}

/**
 * Penalty of long items. `length` and `totalLength` sum the field weights of all indexed words of the item and of all
 * items.
 */
export function lengthNorm(length: number, totalLength: number, items: number): number {
  return K1 * (1 - B + B * (length / (totalLength / items)));
}

export function rawImpact(rarity: number, norm: number, weight: number): number {
  return rarity * ((weight * (K1 + 1)) / (weight + norm));
}

export function quantise(raw: number, greatest: number): number {
  return Math.max(1, Math.min(IMPACT_MAX, Math.round((raw / greatest) * IMPACT_MAX)));
}

export interface WeightedText {
  readonly text: string;
  readonly weight: number;
  /** Stop words are indexed only in titles and commune names, which can consist of them (`Les`, `Sur`). */
  readonly keepsStopWords: boolean;
}

/** Tags are searched by label, or by slug without one. */
export function textsOf(item: ItemFields, labelOf: (slug: string) => string | undefined): WeightedText[] {
  const texts: WeightedText[] = [{ text: item.title, weight: FIELD_WEIGHTS.title, keepsStopWords: true }];
  const add = (text: string, weight: number, keepsStopWords: boolean) => texts.push({ text, weight, keepsStopWords });
  if (item.commune?.nom != null) add(item.commune.nom, FIELD_WEIGHTS.commune, true);
  for (const tag of item.tags) add(labelOf(tag) ?? tag, FIELD_WEIGHTS.tags, false);
  add(item.summary, FIELD_WEIGHTS.summary, false);
  if (item.description !== null) add(item.description, FIELD_WEIGHTS.description, false);
  return texts;
}

/**
 * How much a word says about an item: BM25 (k1 1.2, b 0.75) on a weighted frequency, quantised at import into an integer from 1
 * to 255. Scores are sums of these integers, hence equal in every engine. The one place of the formula: the memory engine's
 * build, the PostgreSQL engine's indexer and the oracle all call it, in this order of operations.
 */

const K1 = 1.2;
const B = 0.75;

/** A field's words count this much; a word's weight in an item is the sum over its occurrences, at most `WEIGHT_MAX`. */
export const FIELD_WEIGHTS = { title: 3, commune: 2, tags: 2, summary: 1, description: 1 } as const;
/** BM25 hardly rises any more where this bites (a 21 000-letter text of one word), and a weight fits a byte. */
export const WEIGHT_MAX = 255;

export const IMPACT_MAX = 255;

/** Rarity of a term found in `documents` of `items`. */
export function rarity(documents: number, items: number): number {
  return Math.log(1 + (items - documents + 0.5) / (documents + 0.5));
}

/** Penalty of long items. `length` and `totalLength` are sums of field weights over all indexed words of the item, of all items. */
export function lengthNorm(length: number, totalLength: number, items: number): number {
  return K1 * (1 - B + B * (length / (totalLength / items)));
}

export function rawImpact(rarity: number, norm: number, weight: number): number {
  return rarity * ((weight * (K1 + 1)) / (weight + norm));
}

/** `greatest` is the greatest raw impact of the whole data set. */
export function quantise(raw: number, greatest: number): number {
  return Math.max(1, Math.min(IMPACT_MAX, Math.round((raw / greatest) * IMPACT_MAX)));
}

/** What a word counts where only a longer word that begins with it stands. */
export function halved(impact: number): number {
  return (impact + 1) >> 1;
}

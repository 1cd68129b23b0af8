/**
 * Text score: BM25 on a weighted frequency. The part of a word in an item is quantized at import to an integer from 1
 * to 255; the rarity of the word is a share of the query, so a rare form of a word cannot beat a common exact one.
 * Scores are integer sums, equal in the memory engine and the test oracle, which call this code.
 */
import type { ItemFields } from "../catalogue.ts";

const K1 = 4;
const B = 0.4;

export type SearchedField = "title" | "commune" | "tags" | "area" | "text";

/** Weight per occurrence in a field; a word's weight in an item is their sum, at most `WEIGHT_MAX`. */
const FIELD_WEIGHTS: Readonly<Record<SearchedField, number>> = { title: 8, commune: 6, tags: 6, area: 3, text: 1 };
/** BM25 is nearly flat here, and a weight fits a byte. */
export const WEIGHT_MAX = 255;

export const IMPACT_MAX = 255;
/** Sum of the shares of a query's words, which `sharesOf` rounds up to at most 255: scores fit 16 bits. */
const SHARES = 155;

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

export function impactOf(norm: number, weight: number): number {
  return Math.max(1, Math.min(IMPACT_MAX, Math.round((weight / (weight + norm)) * IMPACT_MAX)));
}

/** The share of each word of a query by its rarity. 100 words of one letter, the most in 200 characters, sum to 255. */
export function sharesOf(rarities: readonly number[]): number[] {
  const total = rarities.reduce((sum, value) => sum + value, 0);
  return rarities.map((value) => 1 + (total === 0 ? 0 : Math.floor((value / total) * SHARES)));
}

/** A word counts whole, its synonym three quarters, a longer word of which it is the beginning half. */
export function synonymImpact(impact: number): number {
  return (3 * impact + 3) >> 2;
}

export function prefixImpact(impact: number): number {
  return (impact + 1) >> 1;
}

/** What an impact counts in each kind of match, by impact. */
export const EXACT_IMPACTS = byImpact((impact) => impact);
export const SYNONYM_IMPACTS = byImpact(synonymImpact);
export const PREFIX_IMPACTS = byImpact(prefixImpact);

function byImpact(counted: (impact: number) => number): Uint8Array {
  return Uint8Array.from({ length: IMPACT_MAX + 1 }, (_, impact) => counted(impact));
}

export interface WeightedText {
  readonly field: SearchedField;
  readonly text: string;
  readonly weight: number;
  /** Stop words are indexed only in titles and commune names, which can consist of them (`Les`, `Sur`). */
  readonly keepsStopWords: boolean;
}

/** Tags are searched by label, or by slug without one; a département also by its code, in `musée 29`. */
export function textsOf(item: ItemFields, labelOf: (slug: string) => string | undefined): WeightedText[] {
  const { title, commune, tags, departement, region, address, summary, description } = item;
  const texts: WeightedText[] = [];
  const add = (field: SearchedField, text: string | null | undefined) => {
    if (text == null || text === "") return;
    const keepsStopWords = field === "title" || field === "commune";
    texts.push({ field, text, weight: FIELD_WEIGHTS[field], keepsStopWords });
  };
  add("title", title);
  add("commune", commune?.nom);
  for (const tag of tags) add("tags", labelOf(tag) ?? tag);
  add("area", departement && `${departement.nom} ${departement.code}`);
  add("area", region?.nom);
  add("area", address?.code_postal);
  add("text", summary);
  add("text", description);
  return texts;
}

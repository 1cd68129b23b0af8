import type { ItemFields } from "../catalogue.ts";
import { FIELD_WEIGHTS } from "./impact-scores.ts";

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

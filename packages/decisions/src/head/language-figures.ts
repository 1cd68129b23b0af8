/** Accuracy per language on unseen rows, for examples with a language. */
import { mean } from "../evaluate/metrics.ts";

export interface LanguageRow {
  readonly lang: string | null;
  /** Index of the route; out-of-scope rows are not counted, as in the overall accuracy. */
  readonly route: number;
}

/** `right`: 1 or 0 per row. Sorted by language. */
export function languageFigures(rows: readonly LanguageRow[], right: ArrayLike<number>) {
  const byLanguage = new Map<string, number[]>();
  for (const [index, { lang, route }] of rows.entries()) {
    if (lang === null || route < 0) continue;
    const of = byLanguage.get(lang);
    if (of === undefined) byLanguage.set(lang, [right[index]]);
    else of.push(right[index]);
  }
  return [...byLanguage]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([lang, of]) => ({ lang, n: of.length, accuracy: mean(of) }));
}

/** How well each language is told, on rows that the models had not seen: those whose examples say their language. */
import { mean } from "../evaluate/metrics.ts";

export interface LanguageRow {
  /** Null: nobody said. */
  readonly lang: string | null;
  /** Place of the route; rows out of scope are not counted, as in the accuracy of all. */
  readonly route: number;
}

/** `right`: 1 or 0 for each row. In the order of the languages' names. */
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

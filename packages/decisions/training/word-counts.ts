/** How often each token occurs, each text with its weight. */
import { tokenise } from "../src/text/tokenise.ts";

export interface CountedWord {
  readonly text: string;
  readonly weight: number;
}

export function rowCounts(texts: readonly CountedWord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text, weight } of texts)
    for (const token of tokenise(text).tokens) counts.set(token, (counts.get(token) ?? 0) + weight);
  return counts;
}

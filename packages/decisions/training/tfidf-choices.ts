import type { ChoiceRow } from "../src/options/train-options.ts";
import type { OptionEntry } from "../src/options/option.ts";
import { tokenise } from "../src/text/tokenise.ts";

/**
 * For each request, the option with the nearest tf-idf vector (of the words of name, description and parameters), and
 * the cosine.
 */
export function tfidfChoices(rows: readonly ChoiceRow[]): { readonly label: string; readonly score: number }[] {
  const documents = rows.flatMap(({ text, options }) => [text, ...options.map(textOf)]);
  const counts = new Map<string, number>();
  for (const document of new Set(documents))
    for (const word of new Set(tokenise(document).tokens)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vectorOf = (text: string) => {
    const vector = new Map<string, number>();
    for (const word of tokenise(text).tokens)
      vector.set(word, (vector.get(word) ?? 0) + Math.log(documents.length / (counts.get(word) ?? 1)));
    const length = Math.sqrt([...vector.values()].reduce((sum, value) => sum + value * value, 0)) || 1;
    return new Map([...vector].map(([word, value]) => [word, value / length]));
  };
  return rows.map(({ text, options }) => {
    const queryVector = vectorOf(text);
    const ranked = options.map((option) => {
      const score = [...vectorOf(textOf(option))].reduce(
        (sum, [word, value]) => sum + value * (queryVector.get(word) ?? 0),
        0,
      );
      return { label: option.label, score };
    });
    return ranked.reduce((best, candidate) => (candidate.score > best.score ? candidate : best));
  });
}

function textOf({ label, description, parameters }: OptionEntry): string {
  return [label, description, ...parameters.map(({ text }) => text)].join("\n");
}

/** What must be beaten without any trunk: a linear classifier over words, pairs and letters; for options the cosine of tf-idf vectors. */
import { choicesOf } from "../src/evaluate/metrics.ts";
import { fitPlus } from "../src/head/fit-plus.ts";
import { lexicalFeatures } from "../src/head/lexical.ts";
import type { ChoiceRow } from "../src/options/train-options.ts";
import type { OptionEntry } from "../src/options/vocabulary.ts";
import { tokenise } from "../src/text/tokenise.ts";

/** For each request the option of the nearest tf-idf vector (words of name, description and parameters), and that cosine. */
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
    const said = vectorOf(text);
    const ranked = options.map((option) => {
      const score = [...vectorOf(textOf(option))].reduce(
        (sum, [word, value]) => sum + value * (said.get(word) ?? 0),
        0,
      );
      return { label: option.label, score };
    });
    return ranked.reduce((best, one) => (one.score > best.score ? one : best));
  });
}

function textOf({ label, description, parameters }: OptionEntry): string {
  return [label, description, ...parameters].join("\n");
}

interface Labelled {
  readonly text: string;
  readonly label: string;
}

/** Accuracy of logistic regression over words 1-2 and characters 3-5, unlimited in size. */
export function lettersBaseline(train: readonly Labelled[], valid: readonly Labelled[]): number {
  const labels = [...new Set(train.map(({ label }) => label))].toSorted();
  const placeOf = new Map(labels.map((label, place) => [label, place]));
  const classes = labels.length;
  const few = train.length < 20 * classes;
  const { ids, weights } = fitPlus(
    {
      features: train.map(featuresOf),
      labels: Int32Array.from(train, ({ label }) => placeOf.get(label) ?? 0),
      classes,
    },
    { epochs: few ? 20 : 6, rate: 3, l1: 0, l2: 0, least: few ? 1 : 2, seed: 1 },
  );
  const rowOf = new Map([...ids].map((id, place) => [id, place]));
  const scores = new Float64Array(valid.length * classes);
  for (const [place, text] of valid.entries())
    for (const id of featuresOf(text).ids) {
      const base = (rowOf.get(id) ?? -1) * classes;
      if (base >= 0) for (let c = 0; c < classes; c++) scores[place * classes + c] += weights[base + c];
    }
  const truth = Int32Array.from(valid, ({ label }) => placeOf.get(label) ?? -1);
  const choices = choicesOf({ probabilities: scores, classes, labels: truth });
  return choices.reduce((sum, choice, place) => sum + (choice === truth[place] ? 1 : 0), 0) / valid.length;
}

function featuresOf({ text }: Labelled) {
  return lexicalFeatures(tokenise(text).tokens);
}

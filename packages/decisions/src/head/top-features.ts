/**
 * The strongest words of each route, for the model card: the contribution to the route's logit minus the mean over all
 * routes, times the excess frequency in texts of the route. Only the dense part counts.
 */
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import type { DenseWeights } from "./fit-dense.ts";

const WORDS_MAX = 8;
/** A word in a single text describes only that text. */
const TEXTS_LEAST = 2;

export interface TrainingRows {
  readonly encodings: readonly Encoding[];
  readonly labels: Int32Array;
  readonly classes: number;
}

/** Strongest first; at most eight per route, and only positive ones. */
export function topFeatures(
  trunk: Pick<Trunk, "dims" | "word">,
  { weights }: Pick<DenseWeights, "weights">,
  { encodings, labels, classes }: TrainingRows,
): readonly (readonly string[])[] {
  const { dims } = trunk;
  const counts = Array.from({ length: classes }, () => new Map<string, number>());
  for (const [row, { tokens }] of encodings.entries()) {
    if (labels[row] < 0) continue;
    const mine = counts[labels[row]];
    for (const word of new Set(tokens)) mine.set(word, (mine.get(word) ?? 0) + 1);
  }
  const ofAll = new Map<string, number>();
  for (const mine of counts) for (const [word, texts] of mine) ofAll.set(word, (ofAll.get(word) ?? 0) + texts);
  const sizes = new Float64Array(classes);
  for (const label of labels) if (label >= 0) sizes[label]++;
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const mean = new Float64Array(dims);
  for (let at = 0; at < weights.length; at++) mean[at % dims] += weights[at] / classes;

  return counts.map((mine, route) => {
    const spoken = [...mine].filter(([, texts]) => texts >= TEXTS_LEAST);
    return spoken
      .map(([word, texts]) => ({ word, excess: texts / sizes[route] - (ofAll.get(word) ?? 0) / all }))
      .filter(({ excess }) => excess > 0)
      .map(({ word, excess }) => ({ word, weight: excess * lead(trunk.word(word), route) }))
      .filter(({ weight }) => weight > 0)
      .toSorted((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
      .slice(0, WORDS_MAX)
      .map(({ word }) => word);
  });

  function lead(vector: Float32Array, route: number): number {
    let sum = 0;
    for (let d = 0; d < dims; d++) sum += vector[d] * (weights[route * dims + d] - mean[d]);
    return sum;
  }
}

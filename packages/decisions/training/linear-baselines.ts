/**
 * Baselines without a trained trunk: tf-idf of words, word pairs and groups of 3 to 5 characters with softmax
 * regression, and with a linear support vector machine; and the dense part on a random trunk.
 */
import { fitDense } from "../src/head/fit-dense.ts";
import { fitLexical } from "../src/head/fit-lexical.ts";
import { LEXICON } from "../src/head/lexical.ts";
import { denseLogits, softmax } from "../src/head/logits.ts";
import { shuffle, xorshift } from "../src/math/xorshift.ts";
import { hashOfPair, hashOfPiece, hashOfWord, piecesOf } from "../src/text/rows.ts";
import { tokenise } from "../src/text/tokenise.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import type { Labelled } from "./labelled-rows.ts";

export interface Classifier {
  readonly labels: readonly string[];
  decide(text: string): Float64Array;
}

const BUCKETS = 2 ** 20;
const SEED = 1;
/** Few examples need many epochs, as in the sparse part of a head. */
const FEW_A_CLASS = 20;
const EPOCHS = { few: 20, many: 6 };
const RATE = 3;

/**
 * Features are counts times the inverse document frequency, normalized. The model is a softmax regression with a
 * learning rate per feature (Adagrad).
 */
export function trainTfidf(rows: readonly Labelled[]): Classifier {
  const { labels, targets, classes, isFew } = targetsOf(rows);
  const counted = rows.map(({ text }) => countsOf(text));
  const least = isFew ? 1 : 2;
  const documents = new Map<number, number>();
  for (const counts of counted) for (const id of counts.keys()) documents.set(id, (documents.get(id) ?? 0) + 1);
  const features = [...documents].filter(([, count]) => count >= least);
  const indexById = new Map(features.map(([id], index) => [id, index]));
  const idf = Float64Array.from(features, ([, count]) => 1 + Math.log((1 + rows.length) / (1 + count)));
  const vectorOf = (counts: ReadonlyMap<number, number>) => {
    const entries = [...counts].flatMap(([id, count]) => {
      const index = indexById.get(id);
      return index === undefined ? [] : [{ place: index, value: count * idf[index] }];
    });
    const length = Math.sqrt(entries.reduce((sum, { value }) => sum + value * value, 0)) || 1;
    return {
      indices: Int32Array.from(entries, ({ place: index }) => index),
      values: Float64Array.from(entries, ({ value }) => value / length),
    };
  };
  const vectors = counted.map(vectorOf);
  const weights = new Float32Array(features.length * classes);
  const squares = new Float64Array(features.length);
  const random = xorshift(SEED);
  const order = Int32Array.from(rows.keys());
  for (let epoch = 0; epoch < (isFew ? EPOCHS.few : EPOCHS.many); epoch++) {
    shuffle(order, random);
    for (const row of order) learn(vectors[row], targets[row]);
  }
  return { labels, decide: (text) => softmax(logitsOf(vectorOf(countsOf(text)))) };

  function logitsOf({ indices, values }: ReturnType<typeof vectorOf>): Float64Array {
    const logits = new Float64Array(classes);
    for (let at = 0; at < indices.length; at++) {
      const base = indices[at] * classes;
      for (let c = 0; c < classes; c++) logits[c] += values[at] * weights[base + c];
    }
    return logits;
  }

  function learn(vector: ReturnType<typeof vectorOf>, target: number): void {
    const slope = softmax(logitsOf(vector));
    slope[target] -= 1;
    const square = slope.reduce((sum, value) => sum + value * value, 0);
    const { indices, values } = vector;
    for (let at = 0; at < indices.length; at++) {
      const index = indices[at];
      squares[index] += square * values[at] * values[at];
      const step = (RATE * values[at]) / (1 + Math.sqrt(squares[index]));
      const base = index * classes;
      for (let c = 0; c < classes; c++) weights[base + c] -= step * slope[c];
    }
  }
}

/** The learner of a head's lexical part (tf-idf and a linear support vector machine), without a size limit. */
export function trainWords(rows: readonly Labelled[]): Classifier {
  const { labels, targets, classes, isFew } = targetsOf(rows);
  const featuresOf = (text: string) => LEXICON.featuresOf(tokenise(text).tokens);
  const { ids, weights, bias } = fitLexical(
    { features: rows.map(({ text }) => featuresOf(text)), labels: targets, classes },
    { least: isFew ? 1 : 2, seed: SEED },
  );
  const rowOf = new Map([...ids].map((id, index) => [id, index]));
  return {
    labels,
    decide(text) {
      const { ids: textIds, value } = featuresOf(text);
      const logits = Float64Array.from(bias);
      for (const id of textIds) {
        const base = (rowOf.get(id) ?? -1) * classes;
        if (base >= 0) for (let c = 0; c < classes; c++) logits[c] += value * weights[base + c];
      }
      return softmax(logits);
    },
  };
}

/** The dense part of a head, with the settings of a head, on an untrained trunk. */
export function trainOnTrunk(trunk: Trunk, rows: readonly Labelled[]): Classifier {
  const { labels, targets, classes, isFew } = targetsOf(rows);
  const vectors = new Float32Array(rows.length * trunk.dims);
  for (const [row, { text }] of rows.entries()) vectors.set(trunk.encode(text).vector, row * trunk.dims);
  const pace = isFew ? { epochs: 40, rate: 10, decay: 3e-5 } : { epochs: 10, rate: 15, decay: 1e-5 };
  const { weights, bias } = fitDense(
    { vectors, labels: targets, dims: trunk.dims, classes },
    { ...pace, scale: 20, batch: 64, seed: SEED },
  );
  const wide = Float64Array.from(weights);
  return { labels, decide: (text) => softmax(denseLogits(wide, bias, trunk.encode(text).vector)) };
}

function targetsOf(rows: readonly Labelled[]) {
  const labels = [...new Set(rows.map(({ label }) => label))].toSorted();
  const indexByLabel = new Map(labels.map((label, index) => [label, index]));
  const classes = labels.length;
  const targets = Int32Array.from(rows, ({ label }) => indexByLabel.get(label) ?? -1);
  return { labels, targets, classes, isFew: rows.length < FEW_A_CLASS * classes };
}

function countsOf(text: string): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  const count = (hash: number): void => void counts.set(hash % BUCKETS, (counts.get(hash % BUCKETS) ?? 0) + 1);
  let left: string | undefined;
  for (const token of tokenise(text).tokens) {
    count(hashOfWord(token));
    if (left !== undefined) count(hashOfPair(left, token));
    for (const piece of piecesOf(token)) count(hashOfPiece(piece));
    left = token;
  }
  return counts;
}

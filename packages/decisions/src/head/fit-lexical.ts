/**
 * The lexical part of a head: a linear support vector machine per route against all others, on tf-idf values of the
 * lexical features (squared hinge loss, dual coordinate descent: Hsieh et al. 2008, "A dual coordinate descent method
 * for large-scale linear SVM"). On few examples it is what users would compare a head with, and the strongest
 * of the linear models.
 */
import { log } from "../math/exp-log.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import type { LexicalFeatures } from "./lexical.ts";

export interface LexicalSet {
  readonly features: readonly LexicalFeatures[];
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weight of each row; default 1. */
  readonly weights?: ArrayLike<number>;
}

export interface LexicalWeights {
  /** Ascending. */
  readonly ids: Uint32Array;
  /** ids x classes, for the value of a feature: inverse document frequencies are included. */
  readonly weights: Float32Array;
  readonly bias: Float64Array;
}

export interface LexicalOptions {
  /** Features of fewer examples are ignored. */
  readonly least: number;
  readonly seed: number;
}

/** Weight of an error against the length of the weights. */
const COST = 1;
const ROUNDS_MOST = 40;
/** The largest violation of the optimality conditions that ends the training. */
const TOLERANCE = 0.1;

interface Row {
  readonly indices: Int32Array;
  readonly values: Float64Array;
  readonly square: number;
  /** Of the squared hinge loss: half the inverse of the cost of an error. */
  readonly slack: number;
}

export function fitLexical(
  { features, labels, classes, weights: rowWeights }: LexicalSet,
  { least, seed }: LexicalOptions,
): LexicalWeights {
  const { ids, idf, indexById } = readFeatures(features, least);
  const rows = features.map((item, row) => rowOf(item, { indexById, idf, weight: rowWeights?.[row] ?? 1 }));
  const weights = new Float32Array(ids.length * classes);
  const bias = new Float64Array(classes);
  for (let c = 0; c < classes; c++) {
    const fitted = fitRoute(rows, labels, { route: c, features: ids.length, seed });
    for (let index = 0; index < ids.length; index++) weights[index * classes + c] = fitted.weights[index] * idf[index];
    bias[c] = fitted.bias;
  }
  return { ids, weights, bias };
}

function readFeatures(features: readonly LexicalFeatures[], least: number) {
  const counts = new Map<number, number>();
  for (const { ids } of features) for (const id of new Set(ids)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ids = Uint32Array.from([...counts].flatMap(([id, count]) => (count >= least ? id : []))).sort();
  // Relative to a feature of a single text, so that values stay near those of `LexicalFeatures`.
  const rarest = inverseFrequency(features.length, 1);
  const idf = Float64Array.from(ids, (id) => inverseFrequency(features.length, counts.get(id) ?? 1) / rarest);
  return { ids, idf, indexById: new Map(Array.from(ids, (id, index) => [id, index])) };
}

function inverseFrequency(texts: number, count: number): number {
  return 1 + log((1 + texts) / (1 + count));
}

interface RowContext {
  readonly indexById: ReadonlyMap<number, number>;
  readonly idf: Float64Array;
  readonly weight: number;
}

function rowOf({ ids, value }: LexicalFeatures, { indexById, idf, weight }: RowContext): Row {
  const counts = new Map<number, number>();
  for (const id of ids) {
    const index = indexById.get(id);
    if (index !== undefined) counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  const indices = Int32Array.from(counts.keys());
  const values = Float64Array.from(counts, ([index, count]) => count * value * idf[index]);
  return { indices, values, square: values.reduce((sum, x) => sum + x * x, 0), slack: 0.5 / (COST * weight) };
}

interface RouteToFit {
  readonly route: number;
  readonly features: number;
  readonly seed: number;
}

function fitRoute(rows: readonly Row[], labels: Int32Array, { route, features, seed }: RouteToFit) {
  const weights = new Float64Array(features);
  let bias = 0;
  const duals = new Float64Array(rows.length);
  const order = Int32Array.from(rows.keys());
  const random = xorshift(seed);
  for (let round = 0; round < ROUNDS_MOST; round++) {
    shuffle(order, random);
    let worst = 0;
    for (const at of order) {
      const { indices, values, square, slack } = rows[at];
      const sign = labels[at] === route ? 1 : -1;
      let sum = bias;
      for (let n = 0; n < indices.length; n++) sum += weights[indices[n]] * values[n];
      const slope = sign * sum - 1 + slack * duals[at];
      if (duals[at] === 0 && slope >= 0) continue;
      worst = Math.max(worst, Math.abs(slope));
      const dual = Math.max(0, duals[at] - slope / (1 + square + slack));
      const step = sign * (dual - duals[at]);
      duals[at] = dual;
      for (let n = 0; n < indices.length; n++) weights[indices[n]] += step * values[n];
      bias += step;
    }
    if (worst < TOLERANCE) break;
  }
  return { weights, bias };
}

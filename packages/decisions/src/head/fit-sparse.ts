/**
 * The sparse part of a head: multinomial logistic regression over lexical features with an L1 penalty, by
 * FTRL-proximal (McMahan et al. 2013, "Ad click prediction: a view from the trenches"), with a learning rate per
 * feature. Logits may start from a constant offset.
 */
import { exp } from "../math/exp-log.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import type { LexicalFeatures } from "./lexical.ts";

export interface PlusSet {
  readonly features: readonly LexicalFeatures[];
  readonly labels: Int32Array;
  readonly classes: number;
  readonly offset?: Float64Array;
}

export interface PlusOptions {
  readonly epochs: number;
  readonly rate: number;
  readonly l1: number;
  readonly l2: number;
  /** Features with fewer examples are ignored. */
  readonly least: number;
  readonly seed: number;
}

export interface PlusWeights {
  readonly ids: Uint32Array;
  readonly weights: Float32Array;
}

const NEGLIGIBLE = 1e-4;

export function fitPlus({ features, labels, classes, offset }: PlusSet, options: PlusOptions): PlusWeights {
  const { epochs, rate, l1, l2, least, seed } = options;
  const ids = commonFeatures(features, least);
  const indexById = new Map([...ids].map((id, index) => [id, index]));
  const rows = features.map((item) => Int32Array.from([...item.ids].flatMap((id) => indexById.get(id) ?? [])));
  const z = new Float32Array(ids.length * classes);
  const weights = new Float32Array(ids.length * classes);
  const squares = new Float32Array(ids.length);
  const random = xorshift(seed);
  const order = Int32Array.from(features.keys());
  const p = new Float64Array(classes);
  // The few classes with a gradient for an example, and the gradients, shared by all its features.
  const taught = new Int32Array(classes);
  const slopes = new Float64Array(classes);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const example of order) {
      const indices = rows[example];
      const value = features[example].value;
      predict(p, indices, value, example);
      p[labels[example]] -= 1;
      learn(indices, value);
    }
  }
  return { ids, weights };

  function predict(out: Float64Array, indices: Int32Array, value: number, example: number): void {
    for (let c = 0; c < classes; c++) out[c] = 0;
    for (const index of indices) {
      const base = index * classes;
      for (let c = 0; c < classes; c++) out[c] += weights[base + c];
    }
    let most = -Infinity;
    for (let c = 0; c < classes; c++) {
      out[c] = out[c] * value + (offset === undefined ? 0 : offset[example * classes + c]);
      if (out[c] > most) most = out[c];
    }
    let sum = 0;
    for (let c = 0; c < classes; c++) sum += out[c] = exp(out[c] - most);
    for (let c = 0; c < classes; c++) out[c] /= sum;
  }

  function learn(indices: Int32Array, value: number): void {
    let square = 0;
    for (let c = 0; c < classes; c++) square += p[c] * p[c];
    square *= value * value;
    const count = findSlopes(value);
    for (const index of indices) {
      const before = Math.sqrt(squares[index]);
      squares[index] += square;
      const after = Math.sqrt(squares[index]);
      const sigma = (after - before) / rate;
      const strength = 1 / ((1 + after) / rate + l2);
      const base = index * classes;
      for (let n = 0; n < count; n++) {
        const at = base + taught[n];
        z[at] += slopes[n] - sigma * weights[at];
        const pull = z[at];
        weights[at] = pull > l1 ? (l1 - pull) * strength : pull < -l1 ? (-l1 - pull) * strength : 0;
      }
    }
  }

  function findSlopes(value: number): number {
    let count = 0;
    for (let c = 0; c < classes; c++) {
      const g = p[c] * value;
      if (g < NEGLIGIBLE && g > -NEGLIGIBLE) continue;
      taught[count] = c;
      slopes[count++] = g;
    }
    return count;
  }
}

function commonFeatures(features: readonly LexicalFeatures[], least: number): Uint32Array {
  const counts = new Map<number, number>();
  for (const { ids } of features) for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Uint32Array.from([...counts].flatMap(([id, count]) => (count >= least ? id : []))).sort();
}

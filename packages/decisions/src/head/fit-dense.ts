/**
 * Multinomial logistic regression on trunk vectors, initialized at the class means, trained with minibatches and
 * momentum. All randomness comes from the seed, so equal input in equal order gives equal weights.
 */
import { exp } from "../math/exp-log.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import { classMeans, type LabelledVectors } from "./class-means.ts";

export interface DenseSet extends LabelledVectors {
  /** Weight of each row; default 1. */
  readonly weights?: ArrayLike<number>;
}

export interface DenseWeights {
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

export interface FitOptions {
  readonly epochs: number;
  readonly rate: number;
  readonly decay: number;
  /** Initial length of the class means: an inverse temperature. */
  readonly scale: number;
  readonly batch: number;
  readonly seed: number;
}

const MOMENTUM = 0.9;
/** Final share of the linearly decaying learning rate. */
const LAST_RATE = 0.02;
/** Classes with negligible probability for an example have no gradient; they are the majority. */
const NEGLIGIBLE = 1e-6;

export function fitDense(
  { vectors, labels, dims, classes, weights: rowWeights }: DenseSet,
  options: FitOptions,
): DenseWeights {
  const n = labels.length;
  const { epochs, rate, decay, scale, batch, seed } = options;
  // Doubles inside: the loops read each number many times, and a float is converted on every read.
  const weights = classMeans({ vectors, labels, dims, classes }, scale);
  const bias = new Float64Array(classes);
  const speed = new Float64Array(classes * dims);
  const biasSpeed = new Float64Array(classes);
  const random = xorshift(seed);
  const order = Int32Array.from({ length: n }, (_, index) => index);
  const input = new Float64Array(batch * dims);
  const pulls = new Float64Array(batch * classes);
  const bases = new Int32Array(batch);
  const shares = new Float64Array(batch);
  const steps = Math.ceil(n / batch) * epochs;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let from = 0; from < n; from += batch) {
      const size = Math.min(n, from + batch) - from;
      copyRows(input, vectors, order.subarray(from, from + size), dims);
      logitsOf({ weights, bias, input, size, dims, classes }, pulls);
      subtractTargets(pulls, order.subarray(from, from + size), { labels, classes, weights: rowWeights });
      const pace = rate * (LAST_RATE + (1 - LAST_RATE) * (1 - step++ / steps));
      for (let c = 0; c < classes; c++) move(c, size, pace);
    }
  }
  return { weights: Float32Array.from(weights), bias: Float32Array.from(bias) };

  /**
   * One momentum step of a class; `pulls` are the gradients of its logits. Four dimensions stay in registers over all
   * inputs, each adding the inputs in order.
   */
  function move(c: number, size: number, pace: number): void {
    const count = findPulls(c, size);
    const end = (c + 1) * dims;
    for (let at = c * dims, d = 0; at < end; at += 4, d += 4) {
      let s0 = MOMENTUM * speed[at] + decay * weights[at];
      let s1 = MOMENTUM * speed[at + 1] + decay * weights[at + 1];
      let s2 = MOMENTUM * speed[at + 2] + decay * weights[at + 2];
      let s3 = MOMENTUM * speed[at + 3] + decay * weights[at + 3];
      for (let n = 0; n < count; n++) {
        const base = bases[n] + d;
        const g = shares[n];
        s0 += g * input[base];
        s1 += g * input[base + 1];
        s2 += g * input[base + 2];
        s3 += g * input[base + 3];
      }
      speed[at] = s0;
      speed[at + 1] = s1;
      speed[at + 2] = s2;
      speed[at + 3] = s3;
      weights[at] -= pace * s0;
      weights[at + 1] -= pace * s1;
      weights[at + 2] -= pace * s2;
      weights[at + 3] -= pace * s3;
    }
    bias[c] -= pace * biasSpeed[c];
  }

  function findPulls(c: number, size: number): number {
    const share = 1 / size;
    let count = 0;
    biasSpeed[c] *= MOMENTUM;
    for (let index = 0; index < size; index++) {
      const g = pulls[index * classes + c] * share;
      if (g < NEGLIGIBLE && g > -NEGLIGIBLE) continue;
      biasSpeed[c] += g;
      bases[count] = index * dims;
      shares[count++] = g;
    }
    return count;
  }
}

/** Rows whose logits are computed together. */
const BATCH = 64;

/** chosen x classes logits. */
export function logitsOfRows(
  { weights, bias }: { readonly weights: ArrayLike<number>; readonly bias: ArrayLike<number> },
  { vectors, dims, classes }: Pick<LabelledVectors, "vectors" | "dims" | "classes">,
  chosen: readonly number[],
): Float64Array {
  const layer = { weights: Float64Array.from(weights), bias: Float64Array.from(bias), dims, classes };
  const input = new Float64Array(BATCH * dims);
  const out = new Float64Array(chosen.length * classes);
  for (let from = 0; from < chosen.length; from += BATCH) {
    const rows = chosen.slice(from, from + BATCH);
    copyRows(input, vectors, rows, dims);
    logitsOf({ ...layer, input, size: rows.length }, out.subarray(from * classes));
  }
  return out;
}

/** Turns logits into their gradients: probability minus target, times the weight of the row. */
function subtractTargets(
  pulls: Float64Array,
  rows: Int32Array,
  { labels, classes, weights }: Pick<DenseSet, "labels" | "classes" | "weights">,
): void {
  for (let index = 0; index < rows.length; index++) {
    const base = index * classes;
    softmaxInPlace(pulls, base, classes);
    pulls[base + labels[rows[index]]] -= 1;
    const weight = weights?.[rows[index]] ?? 1;
    if (weight !== 1) for (let c = 0; c < classes; c++) pulls[base + c] *= weight;
  }
}

function copyRows(target: Float64Array, vectors: Float32Array, rows: ArrayLike<number>, dims: number): void {
  for (let index = 0; index < rows.length; index++) {
    const base = rows[index] * dims;
    for (let d = 0; d < dims; d++) target[index * dims + d] = vectors[base + d];
  }
}

interface Layer {
  readonly weights: Float64Array;
  readonly bias: Float64Array;
  readonly input: Float64Array;
  readonly size: number;
  readonly dims: number;
  readonly classes: number;
}

/**
 * size x classes logits; four inputs and two classes at a time, so that each number is read once for several
 * products.
 */
function logitsOf({ weights, bias, input, size, dims, classes }: Layer, out: Float64Array): void {
  // A short batch repeats its last input, an odd number of classes its last class; the duplicate result is
  // overwritten.
  const last = size - 1;
  for (let index = 0; index < size; index += 4) {
    const p1 = Math.min(index + 1, last);
    const p2 = Math.min(index + 2, last);
    const p3 = Math.min(index + 3, last);
    const i0 = index * dims;
    const i1 = p1 * dims;
    const i2 = p2 * dims;
    const i3 = p3 * dims;
    for (let c = 0; c < classes; c += 2) {
      const next = Math.min(c + 1, classes - 1);
      const a = c * dims;
      const b = next * dims;
      let a0 = bias[c];
      let a1 = a0;
      let a2 = a0;
      let a3 = a0;
      let b0 = bias[next];
      let b1 = b0;
      let b2 = b0;
      let b3 = b0;
      for (let d = 0; d < dims; d++) {
        const wa = weights[a + d];
        const wb = weights[b + d];
        const v0 = input[i0 + d];
        const v1 = input[i1 + d];
        const v2 = input[i2 + d];
        const v3 = input[i3 + d];
        a0 += wa * v0;
        a1 += wa * v1;
        a2 += wa * v2;
        a3 += wa * v3;
        b0 += wb * v0;
        b1 += wb * v1;
        b2 += wb * v2;
        b3 += wb * v3;
      }
      out[index * classes + c] = a0;
      out[p1 * classes + c] = a1;
      out[p2 * classes + c] = a2;
      out[p3 * classes + c] = a3;
      out[index * classes + next] = b0;
      out[p1 * classes + next] = b1;
      out[p2 * classes + next] = b2;
      out[p3 * classes + next] = b3;
    }
  }
}

function softmaxInPlace(values: Float64Array, base: number, count: number): void {
  let most = -Infinity;
  for (let c = 0; c < count; c++) most = Math.max(most, values[base + c]);
  let sum = 0;
  for (let c = 0; c < count; c++) sum += values[base + c] = exp(values[base + c] - most);
  for (let c = 0; c < count; c++) values[base + c] /= sum;
}

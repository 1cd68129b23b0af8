/**
 * Multinomial logistic regression on vectors of the trunk, begun at the class means and trained by minibatches with momentum.
 * Everything is drawn from the seed, so the same vectors in the same order give the same weights.
 */
import { exp } from "../numbers/exp-log.ts";
import { shuffle } from "../numbers/shuffle.ts";
import { xorshift } from "../numbers/xorshift.ts";

export interface DenseSet {
  /** n x dims, each of length 1. */
  readonly vectors: Float32Array;
  readonly labels: Int32Array;
  readonly dims: number;
  readonly classes: number;
}

export interface DenseWeights {
  /** classes x dims. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

export interface FitOptions {
  readonly epochs: number;
  readonly rate: number;
  /** Weight of the squared norm, for each example. */
  readonly decay: number;
  /** Length of the class means at the beginning: an inverse temperature. */
  readonly scale: number;
  readonly batch: number;
  readonly seed: number;
}

const MOMENTUM = 0.9;
/** The rate falls in a line to this share of itself. */
const LAST_RATE = 0.02;
/** Classes that are as good as excluded for an example teach nothing, and are most of them. */
const NEGLIGIBLE = 1e-6;

export function fitDense({ vectors, labels, dims, classes }: DenseSet, options: FitOptions): DenseWeights {
  const n = labels.length;
  const { epochs, rate, decay, scale, batch, seed } = options;
  // Doubles inside: the loops below read each number many times, and a float is widened at every reading.
  const weights = classMeans({ vectors, labels, dims, classes }, scale);
  const bias = new Float64Array(classes);
  const speed = new Float64Array(classes * dims);
  const biasSpeed = new Float64Array(classes);
  const random = xorshift(seed);
  const order = Int32Array.from({ length: n }, (_, place) => place);
  const input = new Float64Array(batch * dims);
  const pulls = new Float64Array(batch * classes);
  const steps = Math.ceil(n / batch) * epochs;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let from = 0; from < n; from += batch) {
      const size = Math.min(n, from + batch) - from;
      for (let place = 0; place < size; place++) {
        const base = order[from + place] * dims;
        for (let d = 0; d < dims; d++) input[place * dims + d] = vectors[base + d];
      }
      logitsOf({ weights, bias, input, size, dims, classes }, pulls);
      for (let place = 0; place < size; place++) {
        const base = place * classes;
        softmaxInPlace(pulls, base, classes);
        pulls[base + labels[order[from + place]]] -= 1;
      }
      const pace = rate * (LAST_RATE + (1 - LAST_RATE) * (1 - step++ / steps));
      for (let c = 0; c < classes; c++) move(c, size, pace);
    }
  }
  return { weights: Float32Array.from(weights), bias: Float32Array.from(bias) };

  /** One step of momentum for one class; `pulls` are the slopes of its logits. */
  function move(c: number, size: number, pace: number): void {
    const origin = c * dims;
    const share = 1 / size;
    for (let d = 0; d < dims; d++) speed[origin + d] = MOMENTUM * speed[origin + d] + decay * weights[origin + d];
    biasSpeed[c] *= MOMENTUM;
    for (let place = 0; place < size; place++) {
      const g = pulls[place * classes + c] * share;
      if (g < NEGLIGIBLE && g > -NEGLIGIBLE) continue;
      biasSpeed[c] += g;
      const base = place * dims;
      for (let d = 0; d < dims; d++) speed[origin + d] += g * input[base + d];
    }
    for (let d = 0; d < dims; d++) weights[origin + d] -= pace * speed[origin + d];
    bias[c] -= pace * biasSpeed[c];
  }
}

interface Layer {
  readonly weights: Float64Array;
  readonly bias: Float64Array;
  /** size x dims. */
  readonly input: Float64Array;
  readonly size: number;
  readonly dims: number;
  readonly classes: number;
}

/** size x classes logits; four inputs at a time, so that each weight is read once for four products. */
function logitsOf({ weights, bias, input, size, dims, classes }: Layer, out: Float64Array): void {
  // A short batch repeats its last input; what that gives is not written.
  for (let place = 0; place < size; place += 4) {
    const i0 = place * dims;
    const i1 = Math.min(place + 1, size - 1) * dims;
    const i2 = Math.min(place + 2, size - 1) * dims;
    const i3 = Math.min(place + 3, size - 1) * dims;
    for (let c = 0; c < classes; c++) {
      const origin = c * dims;
      let s0 = bias[c];
      let s1 = s0;
      let s2 = s0;
      let s3 = s0;
      for (let d = 0; d < dims; d++) {
        const weight = weights[origin + d];
        s0 += weight * input[i0 + d];
        s1 += weight * input[i1 + d];
        s2 += weight * input[i2 + d];
        s3 += weight * input[i3 + d];
      }
      out[place * classes + c] = s0;
      if (place + 1 < size) out[(place + 1) * classes + c] = s1;
      if (place + 2 < size) out[(place + 2) * classes + c] = s2;
      if (place + 3 < size) out[(place + 3) * classes + c] = s3;
    }
  }
}

function classMeans({ vectors, labels, dims, classes }: DenseSet, scale: number): Float64Array {
  const means = new Float64Array(classes * dims);
  for (let row = 0; row < labels.length; row++) {
    const origin = labels[row] * dims;
    for (let d = 0; d < dims; d++) means[origin + d] += vectors[row * dims + d];
  }
  for (let c = 0; c < classes; c++) {
    let sum = 0;
    for (let d = 0; d < dims; d++) sum += means[c * dims + d] ** 2;
    const factor = sum === 0 ? 0 : scale / Math.sqrt(sum);
    for (let d = 0; d < dims; d++) means[c * dims + d] *= factor;
  }
  return means;
}

function softmaxInPlace(values: Float64Array, base: number, count: number): void {
  let most = -Infinity;
  for (let c = 0; c < count; c++) most = Math.max(most, values[base + c]);
  let sum = 0;
  for (let c = 0; c < count; c++) sum += values[base + c] = exp(values[base + c] - most);
  for (let c = 0; c < count; c++) values[base + c] /= sum;
}

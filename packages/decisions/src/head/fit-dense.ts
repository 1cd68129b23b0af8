/**
 * Multinomial logistic regression on vectors of the trunk, begun at the class means and trained by minibatches with momentum.
 * Everything is drawn from the seed, so the same vectors in the same order give the same weights.
 */
import { exp } from "../numbers/exp-log.ts";
import { shuffle } from "../numbers/shuffle.ts";
import { xorshift } from "../numbers/xorshift.ts";
import { dot } from "../trunk/row-sums.ts";

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
  const weights = classMeans({ vectors, labels, dims, classes }, scale);
  const bias = new Float32Array(classes);
  const speed = new Float32Array(classes * dims);
  const biasSpeed = new Float32Array(classes);
  const random = xorshift(seed);
  const order = Int32Array.from({ length: n }, (_, place) => place);
  const probabilities = new Float64Array(classes);
  const grad = new Float32Array(classes * dims);
  const biasGrad = new Float32Array(classes);
  const steps = Math.ceil(n / batch) * epochs;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let from = 0; from < n; from += batch) {
      const until = Math.min(n, from + batch);
      const share = 1 / (until - from);
      grad.fill(0);
      biasGrad.fill(0);
      for (let place = from; place < until; place++) {
        const row = order[place];
        const base = row * dims;
        softmaxOf(probabilities, weights, bias, vectors, base, dims);
        probabilities[labels[row]] -= 1;
        for (let c = 0; c < classes; c++) {
          const g = probabilities[c] * share;
          if (g < NEGLIGIBLE && g > -NEGLIGIBLE) continue;
          biasGrad[c] += g;
          const origin = c * dims;
          for (let d = 0; d < dims; d++) grad[origin + d] += g * vectors[base + d];
        }
      }
      const pace = rate * (LAST_RATE + (1 - LAST_RATE) * (1 - step++ / steps));
      for (let at = 0; at < speed.length; at++) {
        speed[at] = MOMENTUM * speed[at] + grad[at] + decay * weights[at];
        weights[at] -= pace * speed[at];
      }
      for (let c = 0; c < classes; c++) {
        biasSpeed[c] = MOMENTUM * biasSpeed[c] + biasGrad[c];
        bias[c] -= pace * biasSpeed[c];
      }
    }
  }
  return { weights, bias };
}

function classMeans({ vectors, labels, dims, classes }: DenseSet, scale: number): Float32Array {
  const means = new Float32Array(classes * dims);
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

function softmaxOf(
  out: Float64Array,
  weights: Float32Array,
  bias: Float32Array,
  vectors: Float32Array,
  base: number,
  dims: number,
): void {
  let most = -Infinity;
  for (let c = 0; c < out.length; c++) {
    const logit = bias[c] + dot(weights, c * dims, vectors, base, dims);
    out[c] = logit;
    if (logit > most) most = logit;
  }
  let sum = 0;
  for (let c = 0; c < out.length; c++) sum += out[c] = exp(out[c] - most);
  for (let c = 0; c < out.length; c++) out[c] /= sum;
}

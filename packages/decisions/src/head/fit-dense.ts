/**
 * Multinomial logistic regression on trunk vectors, initialized at the class means, trained with minibatches and
 * momentum. All randomness comes from the seed, so equal input in equal order gives equal weights.
 */
import { exp } from "../math/exp-log.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import { classMeans, type LabelledVectors } from "./class-means.ts";
import { createLayer } from "./dense-layer.ts";

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
/** A class whose logit is further below the largest one has a negligible probability, and gets no gradient. */
const NEGLIGIBLE_LOGIT = -14;

export function fitDense(
  { vectors, labels, dims, classes, weights: rowWeights }: DenseSet,
  { epochs, rate, decay, scale, batch, seed }: FitOptions,
): DenseWeights {
  const n = labels.length;
  const layer = createLayer({ dims, classes, vectors: n, batch });
  const { bias, outputs } = layer;
  layer.setWeights(classMeans({ vectors, labels, dims, classes }, scale));
  for (let row = 0; row < n; row++) layer.setVector(row, vectors, row);
  const random = xorshift(seed);
  const order = Int32Array.from({ length: n }, (_, index) => index);
  const batches = Math.ceil(n / batch);
  const steps = batches * epochs;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let index = 0; index < batches; index++) {
      // Batches have equal sizes, because a last batch of one row would move the weights as far as 64 rows do.
      const rows = order.subarray(Math.floor((index * n) / batches), Math.floor(((index + 1) * n) / batches));
      layer.predict(rows);
      subtractTargets(rows);
      const decayed = rate * (LAST_RATE + (1 - LAST_RATE) * (1 - step++ / steps));
      layer.move(rows, { momentum: MOMENTUM, decay, rate: decayed });
    }
  }
  const fitted = { weights: layer.weights(), bias: bias.slice(0, classes) };
  layer.release();
  return fitted;

  /** Turns logits into their gradients: probability minus target, times the weight of the row, over the batch. */
  function subtractTargets(rows: Int32Array): void {
    for (let index = 0; index < rows.length; index++) {
      const base = index * classes;
      softmaxInPlace(outputs, base, classes);
      outputs[base + labels[rows[index]]] -= 1;
      const weight = (rowWeights?.[rows[index]] ?? 1) / rows.length;
      for (let c = 0; c < classes; c++) outputs[base + c] *= weight;
    }
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
  const layer = createLayer({ dims, classes, vectors: BATCH, batch: BATCH });
  layer.setWeights(weights);
  layer.bias.set(bias);
  const rows = Int32Array.from({ length: BATCH }, (_, index) => index);
  const out = new Float64Array(chosen.length * classes);
  for (let from = 0; from < chosen.length; from += BATCH) {
    const size = Math.min(chosen.length - from, BATCH);
    for (let index = 0; index < size; index++) layer.setVector(index, vectors, chosen[from + index]);
    layer.predict(rows.subarray(0, size));
    out.set(layer.outputs.subarray(0, size * classes), from * classes);
  }
  layer.release();
  return out;
}

function softmaxInPlace(values: Float64Array, base: number, count: number): void {
  let most = -Infinity;
  for (let c = 0; c < count; c++) most = Math.max(most, values[base + c]);
  let sum = 0;
  for (let c = 0; c < count; c++) {
    const below = values[base + c] - most;
    sum += values[base + c] = below < NEGLIGIBLE_LOGIT ? 0 : exp(below);
  }
  for (let c = 0; c < count; c++) values[base + c] /= sum;
}

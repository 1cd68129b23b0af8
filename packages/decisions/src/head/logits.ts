/**
 * The logits of a head: the dense part applied to the trunk vector, plus the sparse part applied to the lexical
 * features.
 */
import type { LexicalFeatures } from "./lexical.ts";
import type { SparseWeights } from "./sparse-codec.ts";
import { exp, log } from "../math/exp-log.ts";

/** Integer rows with one scale each: 256 + 8 bytes per route. */
export interface QuantisedDense {
  readonly cells: Int8Array;
  readonly scales: Float32Array;
  readonly bias: Float32Array;
}

export function quantiseDense(
  { weights, bias }: { readonly weights: ArrayLike<number>; readonly bias: Float32Array },
  dims: number,
): QuantisedDense {
  const classes = bias.length;
  const cells = new Int8Array(classes * dims);
  const scales = new Float32Array(classes);
  for (let c = 0; c < classes; c++) {
    let most = 0;
    for (let d = 0; d < dims; d++) most = Math.max(most, Math.abs(weights[c * dims + d]));
    scales[c] = most / 127;
    if (most > 0) for (let d = 0; d < dims; d++) cells[c * dims + d] = Math.round(weights[c * dims + d] / scales[c]);
  }
  return { cells, scales, bias: Float32Array.from(bias) };
}

export function denseRows({ cells, scales }: Pick<QuantisedDense, "cells" | "scales">, dims: number): Float64Array {
  const rows = new Float64Array(cells.length);
  for (let c = 0; c < scales.length; c++)
    for (let at = c * dims; at < (c + 1) * dims; at++) rows[at] = cells[at] * scales[c];
  return rows;
}

/**
 * Two classes at a time, so that each number of the vector is read once for two products; each class has four partial
 * sums.
 */
export function denseLogits(rows: Float64Array, bias: ArrayLike<number>, vector: ArrayLike<number>): Float64Array {
  const dims = vector.length;
  const classes = bias.length;
  const out = new Float64Array(classes);
  for (let c = 0; c < classes; c += 2) {
    // If the number of classes is odd, the last one is paired with itself.
    const next = Math.min(c + 1, classes - 1);
    const a = c * dims;
    const b = next * dims;
    let a0 = bias[c];
    let a1 = 0;
    let a2 = 0;
    let a3 = 0;
    let b0 = bias[next];
    let b1 = 0;
    let b2 = 0;
    let b3 = 0;
    for (let d = 0; d < dims; d += 4) {
      const v0 = vector[d];
      const v1 = vector[d + 1];
      const v2 = vector[d + 2];
      const v3 = vector[d + 3];
      a0 += rows[a + d] * v0;
      a1 += rows[a + d + 1] * v1;
      a2 += rows[a + d + 2] * v2;
      a3 += rows[a + d + 3] * v3;
      b0 += rows[b + d] * v0;
      b1 += rows[b + d + 1] * v1;
      b2 += rows[b + d + 2] * v2;
      b3 += rows[b + d + 3] * v3;
    }
    out[c] = a0 + a1 + (a2 + a3);
    out[next] = b0 + b1 + (b2 + b3);
  }
  return out;
}

export function addPlus(logits: Float64Array, plus: SparseWeights, { ids, value }: LexicalFeatures): void {
  const { starts, routes, weights } = plus;
  const factor = plus.scale * value;
  for (let n = 0; n < ids.length; n++) {
    const index = plus.indexOf(ids[n]);
    if (index === undefined) continue;
    for (let entry = starts[index]; entry < starts[index + 1]; entry++)
      logits[routes[entry]] += factor * weights[entry];
  }
}

/**
 * Scope features of head files of format 1: the energy of the logits (Liu et al. 2020), the maximum, and its margin.
 */
export const LOGIT_SCOPE_WIDTH = 3;

export function logitScopeFeatures(logits: ArrayLike<number>, temperature: number): readonly number[] {
  let most = -Infinity;
  let sum = 0;
  let squares = 0;
  for (let c = 0; c < logits.length; c++) {
    most = Math.max(most, logits[c]);
    sum += logits[c];
    squares += logits[c] * logits[c];
  }
  let partition = 0;
  for (let c = 0; c < logits.length; c++) partition += exp((logits[c] - most) / temperature);
  const mean = sum / logits.length;
  const spread = Math.sqrt(Math.max(1e-12, squares / logits.length - mean * mean));
  return [log(partition) + most / temperature, most / temperature, (most - mean) / spread];
}

export function softmax(logits: ArrayLike<number>, temperature = 1): Float64Array {
  const out = new Float64Array(logits.length);
  let most = -Infinity;
  for (let c = 0; c < out.length; c++) most = Math.max(most, logits[c]);
  let sum = 0;
  for (let c = 0; c < out.length; c++) sum += out[c] = exp((logits[c] - most) / temperature);
  for (let c = 0; c < out.length; c++) out[c] /= sum;
  return out;
}

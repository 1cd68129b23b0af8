/** Logits of a head: dense part on the vector of the trunk, and the sparse part on the letters of the text. */
import type { DenseWeights } from "./fit-dense.ts";
import type { LexicalFeatures } from "./lexical.ts";
import type { Plus } from "./plus-bytes.ts";

/** Integer rows with one scale each: 256 + 8 bytes a route. */
export interface QuantisedDense {
  readonly cells: Int8Array;
  readonly scales: Float32Array;
  readonly bias: Float32Array;
}

export function quantiseDense({ weights, bias }: DenseWeights, dims: number): QuantisedDense {
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

/** classes x dims doubles, as they are multiplied. */
export function denseRows({ cells, scales }: QuantisedDense, dims: number): Float64Array {
  return Float64Array.from(cells, (cell, at) => cell * scales[Math.floor(at / dims)]);
}

export function denseLogits(rows: Float64Array, bias: ArrayLike<number>, vector: ArrayLike<number>): Float64Array {
  const dims = vector.length;
  const out = new Float64Array(bias.length);
  for (let c = 0; c < out.length; c++) {
    const base = c * dims;
    let s0 = bias[c];
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let d = 0; d < dims; d += 4) {
      s0 += rows[base + d] * vector[d];
      s1 += rows[base + d + 1] * vector[d + 1];
      s2 += rows[base + d + 2] * vector[d + 2];
      s3 += rows[base + d + 3] * vector[d + 3];
    }
    out[c] = s0 + s1 + (s2 + s3);
  }
  return out;
}

export function addPlus(logits: Float64Array, plus: Plus, { ids, value }: LexicalFeatures): void {
  const factor = plus.scale * value;
  for (const id of ids) {
    const feature = plus.features.get(id);
    if (feature === undefined) continue;
    const { routes, weights } = feature;
    for (let place = 0; place < routes.length; place++) logits[routes[place]] += factor * weights[place];
  }
}

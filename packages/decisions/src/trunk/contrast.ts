/**
 * The symmetric InfoNCE loss of a batch of pairs (van den Oord et al. 2018; CLIP, Radford et al. 2021). Pairs of the
 * same class do not count as negatives.
 */
import { exp, log } from "../math/exp-log.ts";

export interface Contrast {
  /** 2 x size unit vectors, first the left ones, then the right ones. The caller fills them. */
  readonly vectors: Float32Array;
  readonly slopes: Float32Array;
  /** Returns the mean loss per pair. `size` must be a multiple of four. */
  loss(classes: Int32Array): number;
}

const NO_RIVAL = -1e9;

export function createContrast({ size, dims, temperature }: ContrastOptions): Contrast {
  const buffers: Buffers = {
    size,
    dims,
    scale: 1 / temperature,
    vectors: new Float32Array(2 * size * dims),
    slopes: new Float32Array(2 * size * dims),
    similar: new Float64Array(size * size),
    pull: new Float32Array(size * size),
    columnMost: new Float64Array(size),
    columnSum: new Float64Array(size),
  };
  return {
    vectors: buffers.vectors,
    slopes: buffers.slopes,
    loss(classes) {
      compare(buffers, classes);
      const loss = pullOf(buffers);
      spread(buffers, { base: 0, from: size * dims, row: size, column: 1 });
      spread(buffers, { base: size * dims, from: 0, row: 1, column: size });
      return loss / size;
    },
  };
}

interface ContrastOptions {
  readonly size: number;
  readonly dims: number;
  readonly temperature: number;
}

interface Buffers {
  readonly size: number;
  readonly dims: number;
  readonly scale: number;
  readonly vectors: Float32Array;
  readonly slopes: Float32Array;
  readonly similar: Float64Array;
  readonly pull: Float32Array;
  readonly columnMost: Float64Array;
  readonly columnSum: Float64Array;
}

function compare({ size, dims, scale, vectors, similar }: Buffers, classes: Int32Array): void {
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j += 4) {
      const left = i * dims;
      const b0 = (size + j) * dims;
      const b1 = b0 + dims;
      const b2 = b1 + dims;
      const b3 = b2 + dims;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let d = 0; d < dims; d++) {
        const value = vectors[left + d];
        s0 += value * vectors[b0 + d];
        s1 += value * vectors[b1 + d];
        s2 += value * vectors[b2 + d];
        s3 += value * vectors[b3 + d];
      }
      const index = i * size + j;
      similar[index] = scale * s0;
      similar[index + 1] = scale * s1;
      similar[index + 2] = scale * s2;
      similar[index + 3] = scale * s3;
    }
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) if (i !== j && classes[i] === classes[j]) similar[i * size + j] = NO_RIVAL;
}

function pullOf({ size, scale, similar, pull, columnMost, columnSum }: Buffers): number {
  let loss = 0;
  columnMost.fill(NO_RIVAL);
  columnSum.fill(0);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) columnMost[j] = Math.max(columnMost[j], similar[i * size + j]);
  for (let i = 0; i < size; i++) {
    const base = i * size;
    let most = NO_RIVAL;
    for (let j = 0; j < size; j++) most = Math.max(most, similar[base + j]);
    let sum = 0;
    for (let j = 0; j < size; j++) {
      sum += pull[base + j] = exp(similar[base + j] - most);
      columnSum[j] += exp(similar[base + j] - columnMost[j]);
    }
    for (let j = 0; j < size; j++) pull[base + j] /= sum;
    loss += log(sum) + most - similar[base + i];
  }
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      const index = i * size + j;
      const column = exp(similar[index] - columnMost[j]) / columnSum[j];
      pull[index] = (pull[index] + column - (i === j ? 2 : 0)) * (scale / (2 * size));
    }
  return loss;
}

interface Side {
  readonly base: number;
  readonly from: number;
  readonly row: number;
  readonly column: number;
}

/** Computes the gradients of one side: the pulls times the vectors of the other side, four rows at a time. */
function spread({ size, dims, vectors, slopes, pull }: Buffers, { base, from, row, column }: Side): void {
  for (let i = 0; i < size; i++) {
    const target = base + i * dims;
    slopes.fill(0, target, target + dims);
    for (let j = 0; j < size; j += 4) {
      const w0 = pull[i * row + j * column];
      const w1 = pull[i * row + (j + 1) * column];
      const w2 = pull[i * row + (j + 2) * column];
      const w3 = pull[i * row + (j + 3) * column];
      const b0 = from + j * dims;
      const b1 = b0 + dims;
      const b2 = b1 + dims;
      const b3 = b2 + dims;
      for (let d = 0; d < dims; d++)
        slopes[target + d] +=
          w0 * vectors[b0 + d] + w1 * vectors[b1 + d] + (w2 * vectors[b2 + d] + w3 * vectors[b3 + d]);
    }
  }
}

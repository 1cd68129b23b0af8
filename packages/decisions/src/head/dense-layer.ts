/** A linear layer over vectors that are stored in the memory of the training loops. */
import { DIMS_STEP } from "../math/dense-kernel.ts";
import { openTrainingMemory } from "../math/training-loops.ts";

export interface LayerSize {
  readonly dims: number;
  readonly classes: number;
  /** Number of stored vectors. */
  readonly vectors: number;
  /** Maximum number of vectors per prediction. */
  readonly batch: number;
}

export interface DenseLayer {
  readonly bias: Float32Array;
  /** batch x classes: logits after `predict`, replaced by their gradients before `move`. */
  readonly outputs: Float64Array;
  /** classes x dims. */
  setWeights(weights: ArrayLike<number>): void;
  weights(): Float32Array;
  /** Stores row `from` of `vectors` as vector `index`. */
  setVector(index: number, vectors: Float32Array, from: number): void;
  /** Writes the logits of stored vectors to `outputs`. */
  predict(indices: Int32Array): void;
  /** Makes one momentum step with `outputs`, which then contains the gradients of the last predicted logits. */
  move(indices: Int32Array, rates: MomentumRates): void;
  /** Frees the memory; the layer is unusable afterwards. */
  release(): void;
}

export interface MomentumRates {
  readonly momentum: number;
  readonly decay: number;
  readonly rate: number;
}

const FLOAT_BYTES = 4;
/** Covers the alignment of the arrays. */
const SPARE_BYTES = 256;
const TILE = 4;
/** Classes with a negligible probability for an example get no gradient. Most classes are such. */
const NEGLIGIBLE = 1e-6;

export function createLayer({ dims, classes, vectors: count, batch }: LayerSize): DenseLayer {
  const width = Math.ceil(dims / DIMS_STEP) * DIMS_STEP;
  const even = classes + (classes % 2);
  const rowBytes = width * FLOAT_BYTES;
  const tiles = Math.ceil(batch / TILE);
  const results = TILE * tiles * even;
  const numbers = (count + 2 * even) * width + results + 2 * even + TILE * tiles + 2 * batch * classes;
  const { loops, take, release } = openTrainingMemory(numbers * FLOAT_BYTES + SPARE_BYTES, width);
  const stored = take(Float32Array, count * width);
  const rows = take(Float32Array, even * width);
  const velocity = take(Float32Array, even * width);
  const bias = take(Float32Array, even);
  const biasVelocity = new Float64Array(classes);
  const logits = take(Float32Array, results);
  const list = take(Int32Array, TILE * tiles);
  const ends = take(Int32Array, even);
  const gradients = take(Float32Array, 2 * batch * classes);
  const addresses = new Int32Array(gradients.buffer, gradients.byteOffset, gradients.length);
  const outputs = new Float64Array(batch * classes);
  const addressOf = (index: number) => stored.byteOffset + index * rowBytes;
  const end = rows.byteOffset + rows.byteLength;

  return {
    bias,
    outputs,
    release,
    setWeights(weights) {
      for (let c = 0; c < classes; c++) for (let d = 0; d < dims; d++) rows[c * width + d] = weights[c * dims + d];
    },
    weights() {
      const out = new Float32Array(classes * dims);
      for (let c = 0; c < classes; c++) out.set(rows.subarray(c * width, c * width + dims), c * dims);
      return out;
    },
    setVector(index, vectors, from) {
      stored.set(vectors.subarray(from * dims, (from + 1) * dims), index * width);
    },
    predict(indices) {
      // The last vector is repeated to fill four.
      const size = Math.ceil(indices.length / TILE) * TILE;
      for (let n = 0; n < size; n++) list[n] = addressOf(indices[Math.min(n, indices.length - 1)]);
      const listEnd = list.byteOffset + size * FLOAT_BYTES;
      loops.products(list.byteOffset, listEnd, rows.byteOffset, end, bias.byteOffset, logits.byteOffset);
      for (let n = 0; n < indices.length; n++) {
        const tile = Math.floor(n / TILE) * TILE * even + (n % TILE);
        for (let c = 0, at = n * classes; c < classes; c++) outputs[at + c] = logits[tile + TILE * c];
      }
    },
    move(indices, { momentum, decay, rate }) {
      let count = 0;
      for (let c = 0; c < classes; c++) {
        let sum = momentum * biasVelocity[c];
        for (let n = 0; n < indices.length; n++) {
          const g = outputs[n * classes + c];
          if (g < NEGLIGIBLE && g > -NEGLIGIBLE) continue;
          sum += g;
          addresses[2 * count] = list[n];
          gradients[2 * count++ + 1] = g;
        }
        ends[c] = gradients.byteOffset + 2 * count * FLOAT_BYTES;
        biasVelocity[c] = sum;
        bias[c] -= rate * sum;
      }
      const endsEnd = ends.byteOffset + classes * FLOAT_BYTES;
      const [first, from, moved] = [gradients.byteOffset, rows.byteOffset, velocity.byteOffset];
      loops.momentumSteps(ends.byteOffset, endsEnd, first, from, moved, momentum, decay, rate);
    },
  };
}

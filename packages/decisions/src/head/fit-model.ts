/**
 * Fits both parts of a head with cross-fitted logits for each row. The sparse part is trained on those, because on
 * its training rows the dense part leaves no residual.
 */
import { fitDense, type DenseWeights } from "./fit-dense.ts";
import { fitPlus, type PlusWeights } from "./fit-sparse.ts";
import type { LexicalFeatures } from "./lexical.ts";
import { addPlus, denseLogits } from "./logits.ts";
import { packSparse, type SparseWeights } from "./sparse-codec.ts";

export interface EncodedRows {
  readonly vectors: Float32Array;
  readonly features: readonly LexicalFeatures[];
  /** Index of the route, or -1 for out of scope: such rows are only evaluated, never trained on. */
  readonly labels: Int32Array;
  readonly dims: number;
  readonly classes: number;
}

export interface FitSettings {
  readonly seed: number;
  /** Decay of the dense part, instead of the best one for texts like the training texts. */
  readonly decay?: number | undefined;
}

export interface FittedModel {
  readonly dense: DenseWeights;
  readonly plus: SparseWeights;
  /** n x classes logits from models that had not seen the row: the dense part, and the addition of the sparse part. */
  readonly unseenDense: Float64Array;
  readonly unseenPlus: Float64Array;
}

/**
 * Share of the dense logits in the training of the sparse part: with half, the sum is best. With few examples, unseen
 * logits are much worse than final ones, so the sparse part is trained alone.
 */
const DENSE_SHARE = { few: 0, many: 0.5 };

export function fitModel(
  rows: EncodedRows,
  folds: { readonly of: Int32Array; readonly count: number },
  settings: FitSettings,
): FittedModel {
  const { labels, classes } = rows;
  const all = [...labels.keys()];
  const learned = all.filter((row) => labels[row] >= 0);
  const unseenDense = new Float64Array(labels.length * classes);
  for (let fold = 0; fold < folds.count; fold++) {
    const dense = denseOn(
      rows,
      learned.filter((row) => folds.of[row] !== fold),
      settings,
    );
    const weights = Float64Array.from(dense.weights);
    for (const row of all)
      if (folds.of[row] === fold) unseenDense.set(denseLogits(weights, dense.bias, vectorOf(rows, row)), row * classes);
  }
  const unseenPlus = new Float64Array(unseenDense.length);
  for (let fold = 0; fold < folds.count; fold++) {
    const plus = plusOn(
      rows,
      learned.filter((row) => folds.of[row] !== fold),
      unseenDense,
      settings.seed,
    );
    for (const row of all)
      if (folds.of[row] === fold)
        addPlus(unseenPlus.subarray(row * classes, (row + 1) * classes), plus, rows.features[row]);
  }
  return {
    dense: denseOn(rows, learned, settings),
    plus: plusOn(rows, learned, unseenDense, settings.seed),
    unseenDense,
    unseenPlus,
  };
}

function denseOn(rows: EncodedRows, chosen: readonly number[], { seed, decay }: FitSettings): DenseWeights {
  const { dims, classes } = rows;
  const vectors = new Float32Array(chosen.length * dims);
  for (const [index, row] of chosen.entries()) vectors.set(vectorOf(rows, row), index * dims);
  const labels = Int32Array.from(chosen, (row) => rows.labels[row]);
  // From validation: many epochs and more decay with few examples per route, few epochs with many.
  const few = chosen.length < 20 * classes;
  const settings = few ? { epochs: 40, rate: 10, decay: 3e-5 } : { epochs: 10, rate: 15, decay: 1e-5 };
  return fitDense(
    { vectors, labels, dims, classes },
    { ...settings, decay: decay ?? settings.decay, scale: 20, batch: 64, seed },
  );
}

function plusOn(rows: EncodedRows, chosen: readonly number[], logits: Float64Array, seed: number): SparseWeights {
  const { classes } = rows;
  const few = chosen.length < 20 * classes;
  const share = few ? DENSE_SHARE.few : DENSE_SHARE.many;
  const offset = new Float64Array(chosen.length * classes);
  for (const [index, row] of chosen.entries())
    for (let c = 0; c < classes; c++) offset[index * classes + c] = share * logits[row * classes + c];
  const weights: PlusWeights = fitPlus(
    {
      features: chosen.map((row) => rows.features[row]),
      labels: Int32Array.from(chosen, (row) => rows.labels[row]),
      classes,
      offset,
    },
    { epochs: few ? 20 : 6, rate: 3, l1: 0.2, l2: 0, least: few ? 1 : 2, seed },
  );
  return packSparse(weights, classes);
}

function vectorOf({ vectors, dims }: EncodedRows, row: number): Float32Array {
  return vectors.subarray(row * dims, (row + 1) * dims);
}

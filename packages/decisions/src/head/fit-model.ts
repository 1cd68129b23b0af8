/** Fits both parts of a head, with cross-fitted logits and scope features for each row. */
import { fitDense, type DenseWeights } from "./fit-dense.ts";
import { fitLexicalRows, readLexicalRows, type LexicalRows } from "./fit-lexical.ts";
import { classMeans } from "./class-means.ts";
import type { LexicalFeatures } from "./lexical.ts";
import { addPlus, denseLogits } from "./logits.ts";
import { isWord, nearestMean, REFERENCE_WIDTH, unknownShare } from "./scope-reference.ts";
import { keepHeaviest, packSparse, type SparseWeights } from "./sparse-codec.ts";

export interface EncodedRows {
  readonly vectors: Float32Array;
  readonly tokens: readonly (readonly string[])[];
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

export interface Lexical {
  readonly weights: SparseWeights;
  readonly bias: Float64Array;
}

/** Predictions of a model that had not seen the row. */
export interface UnseenRows {
  /** n x classes logits of the dense part and of the lexical part. */
  readonly unseenDense: Float64Array;
  readonly unseenPlus: Float64Array;
  /** n x REFERENCE_WIDTH scope features, and the same with the row's own route taken away. */
  readonly scope: Float64Array;
  readonly maskedScope: Float64Array;
}

export interface Model {
  readonly dense: DenseWeights;
  readonly plus: Lexical;
  /** classes x dims: the mean vectors of the routes. */
  readonly means: Float64Array;
  /** The routes whose texts contain a word. */
  readonly words: ReadonlyMap<string, ReadonlySet<number>>;
}

export interface Folds {
  readonly of: Int32Array;
  readonly count: number;
}

/** What the models of all folds share. */
export interface TrainingSet {
  readonly rows: EncodedRows;
  /** The rows with a route. */
  readonly learned: readonly number[];
  /** Position of a row in `learned`. */
  readonly positionOf: Int32Array;
  /** Of the learned rows. Frequencies of features do not depend on the routes, so that folds can share them. */
  readonly lexical: LexicalRows;
  readonly isFew: boolean;
}

/** Fewer texts per route, on average, are few. */
const FEW_TEXTS = 20;

export function trainingSet(rows: EncodedRows): TrainingSet {
  const learned = [...rows.labels.keys()].filter((row) => rows.labels[row] >= 0);
  const positionOf = new Int32Array(rows.labels.length).fill(-1);
  for (const [position, row] of learned.entries()) positionOf[row] = position;
  const isFew = learned.length < FEW_TEXTS * rows.classes;
  const lexical = readLexicalRows(
    learned.map((row) => rows.features[row]),
    isFew ? 1 : 2,
  );
  return { rows, learned, positionOf, lexical, isFew };
}

interface CrossFitSettings extends FitSettings {
  /** The model of all rows: those of the folds get as many lexical weights. */
  readonly whole: Model;
}

/** Predicts each row by a model that has not seen it. */
export function crossFit(set: TrainingSet, folds: Folds, { whole, ...settings }: CrossFitSettings): UnseenRows {
  const { rows, learned } = set;
  const all = [...rows.labels.keys()];
  const unseen = emptyRows(rows);
  const weights = whole.plus.weights.routes.length;
  for (let fold = 0; fold < folds.count; fold++) {
    const others = learned.filter((row) => folds.of[row] !== fold);
    const model = fitModel(set, others, { ...settings, weights });
    predictRows(model, rows, { chosen: all.filter((row) => folds.of[row] === fold), into: unseen });
  }
  return unseen;
}

export interface ModelSettings extends FitSettings {
  /** Number of lexical weights to keep. Default: as many as a file can hold. */
  readonly weights?: number;
}

/** `chosen`: learned rows. */
export function fitModel(set: TrainingSet, chosen: readonly number[], settings: ModelSettings): Model {
  const { rows, positionOf, isFew } = set;
  const { classes, dims } = rows;
  const labels = Int32Array.from(chosen, (row) => rows.labels[row]);
  const vectors = new Float32Array(chosen.length * dims);
  for (const [index, row] of chosen.entries()) vectors.set(vectorOf(rows, row), index * dims);
  // From validation: many epochs and more decay with few examples per route, few epochs with many.
  const pace = isFew ? { epochs: 8, rate: 10, decay: 3e-5 } : { epochs: 10, rate: 15, decay: 1e-5 };
  const weights = balancedWeights(labels, classes);
  const { seed, decay = pace.decay } = settings;
  const dense = fitDense({ vectors, labels, dims, classes, weights }, { ...pace, decay, scale: 20, batch: 64, seed });
  const positions = Int32Array.from(chosen, (row) => positionOf[row]);
  const lexical = fitLexicalRows(set.lexical, { chosen: positions, labels, classes, weights, seed });
  const sparse =
    settings.weights === undefined ? packSparse(lexical, classes) : keepHeaviest(lexical, classes, settings.weights);
  const means = classMeans({ vectors, labels, dims, classes });
  return { dense, plus: { weights: sparse, bias: lexical.bias }, means, words: wordsOf(rows, chosen) };
}

function wordsOf({ tokens, labels }: EncodedRows, chosen: readonly number[]): Model["words"] {
  const words = new Map<string, Set<number>>();
  for (const row of chosen)
    for (const token of tokens[row]) {
      if (!isWord(token)) continue;
      const routes = words.get(token) ?? new Set();
      words.set(token, routes.add(labels[row]));
    }
  return words;
}

const BALANCE = 0.5;
const WEIGHT_MAX = 4;

/**
 * Weights of the rows: those of a route with few texts weigh more, because how many texts an owner wrote says little
 * about how many requests there will be. The root is between ignoring that and taking all routes as equally frequent.
 */
function balancedWeights(labels: Int32Array, classes: number): Float64Array {
  const counts = new Float64Array(classes);
  for (const label of labels) counts[label]++;
  const usual = labels.length / classes;
  return Float64Array.from(labels, (label) => Math.min(WEIGHT_MAX, (usual / counts[label]) ** BALANCE));
}

/** Predictions for rows that the model was not trained on. */
export function predictAll(model: Model, rows: EncodedRows): UnseenRows {
  const into = emptyRows(rows);
  predictRows(model, rows, { chosen: [...rows.labels.keys()], into });
  return into;
}

function emptyRows({ labels, classes }: EncodedRows): UnseenRows {
  const n = labels.length;
  return {
    unseenDense: new Float64Array(n * classes),
    unseenPlus: new Float64Array(n * classes),
    scope: new Float64Array(n * REFERENCE_WIDTH),
    maskedScope: new Float64Array(n * REFERENCE_WIDTH),
  };
}

function predictRows(
  { dense, plus, means, words }: Model,
  rows: EncodedRows,
  { chosen, into }: { readonly chosen: readonly number[]; readonly into: UnseenRows },
): void {
  const { classes } = rows;
  const weights = Float64Array.from(dense.weights);
  for (const row of chosen) {
    const vector = vectorOf(rows, row);
    into.unseenDense.set(denseLogits(weights, dense.bias, vector), row * classes);
    const lexical = into.unseenPlus.subarray(row * classes, (row + 1) * classes);
    lexical.set(plus.bias);
    addPlus(lexical, plus.weights, rows.features[row]);
    into.scope.set(featuresOf(vector, rows.tokens[row], -1), row * REFERENCE_WIDTH);
    if (rows.labels[row] >= 0)
      into.maskedScope.set(featuresOf(vector, rows.tokens[row], rows.labels[row]), row * REFERENCE_WIDTH);
  }

  function featuresOf(vector: Float32Array, tokens: readonly string[], without: number): readonly number[] {
    const isKnown = (word: string) => {
      const routes = words.get(word);
      return routes !== undefined && (routes.size > 1 || !routes.has(without));
    };
    return [nearestMean(means, vector, without), -unknownShare(tokens, isKnown)];
  }
}

function vectorOf({ vectors, dims }: EncodedRows, row: number): Float32Array {
  return vectors.subarray(row * dims, (row + 1) * dims);
}

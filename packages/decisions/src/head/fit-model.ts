/** Fits both parts of a head, with cross-fitted logits and scope features for each row. */
import type { EncodedRows } from "./encoded-rows.ts";
import { fitDense, logitsOfRows, type DenseWeights } from "./fit-dense.ts";
import {
  fitLexicalRows,
  readLexicalRows,
  type FittedLexical,
  type LexicalRows,
  type LexicalWeights,
} from "./fit-lexical.ts";
import { fitResidual } from "./fit-residual.ts";
import { classMeans, type LabelledVectors } from "./class-means.ts";
import { LEXICON, type Lexicon } from "./lexical.ts";
import { STEM_LEXICON } from "./lexical-stems.ts";
import { addPlus } from "./logits.ts";
import { isWord, REFERENCE_WIDTH, unknownShare } from "./scope-reference.ts";
import { keepHeaviest, packSparse, type SparseWeights } from "./sparse-codec.ts";

export interface FitSettings {
  readonly seed: number;
  /** Decay of the dense part, instead of the best one for texts like the training texts. */
  readonly decay?: number | undefined;
}

export interface Lexical {
  readonly weights: SparseWeights;
  readonly bias: Float64Array;
  /** Of a support vector machine. */
  readonly duals: Float32Array | undefined;
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

/** The dense part of each fold, which has not seen its rows. */
export interface DenseFolds extends Folds {
  readonly parts: readonly DenseWeights[];
  /** learned x classes: what they predict for their rows. */
  readonly logits: Float64Array;
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
  /** Whether the lexical part is fitted to what the dense part leaves unexplained, instead of alone. */
  readonly isResidual: boolean;
}

/** Fewer texts per route, on average, are few. */
const FEW_TEXTS = 20;
/** Texts that most routes need for a residual. The average says little: a single route may have hundreds. */
const TEXTS_FOR_RESIDUAL = 20;
/** Share of the unseen dense logits that the residual starts from. With all of them, it learns too little. */
const DENSE_SHARE = 0.3;

/**
 * Few texts need features that share as much as possible. With many, stems of words are better, because a file can
 * hold a larger share of their weights.
 */
export function lexiconFor(labels: Iterable<number>, classes: number): Lexicon {
  return hasResidual(labels, classes) ? STEM_LEXICON : LEXICON;
}

function hasResidual(labels: Iterable<number>, classes: number): boolean {
  const counts = new Uint32Array(classes);
  for (const label of labels) if (label >= 0) counts[label]++;
  return counts.sort()[Math.floor(classes / 2)] >= TEXTS_FOR_RESIDUAL;
}

export function trainingSet(rows: EncodedRows): TrainingSet {
  const learned = [...rows.labels.keys()].filter((row) => rows.labels[row] >= 0);
  const positionOf = new Int32Array(rows.labels.length).fill(-1);
  for (const [position, row] of learned.entries()) positionOf[row] = position;
  const isFew = learned.length < FEW_TEXTS * rows.classes;
  const lexical = readLexicalRows(
    learned.map((row) => rows.features[row]),
    isFew ? 1 : 2,
  );
  return { rows, learned, positionOf, lexical, isFew, isResidual: hasResidual(rows.labels, rows.classes) };
}

export function fitDenseFolds(set: TrainingSet, folds: Folds, settings: FitSettings): DenseFolds {
  const { rows, learned, positionOf } = set;
  const logits = new Float64Array(learned.length * rows.classes);
  const parts = Array.from({ length: folds.count }, (_, fold) => {
    const others = learned.filter((row) => folds.of[row] !== fold);
    const mine = learned.filter((row) => folds.of[row] === fold);
    const part = fitDensePart(set, others, settings);
    const predicted = logitsOfRows(part, rows, mine);
    for (const [index, row] of mine.entries())
      logits.set(rowOf(predicted, index, rows.classes), positionOf[row] * rows.classes);
    return part;
  });
  return { ...folds, parts, logits };
}

/** The model of all learned rows. */
export function fitModel(set: TrainingSet, folds: DenseFolds, settings: FitSettings): Model {
  const { seed } = settings;
  return finishModel(set, set.learned, { dense: fitDensePart(set, set.learned, settings), folds, seed });
}

interface CrossFitSettings extends FitSettings {
  /** The model of all rows: those of the folds get as many lexical weights. */
  readonly whole: Model;
}

/** Predicts each row by a model that has not seen it. */
export function crossFit(set: TrainingSet, folds: DenseFolds, { whole, seed }: CrossFitSettings): UnseenRows {
  const { rows, learned } = set;
  const all = [...rows.labels.keys()];
  const unseen = emptyRows(rows);
  for (const [fold, dense] of folds.parts.entries()) {
    const others = learned.filter((row) => folds.of[row] !== fold);
    const model = finishModel(set, others, { dense, folds, seed, whole: whole.plus });
    predictRows(model, rows, { chosen: all.filter((row) => folds.of[row] === fold), into: unseen });
  }
  return unseen;
}

/** `chosen`: learned rows. */
function fitDensePart({ rows, isFew }: TrainingSet, chosen: readonly number[], settings: FitSettings): DenseWeights {
  // From validation: many epochs and more decay with few examples per route, few epochs with many.
  const pace = isFew ? { epochs: 8, rate: 10, decay: 3e-5 } : { epochs: 10, rate: 15, decay: 1e-5 };
  const { seed, decay = pace.decay } = settings;
  const labelled = labelledVectors(rows, chosen);
  const weights = balancedWeights(labelled.labels, rows.classes);
  return fitDense({ ...labelled, weights }, { ...pace, decay, scale: 20, batch: 64, seed });
}

interface DenseAnd {
  readonly dense: DenseWeights;
  readonly folds: DenseFolds;
  readonly seed: number;
  /** Of all rows: a fold starts from it, and keeps as many weights. Default: as many as a file can hold. */
  readonly whole?: Lexical;
}

function finishModel(set: TrainingSet, chosen: readonly number[], { dense, folds, seed, whole }: DenseAnd): Model {
  const { rows } = set;
  const { classes } = rows;
  const labelled = labelledVectors(rows, chosen);
  const lexical = fitLexicalPart(set, chosen, { labels: labelled.labels, folds, seed, start: whole?.duals });
  const count = whole?.weights.routes.length;
  const weights = count === undefined ? packSparse(lexical, classes) : keepHeaviest(lexical, classes, count);
  const plus = { weights, bias: lexical.bias, duals: lexical.duals };
  return { dense, plus, means: classMeans(labelled), words: wordsOf(rows, chosen) };
}

interface LexicalInput extends Pick<DenseAnd, "folds" | "seed"> {
  readonly labels: Int32Array;
  readonly start: Float32Array | undefined;
}

function fitLexicalPart(
  set: TrainingSet,
  rows: readonly number[],
  { labels, folds, seed, start }: LexicalInput,
): LexicalWeights & Partial<FittedLexical> {
  const { positionOf, lexical, isResidual } = set;
  const { classes } = set.rows;
  const chosen = Int32Array.from(rows, (row) => positionOf[row]);
  if (!isResidual)
    return fitLexicalRows(lexical, { chosen, labels, classes, weights: balancedWeights(labels, classes), seed, start });
  const offset = new Float64Array(chosen.length * classes);
  for (const [index, position] of chosen.entries())
    for (let c = 0; c < classes; c++) offset[index * classes + c] = DENSE_SHARE * folds.logits[position * classes + c];
  return fitResidual(lexical, { chosen, labels, classes, offset, seed });
}

function labelledVectors(rows: EncodedRows, chosen: readonly number[]): LabelledVectors {
  const { dims, classes } = rows;
  const vectors = new Float32Array(chosen.length * dims);
  for (const [index, row] of chosen.entries()) vectors.set(vectorOf(rows, row), index * dims);
  return { vectors, labels: Int32Array.from(chosen, (row) => rows.labels[row]), dims, classes };
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
  const { classes, labels } = rows;
  const logits = logitsOfRows(dense, rows, chosen);
  const cosines = logitsOfRows({ weights: means, bias: new Float32Array(classes) }, rows, chosen);
  for (const [index, row] of chosen.entries()) {
    into.unseenDense.set(rowOf(logits, index, classes), row * classes);
    const lexical = rowOf(into.unseenPlus, row, classes);
    lexical.set(plus.bias);
    addPlus(lexical, plus.weights, rows.features[row]);
    const near = rowOf(cosines, index, classes);
    into.scope.set(featuresOf(near, rows.tokens[row], -1), row * REFERENCE_WIDTH);
    if (labels[row] < 0) continue;
    near[labels[row]] = -1;
    into.maskedScope.set(featuresOf(near, rows.tokens[row], labels[row]), row * REFERENCE_WIDTH);
  }

  function featuresOf(near: Float64Array, tokens: readonly string[], without: number): readonly number[] {
    const isKnown = (word: string) => {
      const routes = words.get(word);
      return routes !== undefined && (routes.size > 1 || !routes.has(without));
    };
    return [Math.max(...near), -unknownShare(tokens, isKnown)];
  }
}

function rowOf(values: Float64Array, row: number, width: number): Float64Array {
  return values.subarray(row * width, (row + 1) * width);
}

function vectorOf({ vectors, dims }: EncodedRows, row: number): Float32Array {
  return vectors.subarray(row * dims, (row + 1) * dims);
}

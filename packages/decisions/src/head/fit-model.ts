/** Fits both parts of a head, with cross-fitted logits and scope features for each row. */
import { largestOf, type EncodedRows } from "./encoded-rows.ts";
import { fitDense, logitsOfRows, type DenseWeights } from "./fit-dense.ts";
import { fitLexicalRows, predictByLexicalRows } from "./fit-lexical.ts";
import { readLexicalRows, type LexicalRows, type LexicalTask } from "./lexical-rows.ts";
import { addPlus } from "./logits.ts";
import { classMeans, type LabelledVectors } from "./class-means.ts";
import { LEXICON, type Lexicon } from "./lexical.ts";
import { STEM_LEXICON } from "./lexical-stems.ts";
import { isWord, REFERENCE_WIDTH, unknownShare } from "./scope-reference.ts";
import { packSparse, roundingOf, type Rounding, type SparseWeights } from "./sparse-codec.ts";

export interface FitSettings {
  readonly seed: number;
  /** Decay of the dense part. The default is best for texts that resemble the training texts. */
  readonly decay?: number | undefined;
}

export interface Lexical {
  readonly weights: SparseWeights;
  readonly bias: Float64Array;
  readonly duals: Float32Array;
  readonly rounding: Rounding;
}

/** Predictions of a model that had not seen the row. */
export interface UnseenRows {
  /** n x classes logits of the dense part and of the lexical part. */
  readonly unseenDense: Float64Array;
  readonly unseenPlus: Float64Array;
  /** n x REFERENCE_WIDTH scope features, with all routes and without the correct route of the row. */
  readonly scope: Float64Array;
  readonly maskedScope: Float64Array;
}

/** What scope detection needs. */
interface ScopeModel {
  /** classes x dims: the mean vectors of the routes. */
  readonly means: Float64Array;
  /** For each word, the routes whose texts contain it. */
  readonly words: ReadonlyMap<string, ReadonlySet<number>>;
}

export interface Model extends ScopeModel {
  readonly dense: DenseWeights;
  readonly plus: Lexical;
}

export interface Folds {
  readonly of: Int32Array;
  readonly count: number;
}

/** The dense part of each fold, which has not seen its rows. */
export interface DenseFolds extends Folds {
  readonly parts: readonly DenseWeights[];
  /** n x classes: the predictions of each model for the rows of its fold. */
  readonly logits: Float64Array;
}

/** What the models of all folds share. */
export interface TrainingSet {
  readonly rows: EncodedRows;
  /** The rows that have a route. */
  readonly learned: readonly number[];
  /** The lexical features of all rows. Their frequencies do not depend on the routes, so the folds can share them. */
  readonly lexical: LexicalRows;
  readonly isFew: boolean;
}

/** A head has few texts if its routes have fewer on average. */
const FEW_TEXTS = 20;
/**
 * Stems are used if most routes have this many texts. The average would say little, because a single route may have
 * hundreds.
 */
const TEXTS_FOR_STEMS = 20;

/**
 * Few texts need features that as many texts as possible share. For many texts, word stems are better, because a file
 * can hold a larger share of their weights.
 */
export function lexiconFor(labels: Iterable<number>, classes: number): Lexicon {
  const counts = new Uint32Array(classes);
  for (const label of labels) if (label >= 0) counts[label]++;
  return counts.sort()[Math.floor(classes / 2)] >= TEXTS_FOR_STEMS ? STEM_LEXICON : LEXICON;
}

export function trainingSet(rows: EncodedRows): TrainingSet {
  const learned = [...rows.labels.keys()].filter((row) => rows.labels[row] >= 0);
  const isFew = learned.length < FEW_TEXTS * rows.classes;
  const lexical = readLexicalRows(rows.features, isFew ? 1 : 2, learned);
  return { rows, learned, lexical, isFew };
}

export function fitDenseFolds(set: TrainingSet, folds: Folds, settings: FitSettings): DenseFolds {
  const { rows, learned } = set;
  const logits = new Float64Array(rows.labels.length * rows.classes);
  const parts = Array.from({ length: folds.count }, (_, fold) => {
    const part = fitDensePart(
      set,
      learned.filter((row) => folds.of[row] !== fold),
      settings,
    );
    const mine = [...rows.labels.keys()].filter((row) => folds.of[row] === fold);
    const predicted = logitsOfRows(part, rows, mine);
    for (const [index, row] of mine.entries()) logits.set(rowOf(predicted, index, rows.classes), row * rows.classes);
    return part;
  });
  return { ...folds, parts, logits };
}

/** The model of all learned rows. */
export function fitModel(set: TrainingSet, settings: FitSettings): Model {
  const { rows, learned } = set;
  const { classes } = rows;
  const lexical = fitLexicalRows(set.lexical, lexicalTask(rows, learned, settings.seed));
  const weights = packSparse(lexical, classes);
  return {
    dense: fitDensePart(set, learned, settings),
    plus: { weights, bias: lexical.bias, duals: lexical.duals, rounding: roundingOf(weights, lexical, classes) },
    ...scopeModel(rows, learned),
  };
}

interface CrossFitSettings extends FitSettings {
  /** The model of all rows. The lexical part of each fold starts from it and is rounded like it. */
  readonly whole: Model;
}

/** Predicts each row by a model that has not seen it. */
export function crossFit(set: TrainingSet, folds: DenseFolds, { whole, seed }: CrossFitSettings): UnseenRows {
  const { rows, learned } = set;
  const unseen = { ...emptyRows(rows), unseenDense: folds.logits };
  const { rounding, duals: start } = whole.plus;
  for (const fold of folds.parts.keys()) {
    const others = learned.filter((row) => folds.of[row] !== fold);
    const predicted = [...rows.labels.keys()].filter((row) => folds.of[row] === fold);
    predictByLexicalRows(set.lexical, {
      ...lexicalTask(rows, others, seed),
      start,
      predicted,
      rounding,
      into: unseen.unseenPlus,
    });
    predictScope(scopeModel(rows, others), rows, { chosen: predicted, into: unseen });
  }
  return unseen;
}

/** `chosen`: the rows to learn from. */
function fitDensePart({ rows, isFew }: TrainingSet, chosen: readonly number[], settings: FitSettings): DenseWeights {
  // From validation: many epochs and more decay with few examples per route, few epochs with many.
  const pace = isFew ? { epochs: 8, rate: 10, decay: 3e-5 } : { epochs: 10, rate: 15, decay: 1e-5 };
  const { seed, decay = pace.decay } = settings;
  const labelled = labelledVectors(rows, chosen);
  const weights = balancedWeights(labelled.labels, rows.classes);
  return fitDense({ ...labelled, weights }, { ...pace, decay, scale: 20, batch: 64, seed });
}

function lexicalTask(rows: EncodedRows, chosen: readonly number[], seed: number): LexicalTask {
  const { classes } = rows;
  const labels = Int32Array.from(chosen, (row) => rows.labels[row]);
  return { chosen, labels, classes, weights: balancedWeights(labels, classes), seed };
}

function labelledVectors(rows: EncodedRows, chosen: readonly number[]): LabelledVectors {
  const { dims, classes } = rows;
  const vectors = new Float32Array(chosen.length * dims);
  for (const [index, row] of chosen.entries()) vectors.set(vectorOf(rows, row), index * dims);
  return { vectors, labels: Int32Array.from(chosen, (row) => rows.labels[row]), dims, classes };
}

function scopeModel(rows: EncodedRows, chosen: readonly number[]): ScopeModel {
  return { means: classMeans(labelledVectors(rows, chosen)), words: wordsOf(rows, chosen) };
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
 * Weights of the rows. Rows of a route with few texts weigh more, because the number of texts that an owner wrote says
 * little about the number of requests. The square root is a compromise between taking the numbers of texts as they are
 * and taking all routes as equally frequent.
 */
function balancedWeights(labels: Int32Array, classes: number): Float64Array {
  const counts = new Float64Array(classes);
  for (const label of labels) counts[label]++;
  const usual = labels.length / classes;
  return Float64Array.from(labels, (label) => Math.min(WEIGHT_MAX, (usual / counts[label]) ** BALANCE));
}

/** Predictions for rows that the model was not trained on. */
export function predictAll(model: Model, rows: EncodedRows): UnseenRows {
  const { classes } = rows;
  const chosen = [...rows.labels.keys()];
  const into = { ...emptyRows(rows), unseenDense: logitsOfRows(model.dense, rows, chosen) };
  for (const row of chosen) {
    const lexical = rowOf(into.unseenPlus, row, classes);
    lexical.set(model.plus.bias);
    addPlus(lexical, model.plus.weights, rows.features[row]);
  }
  predictScope(model, rows, { chosen, into });
  return into;
}

function emptyRows({ labels, classes }: EncodedRows): Omit<UnseenRows, "unseenDense"> {
  const n = labels.length;
  return {
    unseenPlus: new Float64Array(n * classes),
    scope: new Float64Array(n * REFERENCE_WIDTH),
    maskedScope: new Float64Array(n * REFERENCE_WIDTH),
  };
}

function predictScope(
  { means, words }: ScopeModel,
  rows: EncodedRows,
  { chosen, into }: { readonly chosen: readonly number[]; readonly into: Pick<UnseenRows, "scope" | "maskedScope"> },
): void {
  const { classes, labels } = rows;
  const cosines = logitsOfRows({ weights: means, bias: new Float32Array(classes) }, rows, chosen);
  for (const [index, row] of chosen.entries()) {
    const base = index * classes;
    into.scope.set(featuresOf(base, rows.tokens[row], -1), row * REFERENCE_WIDTH);
    if (labels[row] < 0) continue;
    cosines[base + labels[row]] = -1;
    into.maskedScope.set(featuresOf(base, rows.tokens[row], labels[row]), row * REFERENCE_WIDTH);
  }

  function featuresOf(base: number, tokens: readonly string[], without: number): readonly number[] {
    const isKnown = (word: string) => {
      const routes = words.get(word);
      return routes !== undefined && (routes.size > 1 || !routes.has(without));
    };
    return [largestOf(cosines, base, classes), -unknownShare(tokens, isKnown)];
  }
}

function rowOf(values: Float64Array, row: number, width: number): Float64Array {
  return values.subarray(row * width, (row + 1) * width);
}

function vectorOf({ vectors, dims }: EncodedRows, row: number): Float32Array {
  return vectors.subarray(row * dims, (row + 1) * dims);
}

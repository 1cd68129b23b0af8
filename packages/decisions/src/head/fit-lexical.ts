/**
 * The lexical part of a head: a linear support vector machine per route against all others, on tf-idf values of the
 * lexical features (squared hinge loss, dual coordinate descent: Hsieh et al. 2008, "A dual coordinate descent method
 * for large-scale linear SVM"). With few examples it is the strongest linear model, and the one that users would
 * compare a head with.
 */
import { LANES } from "../math/lane-kernel.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import { createLanes, offsetsOf, type LexicalLanes } from "./lexical-lanes.ts";
import type { LexicalFeatures } from "./lexical.ts";
import { readLexicalRows, type LexicalRows, type LexicalTask, type LexicalWeights } from "./lexical-rows.ts";
import type { Rounding } from "./sparse-codec.ts";

export interface LexicalSet {
  readonly features: readonly LexicalFeatures[];
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weight of each row; default 1. */
  readonly weights?: ArrayLike<number>;
}

export interface FittedLexical extends LexicalWeights {
  /** n x classes: the dual variables of the chosen rows. There is an entry for every row. */
  readonly duals: Float32Array;
}

export interface LexicalOptions {
  /** Features that occur in fewer examples are ignored. */
  readonly least: number;
  readonly seed: number;
}

/** Weight of an error relative to the squared length of the weights. */
const COST = 1;
const ROUNDS_MOST = 40;
/** Rounds after a start from the dual variables of a fit to more rows; further rounds gain no accuracy. */
const ROUNDS_FROM_START = 2;
/** The training ends when no violation of the optimality conditions is larger. */
const TOLERANCE = 0.2;

export function fitLexical(
  { features, labels, classes, weights }: LexicalSet,
  { least, seed }: LexicalOptions,
): LexicalWeights {
  const chosen = Int32Array.from(labels.keys());
  return fitLexicalRows(readLexicalRows(features, least), { chosen, labels, classes, weights, seed });
}

export function fitLexicalRows(rows: LexicalRows, task: LexicalTask): FittedLexical {
  const { ids, idf } = rows;
  const { classes } = task;
  const weights = new Float32Array(ids.length * classes);
  const bias = new Float64Array(classes);
  const duals = fitGroups(rows, task, ({ from, until, lanes }) => {
    for (let index = 0; index < ids.length; index++)
      for (let c = from; c < until; c++)
        weights[index * classes + c] = lanes.weights[index * LANES + c - from] * idf[index];
    for (let c = from; c < until; c++) bias[c] = lanes.bias[c - from];
  });
  return { ids, weights, bias, duals };
}

/** Which rows to predict, with weights rounded as in a file. */
export interface Prediction {
  readonly predicted: readonly number[];
  readonly rounding: Rounding;
  /** n x classes: the logits of the predicted rows are written here. */
  readonly into: Float64Array;
}

/** Fits the same weights as `fitLexicalRows`, but only predicts with them. */
export function predictByLexicalRows(rows: LexicalRows, task: LexicalTask & Prediction): void {
  const { classes, predicted, rounding, into } = task;
  fitGroups(rows, task, ({ from, until, lanes }) => {
    lanes.round(rounding);
    for (const row of predicted) {
      const logits = lanes.predict(row);
      for (let c = from; c < until; c++) into[row * classes + c] = logits[c - from];
    }
  });
}

interface FittedGroup {
  /** The routes from `from` up to, but not including, `until` have the lanes 0, 1 and so on. */
  readonly from: number;
  readonly until: number;
  readonly lanes: LexicalLanes;
}

/** Fits a few routes at a time and passes their weights to `visit`. Returns the dual variables of all routes. */
function fitGroups(rows: LexicalRows, task: LexicalTask, visit: (group: FittedGroup) => void): Float32Array {
  const { classes, chosen, start } = task;
  const duals = new Float32Array(rows.squares.length * classes);
  const lanes = createLanes(rows, task, COST);
  const orders = ordersOf(task);
  for (let from = 0; from < classes; from += LANES) {
    const until = Math.min(classes, from + LANES);
    lanes.reset(from);
    if (start !== undefined) {
      copyDuals(start, (own, all, at) => (lanes.duals[own] = all[at]));
      lanes.addDuals();
    }
    for (const order of orders) if (lanes.descend(order, TOLERANCE)) break;
    copyDuals(duals, (own, all, at) => (all[at] = lanes.duals[own]));
    visit({ from, until, lanes });

    function copyDuals(all: Float32Array, copy: (own: number, all: Float32Array, at: number) => void): void {
      for (let at = 0; at < chosen.length; at++)
        for (let c = from; c < until; c++) copy(at * LANES + c - from, all, chosen[at] * classes + c);
    }
  }
  lanes.release();
  return duals;
}

/** The order of the rows in each round, the same for all routes. */
function ordersOf({ chosen, seed, start }: LexicalTask): readonly Int32Array[] {
  const random = xorshift(seed);
  const order = Int32Array.from({ length: chosen.length }, (_, position) => position);
  return Array.from({ length: start === undefined ? ROUNDS_MOST : ROUNDS_FROM_START }, () => {
    shuffle(order, random);
    return offsetsOf(order);
  });
}

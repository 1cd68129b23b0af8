/**
 * The lexical part of a head: a linear support vector machine per route against all others, on tf-idf values of the
 * lexical features (squared hinge loss, dual coordinate descent: Hsieh et al. 2008, "A dual coordinate descent method
 * for large-scale linear SVM"). On few examples it is what users would compare a head with, and the strongest
 * of the linear models.
 */
import { log } from "../math/exp-log.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import { tableOfOwnRows } from "../text/own-embedding-rows.ts";
import type { LexicalFeatures } from "./lexical.ts";

export interface LexicalSet {
  readonly features: readonly LexicalFeatures[];
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weight of each row; default 1. */
  readonly weights?: ArrayLike<number>;
}

export interface LexicalWeights {
  /** Ascending. */
  readonly ids: Uint32Array;
  /** ids x classes, for the value of a feature: inverse document frequencies are included. */
  readonly weights: Float32Array;
  readonly bias: Float64Array;
}

export interface FittedLexical extends LexicalWeights {
  /** n x classes, of all rows: the dual variables of the chosen ones. */
  readonly duals: Float32Array;
}

export interface LexicalOptions {
  /** Features of fewer examples are ignored. */
  readonly least: number;
  readonly seed: number;
}

/** tf-idf values of the features of each row, read once for all models that are fitted to some of the rows. */
export interface LexicalRows {
  /** Ascending. */
  readonly ids: Uint32Array;
  readonly idf: Float64Array;
  /** The entries of a row are those from its start to the next start. */
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
  /** Square of the length of each row. */
  readonly squares: Float64Array;
}

export interface LexicalTask {
  /** The rows to learn from. */
  readonly chosen: ArrayLike<number>;
  /** Of each chosen row. */
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weight of each chosen row; default 1. */
  readonly weights?: ArrayLike<number> | undefined;
  readonly seed: number;
  /** Dual variables of a fit to all rows, to start from. */
  readonly start?: Float32Array | undefined;
}

/** Weight of an error against the length of the weights. */
const COST = 1;
const ROUNDS_MOST = 40;
/** From the dual variables of a fit to more rows, further rounds gain no accuracy. */
const ROUNDS_FROM_START = 2;
/** The largest violation of the optimality conditions that ends the training. */
const TOLERANCE = 0.2;
/** Routes fitted at once, so that each feature of a row is read once for all of them. The loops are unrolled for four. */
const LANES = 4;

export function fitLexical(
  { features, labels, classes, weights }: LexicalSet,
  { least, seed }: LexicalOptions,
): LexicalWeights {
  const chosen = Int32Array.from(labels.keys());
  return fitLexicalRows(readLexicalRows(features, least), { chosen, labels, classes, weights, seed });
}

export function fitLexicalRows(rows: LexicalRows, task: LexicalTask): FittedLexical {
  const { ids, idf, squares } = rows;
  const { classes, chosen } = task;
  const duals = new Float32Array(squares.length * classes);
  const weights = new Float32Array(ids.length * classes);
  const bias = new Float64Array(classes);
  const orders = ordersOf(task);
  for (let from = 0; from < classes; from += LANES) {
    const fitted = fitLanes(rows, task, { from, orders });
    const until = Math.min(classes, from + LANES);
    for (let index = 0; index < ids.length; index++)
      for (let c = from; c < until; c++)
        weights[index * classes + c] = fitted.weights[index * LANES + c - from] * idf[index];
    for (let c = from; c < until; c++) {
      bias[c] = fitted.bias[c - from];
      for (let at = 0; at < chosen.length; at++) duals[chosen[at] * classes + c] = fitted.duals[at * LANES + c - from];
    }
  }
  return { ids, weights, bias, duals };
}

export function readLexicalRows(features: readonly LexicalFeatures[], least: number): LexicalRows {
  const texts = textsByFeature(features);
  const ids = Uint32Array.from([...texts].flatMap(([id, count]) => (count >= least ? id : []))).sort();
  // Relative to a feature of a single text, so that values stay near those of `LexicalFeatures`.
  const rarest = inverseFrequency(features.length, 1);
  const idf = Float64Array.from(ids, (id) => inverseFrequency(features.length, texts.get(id) ?? 1) / rarest);
  const indexById = tableOfOwnRows(ids);
  const starts = new Int32Array(features.length + 1);
  const most = features.reduce((sum, item) => sum + item.ids.length, 0);
  const indices = new Int32Array(most);
  const values = new Float64Array(most);
  const squares = new Float64Array(features.length);
  const entryOf = new Int32Array(ids.length).fill(-1);
  let count = 0;
  for (const [row, item] of features.entries()) {
    const start = count;
    for (const id of item.ids) {
      const index = indexById.get(id);
      if (index === undefined) continue;
      if (entryOf[index] < start) {
        entryOf[index] = count;
        indices[count++] = index;
      }
      values[entryOf[index]] += item.value * idf[index];
    }
    for (let entry = start; entry < count; entry++) squares[row] += values[entry] ** 2;
    starts[row + 1] = count;
  }
  return { ids, idf, starts, indices: indices.subarray(0, count), values: values.subarray(0, count), squares };
}

function textsByFeature(features: readonly LexicalFeatures[]): ReadonlyMap<number, number> {
  const texts = new Map<number, number>();
  for (const { ids } of features) for (const id of new Set(ids)) texts.set(id, (texts.get(id) ?? 0) + 1);
  return texts;
}

function inverseFrequency(texts: number, count: number): number {
  return 1 + log((1 + texts) / (1 + count));
}

/** The order of the rows in each round, the same for all routes. */
function ordersOf({ chosen, seed, start }: LexicalTask): readonly Int32Array[] {
  const random = xorshift(seed);
  const order = Int32Array.from({ length: chosen.length }, (_, position) => position);
  return Array.from({ length: start === undefined ? ROUNDS_MOST : ROUNDS_FROM_START }, () => {
    shuffle(order, random);
    return order.slice();
  });
}

interface Lanes {
  /** First route. Lanes beyond the last route see only negatives, and are ignored. */
  readonly from: number;
  readonly orders: readonly Int32Array[];
}

function firstDuals({ chosen, classes, start }: LexicalTask, from: number): Float64Array {
  const duals = new Float64Array(chosen.length * LANES);
  if (start === undefined) return duals;
  for (let at = 0; at < chosen.length; at++)
    for (let c = from; c < Math.min(classes, from + LANES); c++)
      duals[at * LANES + c - from] = start[chosen[at] * classes + c];
  return duals;
}

function fitLanes(rows: LexicalRows, task: LexicalTask, { from, orders }: Lanes) {
  const { chosen, labels, weights: costs } = task;
  const { squares } = rows;
  const { weights, bias, sums, steps, sumLanes, move } = createLanes(rows);
  const duals = firstDuals(task, from);
  const worst = new Float64Array(LANES);
  const isDone = new Uint8Array(LANES);
  if (task.start !== undefined) begin();
  for (const order of orders) {
    worst.fill(0);
    for (const at of order) {
      const row = chosen[at];
      sumLanes(row);
      if (!findSteps(at, row)) continue;
      move(row);
    }
    for (let lane = 0; lane < LANES; lane++) if (worst[lane] < TOLERANCE) isDone[lane] = 1;
    if (isDone.every((done) => done === 1)) break;
  }
  return { weights, bias, duals };

  function begin(): void {
    for (let at = 0; at < chosen.length; at++) {
      for (let lane = 0; lane < LANES; lane++)
        steps[lane] = (labels[at] === from + lane ? 1 : -1) * duals[at * LANES + lane];
      move(chosen[at]);
    }
  }

  function findSteps(at: number, row: number): boolean {
    const slack = 0.5 / (COST * (costs?.[at] ?? 1));
    const curve = 1 + squares[row] + slack;
    let isMoving = false;
    for (let lane = 0; lane < LANES; lane++) {
      steps[lane] = 0;
      if (isDone[lane] === 1) continue;
      const sign = labels[at] === from + lane ? 1 : -1;
      const before = duals[at * LANES + lane];
      const slope = sign * sums[lane] - 1 + slack * before;
      if (before === 0 && slope >= 0) continue;
      worst[lane] = Math.max(worst[lane], Math.abs(slope));
      const dual = Math.max(0, before - slope / curve);
      duals[at * LANES + lane] = dual;
      steps[lane] = sign * (dual - before);
      isMoving = true;
    }
    return isMoving;
  }
}

/** The weights of four routes: `sumLanes` fills `sums` with the logits of a row, `move` adds `steps` times the row. */
function createLanes({ ids, starts, indices, values }: LexicalRows) {
  const weights = new Float64Array(ids.length * LANES);
  const bias = new Float64Array(LANES);
  const sums = new Float64Array(LANES);
  const steps = new Float64Array(LANES);
  return { weights, bias, sums, steps, sumLanes, move };

  function sumLanes(row: number): void {
    let s0 = bias[0];
    let s1 = bias[1];
    let s2 = bias[2];
    let s3 = bias[3];
    for (let entry = starts[row]; entry < starts[row + 1]; entry++) {
      const base = indices[entry] * LANES;
      const value = values[entry];
      s0 += weights[base] * value;
      s1 += weights[base + 1] * value;
      s2 += weights[base + 2] * value;
      s3 += weights[base + 3] * value;
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
  }

  function move(row: number): void {
    const s0 = steps[0];
    const s1 = steps[1];
    const s2 = steps[2];
    const s3 = steps[3];
    for (let entry = starts[row]; entry < starts[row + 1]; entry++) {
      const base = indices[entry] * LANES;
      const value = values[entry];
      weights[base] += s0 * value;
      weights[base + 1] += s1 * value;
      weights[base + 2] += s2 * value;
      weights[base + 3] += s3 * value;
    }
    for (let lane = 0; lane < LANES; lane++) bias[lane] += steps[lane];
  }
}

/**
 * Ordinal regression with adjacent categories: ln P(level + 1) / P(level) = s - threshold, with s a weighted sum of
 * features. Newton's method with a ridge per column; columns that violate their sign are removed one by one (active
 * set).
 */
import { solve } from "../calibration/logistic.ts";
import { softmax } from "../head/logits.ts";

export interface OrdinalSet {
  readonly features: Float64Array;
  readonly width: number;
  readonly targets: ArrayLike<number>;
  readonly levels: number;
  readonly ridge: readonly number[];
  readonly counts?: ArrayLike<number>;
  readonly rising?: readonly number[];
}

export interface Ordinal {
  readonly weights: Float64Array;
  readonly thresholds: readonly number[];
}

const ROUNDS = 25;
const LEAST_CURVE = 1e-9;

export function fitOrdinal(set: OrdinalSet): Ordinal {
  const rising = new Set(set.rising);
  const excluded = new Set<number>();
  for (;;) {
    const { weights, thresholds } = newton(set, excluded);
    let worst = -1;
    for (const column of rising)
      if (weights[column] < 0 && (worst < 0 || weights[column] < weights[worst])) worst = column;
    if (worst < 0) return { weights, thresholds };
    excluded.add(worst);
  }
}

function newton(set: OrdinalSet, excluded: ReadonlySet<number>): Ordinal {
  const { features, width, targets, levels, ridge, counts } = set;
  const size = width + levels - 1;
  const solution = new Float64Array(size);
  const slope = new Float64Array(size);
  const atLeast = new Float64Array(levels - 1);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    for (let a = 0; a < size; a++) {
      const hold = a < width ? ridge[a] : LEAST_CURVE;
      gradient[a] = hold * solution[a];
      hessian[a * size + a] = hold;
    }
    for (let row = 0; row < targets.length; row++) {
      const x = features.subarray(row * width, (row + 1) * width);
      const count = counts?.[row] ?? 1;
      let sum = 0;
      for (let a = 0; a < width; a++) sum += solution[a] * x[a];
      const { mean, variance } = stateOf(sum, solution.subarray(width), atLeast);
      for (let a = 0; a < width; a++) {
        gradient[a] += count * (mean - targets[row]) * x[a];
        slope[a] = x[a];
      }
      addCurve(hessian, slope, { size, width, factor: count * variance });
      for (let step = 0; step < levels - 1; step++) {
        gradient[width + step] += count * ((targets[row] > step ? 1 : 0) - atLeast[step]);
        const against = covarianceWithLevel(atLeast, step, mean);
        const base = (width + step) * size;
        for (let a = 0; a < width; a++) hessian[base + a] -= count * against * x[a];
        for (let other = 0; other <= step; other++)
          hessian[base + width + other] += count * (atLeast[step] - atLeast[step] * atLeast[other]);
      }
    }
    for (const column of excluded) hold(hessian, gradient, column, size);
    const step = solve(hessian, gradient, size);
    let largest = 0;
    for (let a = 0; a < size; a++) largest = Math.max(largest, Math.abs(step[a]));
    const shorten = largest > 3 ? 3 / largest : 1;
    for (let a = 0; a < size; a++) solution[a] -= shorten * step[a];
    if (largest < 1e-9) break;
  }
  return { weights: solution.slice(0, width), thresholds: [...solution.subarray(width)] };
}

/** Returns the mean and variance of the level; writes the probability of a level above each threshold to `atLeast`. */
function stateOf(sum: number, thresholds: Float64Array, atLeast: Float64Array) {
  const logits = new Float64Array(thresholds.length + 1);
  for (let level = 1; level < logits.length; level++) logits[level] = logits[level - 1] + sum - thresholds[level - 1];
  const probabilities = softmax(logits);
  let mean = 0;
  let square = 0;
  for (let level = 1; level < logits.length; level++) {
    mean += level * probabilities[level];
    square += level * level * probabilities[level];
  }
  let above = 0;
  for (let step = thresholds.length - 1; step >= 0; step--) atLeast[step] = above += probabilities[step + 1];
  return { mean, variance: square - mean * mean };
}

/** Covariance of the level with "above this threshold": the level is the number of thresholds below it. */
function covarianceWithLevel(atLeast: Float64Array, step: number, mean: number): number {
  let joint = 0;
  for (let other = 0; other < atLeast.length; other++) joint += atLeast[Math.max(step, other)];
  return joint - mean * atLeast[step];
}

function addCurve(
  hessian: Float64Array,
  x: Float64Array,
  { size, width, factor }: { readonly size: number; readonly width: number; readonly factor: number },
): void {
  for (let a = 0; a < width; a++) {
    const left = factor * x[a];
    if (left === 0) continue;
    const base = a * size;
    for (let b = 0; b <= a; b++) hessian[base + b] += left * x[b];
  }
}

function hold(hessian: Float64Array, gradient: Float64Array, column: number, size: number): void {
  for (let other = 0; other < size; other++) {
    if (other <= column) hessian[column * size + other] = 0;
    if (other >= column) hessian[other * size + column] = 0;
  }
  hessian[column * size + column] = 1;
  gradient[column] = 0;
}

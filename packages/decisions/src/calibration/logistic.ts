/**
 * Logistic regression with few features, some of them sign-constrained. Newton's method with a small ridge; features
 * that violate their sign are removed one by one (active set). Used for confidence, scope and escalation.
 */
import { sigmoid } from "../math/exp-log.ts";

export interface LogisticSet {
  readonly features: Float64Array;
  readonly width: number;
  readonly targets: ArrayLike<number>;
  /** Weight of each row; default 1. */
  readonly weights?: ArrayLike<number> | undefined;
  readonly rising?: readonly number[];
  readonly ridge?: number;
  /** The solution for similar rows, as the starting point. */
  readonly start?: Logistic | undefined;
}

export interface Logistic {
  readonly bias: number;
  readonly weights: readonly number[];
}

const ROUNDS = 30;

export function fitLogistic(set: LogisticSet): Logistic {
  const rising = set.rising ?? [];
  let columns = Array.from({ length: set.width }, (_, column) => column);
  for (;;) {
    const solution = newton(set, columns);
    const worst = columns
      .map((column, index) => ({ column, weight: solution[index] }))
      .filter(({ column, weight }) => rising.includes(column) && weight < 0)
      .toSorted((a, b) => a.weight - b.weight)
      .at(0);
    if (worst === undefined) {
      const weights = Array.from({ length: set.width }, () => 0);
      for (const [index, column] of columns.entries()) weights[column] = solution[index];
      return { bias: solution[columns.length], weights };
    }
    columns = columns.filter((column) => column !== worst.column);
  }
}

/**
 * Like `fitLogistic`, with standardized features, so that the ridge affects all alike. Otherwise nearly collinear
 * features get large weights that cancel out on the training rows only.
 */
export function fitStandardized({ features, width, start, ...set }: LogisticSet): Logistic {
  const n = Math.max(1, set.targets.length);
  const scaled = new Float64Array(features.length);
  const columns = Array.from({ length: width }, (_, column) => {
    let sum = 0;
    let square = 0;
    for (let at = column; at < features.length; at += width) sum += features[at];
    const middle = sum / n;
    for (let at = column; at < features.length; at += width) square += (features[at] - middle) ** 2;
    // A constant feature carries no information, whatever its scale.
    const spread = Math.sqrt(square / n) || 1;
    for (let at = column; at < features.length; at += width) scaled[at] = (features[at] - middle) / spread;
    return { middle, spread };
  });
  const scaledStart = start && {
    bias: start.weights.reduce((sum, weight, column) => sum + weight * columns[column].middle, start.bias),
    weights: start.weights.map((weight, column) => weight * columns[column].spread),
  };
  const { bias, weights } = fitLogistic({ ...set, width, features: scaled, start: scaledStart });
  const own = weights.map((weight, column) => weight / columns[column].spread);
  return { bias: own.reduce((sum, weight, column) => sum - weight * columns[column].middle, bias), weights: own };
}

export function logisticOf({ bias, weights }: Logistic, features: ArrayLike<number>): number {
  let sum = bias;
  for (let column = 0; column < weights.length; column++) sum += weights[column] * features[column];
  return sigmoid(sum);
}

function newton(
  { features, width, targets, weights, ridge = 1e-3, start }: LogisticSet,
  columns: readonly number[],
): Float64Array {
  const n = targets.length;
  const size = columns.length + 1;
  const solution = new Float64Array(size);
  if (start !== undefined) solution.set([...columns.map((column) => start.weights[column]), start.bias]);
  const hessian = new Float64Array(size * size);
  const gradient = new Float64Array(size);
  const x = new Float64Array(size);
  for (let round = 0; round < ROUNDS; round++) {
    hessian.fill(0);
    gradient.fill(0);
    for (let row = 0; row < n; row++) {
      for (let index = 0; index < size - 1; index++) x[index] = features[row * width + columns[index]];
      x[size - 1] = 1;
      let sum = 0;
      for (let index = 0; index < size; index++) sum += solution[index] * x[index];
      const p = sigmoid(sum);
      const weight = weights?.[row] ?? 1;
      const curve = weight * Math.max(1e-9, p * (1 - p));
      for (let a = 0; a < size; a++) {
        gradient[a] += weight * (p - targets[row]) * x[a];
        for (let b = 0; b <= a; b++) hessian[a * size + b] += curve * x[a] * x[b];
      }
    }
    for (let a = 0; a < size; a++) {
      // The bias has a tiny ridge too: rows of a single class must not drive it to infinity.
      gradient[a] += ridge * solution[a];
      hessian[a * size + a] += ridge;
    }
    const step = solve(hessian, gradient, size);
    let largest = 0;
    for (let a = 0; a < size; a++) largest = Math.max(largest, Math.abs(step[a]));
    const shorten = largest > 5 ? 5 / largest : 1;
    for (let a = 0; a < size; a++) solution[a] -= shorten * step[a];
    if (largest < 1e-10) break;
  }
  return solution;
}

/**
 * Solves a symmetric positive definite system, given by its lower half, by Cholesky decomposition. Overwrites its
 * input.
 */
export function solve(matrix: Float64Array, vector: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * size + k] * matrix[j * size + k];
      matrix[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j * size + j];
    }
  const out = Float64Array.from(vector);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) out[i] -= matrix[i * size + k] * out[k];
    out[i] /= matrix[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) out[i] -= matrix[k * size + i] * out[k];
    out[i] /= matrix[i * size + i];
  }
  return out;
}

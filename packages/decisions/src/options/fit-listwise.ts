/**
 * Conditional logit (McFadden 1974): the probability of the right option among its alternatives. One weight per
 * signal, by Newton's method with a small ridge; rows may have any number of options.
 */
import { solve } from "../calibration/logistic.ts";
import { softmax } from "../head/logits.ts";

export interface ListRow {
  readonly signals: Float64Array;
  readonly right: number;
}

const ROUNDS = 30;

export function fitListwise(rows: readonly ListRow[], width: number, ridge = 1): number[] {
  const weights = new Float64Array(width);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = Float64Array.from(weights, (weight) => ridge * weight);
    const hessian = new Float64Array(width * width);
    for (let a = 0; a < width; a++) hessian[a * width + a] = ridge;
    for (const row of rows) addRow(row, weights, gradient, hessian);
    const step = solve(hessian, gradient, width);
    let largest = 0;
    for (let a = 0; a < width; a++) largest = Math.max(largest, Math.abs(step[a]));
    const shorten = largest > 5 ? 5 / largest : 1;
    for (let a = 0; a < width; a++) weights[a] -= shorten * step[a];
    if (largest < 1e-10) break;
  }
  return [...weights];
}

function addRow({ signals, right }: ListRow, weights: Float64Array, gradient: Float64Array, hessian: Float64Array) {
  const width = weights.length;
  const count = signals.length / width;
  const scores = new Float64Array(count);
  for (let index = 0; index < count; index++)
    for (let a = 0; a < width; a++) scores[index] += weights[a] * signals[index * width + a];
  const probabilities = softmax(scores);
  const mean = new Float64Array(width);
  for (let index = 0; index < count; index++)
    for (let a = 0; a < width; a++) mean[a] += probabilities[index] * signals[index * width + a];
  for (let a = 0; a < width; a++) gradient[a] += mean[a] - signals[right * width + a];
  for (let index = 0; index < count; index++)
    for (let a = 0; a < width; a++) {
      const left = probabilities[index] * (signals[index * width + a] - mean[a]);
      for (let b = 0; b <= a; b++) hessian[a * width + b] += left * (signals[index * width + b] - mean[b]);
    }
}

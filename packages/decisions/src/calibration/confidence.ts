/**
 * Confidence of a choice: an increasing function of the top probability, its margin, and the probability that any
 * route fits. Fitted on unseen rows, where out-of-scope rows count as wrong.
 */
import { log } from "../math/exp-log.ts";
import { fitLogistic, logisticOf, type Logistic } from "./logistic.ts";

export interface ConfidenceInput {
  readonly top: number;
  readonly margin: number;
  /** Probability that the text is in scope; 1 if unknown. */
  readonly scope: number;
}

export const CONFIDENCE_WIDTH = 3;
const EDGE = 1e-6;

export interface ConfidenceFit {
  /** Weight of each row; default 1. */
  readonly weights?: ArrayLike<number>;
  /**
   * Strength of the pull towards a constant confidence; default 1. With few rows a lower value is better, because the
   * signs of the weights are fixed.
   */
  readonly ridge?: number;
  /** A map fitted to similar rows, as the starting point. */
  readonly start?: Logistic;
}

export function fitConfidence(
  inputs: readonly ConfidenceInput[],
  right: ArrayLike<number>,
  { weights, ridge = 1, start }: ConfidenceFit = {},
): Logistic {
  const features = new Float64Array(inputs.length * CONFIDENCE_WIDTH);
  for (const [row, input] of inputs.entries()) features.set(featuresOf(input), row * CONFIDENCE_WIDTH);
  return fitLogistic({ features, width: CONFIDENCE_WIDTH, targets: right, weights, rising: [0, 1, 2], ridge, start });
}

export function confidenceOf(map: Logistic, input: ConfidenceInput): number {
  return logisticOf(map, featuresOf(input));
}

function featuresOf({ top, margin, scope }: ConfidenceInput): readonly number[] {
  return [logOdds(top), margin, logOdds(scope) / 2];
}

function logOdds(p: number): number {
  const clamped = Math.min(1 - EDGE, Math.max(EDGE, p));
  return log(clamped / (1 - clamped));
}

export function topOf(probabilities: ArrayLike<number>): {
  readonly choice: number;
  readonly top: number;
  readonly margin: number;
} {
  let choice = 0;
  let next = 0;
  for (let c = 1; c < probabilities.length; c++) {
    if (probabilities[c] > probabilities[choice]) {
      next = probabilities[choice];
      choice = c;
    } else if (probabilities[c] > next) next = probabilities[c];
  }
  return { choice, top: probabilities[choice], margin: probabilities[choice] - next };
}

/**
 * Metrics of a classifier on labelled rows. Probabilities are doubles; an out-of-scope row has the label -1 and
 * counts as wrong.
 */
import { log } from "../math/exp-log.ts";
import { xorshift } from "../math/xorshift.ts";

export interface Predictions {
  readonly probabilities: Float64Array;
  readonly classes: number;
  readonly labels: Int32Array;
  readonly confidence: Float64Array;
}

export interface Figures {
  readonly n: number;
  readonly accuracy: number;
  readonly macroF1: number;
  readonly nll: number;
  readonly brier: number;
  readonly ece: number;
  /** Area under the risk-coverage curve, most confident rows first. */
  readonly aurc: number;
  /** The largest share of rows, most confident first, of which 95 % are correct. */
  readonly coverageAt95: number;
  /** Error share among rows with a confidence of at least 0.9; null if there are none. */
  readonly wrongAt90: number | null;
}

const LEAST = 1e-15;

export function figuresOf(predictions: Predictions): Figures {
  const { labels, classes, probabilities, confidence } = predictions;
  const n = labels.length;
  const choices = choicesOf(predictions);
  const right = Array.from(labels, (label, row) => (label === choices[row] ? 1 : 0));
  let nll = 0;
  let brier = 0;
  let inScope = 0;
  for (let row = 0; row < n; row++) {
    // Probabilities assume that one class is right, so rows without a right class do not count.
    if (labels[row] < 0) continue;
    inScope++;
    nll -= log(Math.max(LEAST, probabilities[row * classes + labels[row]]));
    for (let c = 0; c < classes; c++) brier += (probabilities[row * classes + c] - (c === labels[row] ? 1 : 0)) ** 2;
  }
  const { aurc, coverageAt95 } = riskOverCoverage(confidence, right);
  const sure = right.filter((_, row) => confidence[row] >= 0.9);
  return {
    n,
    accuracy: mean(right),
    macroF1: macroF1(labels, choices, classes),
    nll: nll / Math.max(1, inScope),
    brier: brier / Math.max(1, inScope),
    ece: calibrationError(confidence, right),
    aurc,
    coverageAt95,
    wrongAt90: sure.length === 0 ? null : 1 - mean(sure),
  };
}

export function choicesOf({
  probabilities,
  classes,
  labels,
}: Pick<Predictions, "probabilities" | "classes" | "labels">) {
  return Int32Array.from(labels, (_, row) => {
    let best = 0;
    for (let c = 1; c < classes; c++)
      if (probabilities[row * classes + c] > probabilities[row * classes + best]) best = c;
    return best;
  });
}

/**
 * Expected calibration error over bins of equal mass: 15, or one per 20 rows below 300 rows. Rows of equal confidence
 * keep their order.
 */
export function calibrationError(confidence: ArrayLike<number>, right: ArrayLike<number>): number {
  return calibrationErrorInOrder(confidence, right, sortedBy(confidence));
}

/**
 * Like `calibrationError`, for a selection of rows in ascending order of confidence; a row may be selected repeatedly.
 */
export function calibrationErrorInOrder(
  confidence: ArrayLike<number>,
  right: ArrayLike<number>,
  order: ArrayLike<number>,
): number {
  const n = order.length;
  if (n === 0) return 0;
  const bins = n < 300 ? Math.max(1, Math.floor(n / 20)) : 15;
  let error = 0;
  for (let bin = 0; bin < bins; bin++) {
    const from = Math.floor((bin * n) / bins);
    const until = Math.floor(((bin + 1) * n) / bins);
    let gap = 0;
    for (let index = from; index < until; index++) gap += confidence[order[index]] - right[order[index]];
    error += Math.abs(gap) / n;
  }
  return error;
}

/**
 * Basic bootstrap 95 % interval of a metric over rows: resampled values mirrored at the metric (Davison and Hinkley
 * 1997, 5.2). Resampling inflates the calibration error of few rows; mirroring corrects this, percentiles would not.
 */
export function bootstrap95(
  n: number,
  figure: (rows: Int32Array) => number,
  { draws = 200, seed = 1 } = {},
): [number, number] {
  const random = xorshift(seed);
  const values = Array.from({ length: draws }, () =>
    figure(Int32Array.from({ length: n }, () => Math.floor(random() * n))),
  );
  values.sort((a, b) => a - b);
  const twice = 2 * figure(Int32Array.from({ length: n }, (_, row) => row));
  return [
    Math.max(0, twice - values[Math.min(draws - 1, Math.floor(0.975 * draws))]),
    Math.max(0, twice - values[Math.floor(0.025 * draws)]),
  ];
}

/** Probability that a positive scores higher than a negative; ties count half. */
export function areaUnderRoc(positives: ArrayLike<number>, negatives: ArrayLike<number>): number {
  const scores = [
    ...Array.from(positives, (score) => ({ score, positive: true })),
    ...Array.from(negatives, (score) => ({ score, positive: false })),
  ];
  scores.sort((a, b) => a.score - b.score);
  let below = 0;
  let area = 0;
  for (let from = 0; from < scores.length;) {
    let until = from;
    let ups = 0;
    let downs = 0;
    while (until < scores.length && scores[until].score === scores[from].score) {
      if (scores[until++].positive) ups++;
      else downs++;
    }
    area += ups * (below + downs / 2);
    below += downs;
    from = until;
  }
  return area / (positives.length * negatives.length);
}

/** Spearman's rank correlation, with average ranks for ties. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const left = ranksOf(a);
  const right = ranksOf(b);
  const middle = (a.length - 1) / 2;
  let joint = 0;
  let leftSquare = 0;
  let rightSquare = 0;
  for (let row = 0; row < a.length; row++) {
    joint += (left[row] - middle) * (right[row] - middle);
    leftSquare += (left[row] - middle) ** 2;
    rightSquare += (right[row] - middle) ** 2;
  }
  return leftSquare * rightSquare === 0 ? 0 : joint / Math.sqrt(leftSquare * rightSquare);
}

function ranksOf(values: readonly number[]): Float64Array {
  const order = sortedBy(values);
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let until = from;
    while (until < order.length && values[order[until]] === values[order[from]]) until++;
    for (let index = from; index < until; index++) ranks[order[index]] = (from + until - 1) / 2;
    from = until;
  }
  return ranks;
}

function riskOverCoverage(confidence: Float64Array, right: readonly number[]) {
  const order = sortedBy(confidence).reverse();
  let wrong = 0;
  let aurc = 0;
  let coverageAt95 = 0;
  for (const [index, row] of order.entries()) {
    wrong += 1 - right[row];
    aurc += wrong / (index + 1) / right.length;
    if (wrong / (index + 1) <= 0.05) coverageAt95 = (index + 1) / right.length;
  }
  return { aurc, coverageAt95 };
}

export function macroF1(labels: Int32Array, choices: Int32Array, classes: number): number {
  const hit = new Float64Array(classes);
  const chosen = new Float64Array(classes);
  const actual = new Float64Array(classes);
  for (let row = 0; row < labels.length; row++) {
    if (labels[row] < 0) continue;
    chosen[choices[row]]++;
    actual[labels[row]]++;
    if (labels[row] === choices[row]) hit[labels[row]]++;
  }
  const present = [...actual.keys()].filter((c) => actual[c] > 0);
  return mean(present.map((c) => (2 * hit[c]) / (chosen[c] + actual[c])));
}

function sortedBy(values: ArrayLike<number>): number[] {
  return Array.from(values, (_, row) => row).sort((a, b) => values[a] - values[b] || a - b);
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index];
  return values.length === 0 ? 0 : sum / values.length;
}

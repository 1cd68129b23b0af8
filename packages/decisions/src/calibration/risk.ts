/**
 * Confidence thresholds that keep the error rate of given decisions below a target.
 *
 * Fixed-sequence testing (Bauer 1991; as in "Learn then test", Angelopoulos et al. 2021): from the highest threshold
 * down, "the error rate above it exceeds e" is tested by a one-sided binomial test at 5 %. The last threshold of the
 * unbroken sequence of rejections is the result. With 95 % probability over the calibration rows, the target holds
 * for exchangeable requests.
 */
import { exp, log } from "../math/exp-log.ts";

/** [threshold, rows at or above it, wrong rows among them], sorted by descending threshold. */
export type RiskPoint = readonly [threshold: number, rows: number, wrong: number];

export const RISK_POINTS_MOST = 256;
const DELTA = 0.05;
/**
 * The level for a threshold that is checked on a second sample of the same size. The difference of two samples varies
 * √2 times as much as one sample: 1.645 standard errors of the difference (5 %) are 2.33 of one sample (1 %).
 */
export const SAMPLED_DELTA = 0.01;
/**
 * Share of rows in the first test. If it is lower, a single error among the most confident rows ends the sequence; if
 * it is higher, strict targets cannot be proven.
 */
const FIRST_SHARE = 1 / 5;

export function riskCurve(confidence: ArrayLike<number>, right: ArrayLike<number>): RiskPoint[] {
  const order = Array.from(confidence, (_, row) => row).sort((a, b) => confidence[b] - confidence[a] || a - b);
  const all: RiskPoint[] = [];
  let wrong = 0;
  for (const [index, row] of order.entries()) {
    wrong += right[row] === 1 ? 0 : 1;
    const next = order[index + 1];
    if (next !== undefined && confidence[next] === confidence[row]) continue;
    all.push([confidence[row], index + 1, wrong]);
  }
  if (all.length <= RISK_POINTS_MOST) return all;
  return Array.from(
    { length: RISK_POINTS_MOST },
    (_, point) => all[Math.floor(((point + 1) * all.length) / RISK_POINTS_MOST) - 1],
  );
}

export interface ThresholdTest {
  readonly firstShare?: number;
  /** The accepted probability that the true error rate exceeds the target. */
  readonly delta?: number;
}

/** The lowest confidence with an error rate below `maxError`; null if the rows are too few or too inaccurate. */
export function thresholdFor(
  curve: readonly RiskPoint[],
  maxError: number,
  { firstShare = FIRST_SHARE, delta = DELTA }: ThresholdTest = {},
): number | null {
  // Points with fewer rows prove nothing, even without errors. The start of the sequence must not depend on the labels.
  const provable = rowsToProve(maxError, delta);
  const fewest = Math.max(provable, firstShare * (curve.at(-1)?.[1] ?? 0));
  let threshold: number | null = null;
  for (const [confidence, rows, wrong] of curve) {
    if (rows < fewest) continue;
    if (binomialAtMost(wrong, rows, maxError) > delta) break;
    threshold = confidence;
  }
  return threshold;
}

/** How many rows without a single error prove an error rate. */
export function rowsToProve(maxError: number, delta: number): number {
  return Math.ceil(log(delta) / log(1 - maxError));
}

/**
 * P(X <= k) for a binomial X with n and p. Summed in log space from k down, the direction in which the terms decrease.
 */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k >= n) return 1;
  let term = logChoose(n, k) + k * log(p) + (n - k) * log(1 - p);
  let sum = 0;
  for (let i = k; i >= 0; i--) {
    sum += exp(term);
    if (i > 0) term += log(i) - log(n - i + 1) + log(1 - p) - log(p);
  }
  return Math.min(1, sum);
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += log(n - k + i) - log(i);
  return sum;
}

/**
 * Conformal sets (least ambiguous sets, Sadinle et al. 2019): with probability 1 - alpha, the right route is among
 * those with a probability of at least 1 - qhat, for requests like the calibration rows.
 */
export function qhatOf(right: readonly number[], alpha: number): number {
  const scores = right.map((p) => 1 - p).sort((a, b) => a - b);
  const rank = Math.ceil((scores.length + 1) * (1 - alpha));
  return rank > scores.length ? 1 : scores[rank - 1];
}

/** Ascending class indices of the set; always contains the most likely class. */
export function conformalSet(probabilities: ArrayLike<number>, qhat: number, choice: number): number[] {
  const set: number[] = [];
  for (let c = 0; c < probabilities.length; c++) if (c === choice || probabilities[c] >= 1 - qhat) set.push(c);
  return set;
}

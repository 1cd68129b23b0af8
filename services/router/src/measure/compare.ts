/**
 * Checks whether new rows still agree with a lock file. Rows are a sample, so each limit allows for random variation:
 * new rows of the same kind pass in at least 95 of 100 draws. If texts and answers are those of the lock, there is no
 * randomness, and any additional wrong answer fails.
 */
import { atLeast } from "./intervals.ts";
import type { Figures } from "./figures.ts";

export interface Tolerance {
  /** Allowed beyond random variation, as shares. */
  readonly error_rate: number;
  readonly coverage: number;
  readonly ece: number;
}

export interface Baseline {
  readonly max_error: number;
  readonly figures: Figures;
  readonly tolerance: Tolerance;
}

export interface Finding {
  readonly measure: "error rate" | "coverage" | "ECE";
  readonly before: number;
  readonly now: number;
  /** The error rate and the ECE must not exceed it; the coverage must not be below it. */
  readonly limit: number;
  readonly holds: boolean;
}

/** One-sided normal quantile of 1 %, for each of three measures. */
const Z = 2.326;
const TAIL = 0.01;

export function compare(
  baseline: Baseline,
  now: Figures,
  { isSameAnswers }: { readonly isSameAnswers: boolean },
): readonly Finding[] {
  const { figures: before, tolerance } = baseline;
  const chance = isSameAnswers ? 0 : Z;
  const errorLimit = isSameAnswers ? before.error_rate : errorLimitOf(baseline, now);
  const coverageLimit =
    before.coverage - tolerance.coverage - chance * spread(coverageShare(before), coverageShare(now));
  const eceChance = chance * Math.hypot(before.ece_se, now.ece_se) + noiseOf(before, now);
  const limits = [errorLimit + tolerance.error_rate, coverageLimit, before.ece + tolerance.ece + eceChance] as const;
  return [
    finding("error rate", [before.error_rate, now.error_rate], limits[0]),
    { ...finding("coverage", [before.coverage, now.coverage], limits[1]), holds: now.coverage >= limits[1] - ROUNDING },
    finding("ECE", [before.ece, now.ece], limits[2]),
  ];
}

const ROUNDING = 1e-9;

function finding(measure: Finding["measure"], [before, now]: readonly [number, number], limit: number): Finding {
  return { measure, before, now, limit, holds: now <= limit + ROUNDING };
}

/**
 * The lower of two limits. The target error is a fixed number, so its test is stricter. The comparison with the lock
 * detects an increase that stays below the target.
 */
function errorLimitOf({ max_error: maxError, figures: before }: Baseline, now: Figures): number {
  const compared = before.error_rate + Z * spread(share(before), share(now));
  return Math.min(compared, exactLimit(maxError, now.answered));
}

/** The highest rate that is consistent with `maxError`: one more wrong answer has a probability below 1 %. */
function exactLimit(maxError: number, answered: number): number {
  if (answered === 0) return 1;
  let [low, high] = [0, answered];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (atLeast(middle + 1, answered, maxError) <= TAIL) high = middle;
    else low = middle + 1;
  }
  return low / answered;
}

interface Counted {
  readonly count: number;
  readonly of: number;
}

function share({ wrong, answered }: Figures): Counted {
  return { count: wrong, of: answered };
}

function coverageShare({ answered, rows }: Figures): Counted {
  return { count: answered, of: rows };
}

/**
 * Standard error of the difference of two shares. One pseudo-count in each direction keeps the variance above zero if
 * there are no errors.
 */
function spread(a: Counted, b: Counted): number {
  const pooled = (a.count + b.count + 1) / (a.of + b.of + 2);
  return Math.sqrt(pooled * (1 - pooled) * (1 / Math.max(1, a.of) + 1 / Math.max(1, b.of)));
}

/** With fewer rows, the ECE is higher by chance alone. */
function noiseOf(before: Figures, now: Figures): number {
  return Math.max(0, NOISE / Math.sqrt(Math.max(1, now.rows)) - NOISE / Math.sqrt(Math.max(1, before.rows)));
}

/** Mean ECE of 15 calibrated bins of n rows, times the root of n; from 10 000 simulated draws at an accuracy of 80 %. */
const NOISE = 1.2;

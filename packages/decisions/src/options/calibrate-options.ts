/** Calibrates on choices made with weights that had not seen the options. */
import { confidenceOf, fitConfidence, type ConfidenceInput } from "../calibration/confidence.ts";
import type { Logistic } from "../calibration/logistic.ts";
import { riskCurve, type RiskPoint } from "../calibration/risk.ts";
import { fitTemperature } from "../calibration/temperature.ts";

const FOLDS = 5;

export interface JudgedChoice extends ConfidenceInput {
  readonly right: number;
}

export interface CalibratedBucket {
  readonly confidence: Logistic;
  readonly risk: readonly RiskPoint[];
  /** The confidence of each row, from a map that had not seen its fold. */
  readonly unseen: Float64Array;
}

/** A map has four numbers. Alternating rows suffice as folds, because the weights had not seen the options anyway. */
export function calibrateBucket(rows: readonly JudgedChoice[]): CalibratedBucket {
  const unseen = new Float64Array(rows.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const map = fitOn(rows.filter((_, index) => index % FOLDS !== fold));
    for (const [index, row] of rows.entries()) if (index % FOLDS === fold) unseen[index] = confidenceOf(map, row);
  }
  const right = rows.map((row) => row.right);
  return { confidence: fitOn(rows), risk: riskCurve(unseen, right), unseen };
}

function fitOn(rows: readonly JudgedChoice[]): Logistic {
  return fitConfidence(
    rows,
    rows.map(({ right }) => right),
  );
}

/** The lists may have different lengths; missing entries have the probability zero. */
export function temperatureOf(lists: readonly { readonly scores: Float64Array; readonly right: number }[]): number {
  const classes = lists.reduce((most, { scores }) => Math.max(most, scores.length), 1);
  const logits = new Float64Array(lists.length * classes).fill(-Infinity);
  for (const [index, { scores }] of lists.entries()) logits.set(scores, index * classes);
  return fitTemperature({ logits, labels: Int32Array.from(lists, ({ right }) => right), classes });
}

export interface FloorRow {
  readonly fits: number;
  readonly fitting: boolean;
}

/** The lowest floor that at most `share` of the rows without a fitting option reach. */
export function floorForFalseCalls(rows: readonly FloorRow[], share: number): number {
  const others = rows
    .filter(({ fitting }) => !fitting)
    .map(({ fits }) => fits)
    .toSorted((a, b) => b - a);
  const allowed = Math.floor(share * others.length);
  return allowed < others.length ? (others[allowed] + (others[allowed - 1] ?? 1)) / 2 : 0;
}

/**
 * The floor with the highest balanced accuracy: the mean of the share of accepted rows among those with a fitting
 * option and the share of rejected rows among the others.
 */
export function bestFloor(rows: readonly FloorRow[]): number {
  const sorted = rows.toSorted((a, b) => a.fits - b.fits);
  const fitting = Math.max(1, rows.filter((row) => row.fitting).length);
  const others = Math.max(1, rows.length - fitting);
  let floor = 0;
  let best = 0;
  let gain = 0;
  for (const [index, row] of sorted.entries()) {
    gain += row.fitting ? -1 / fitting : 1 / others;
    const next = sorted[index + 1];
    if (next === undefined || next.fits === row.fits || gain <= best) continue;
    best = gain;
    floor = (row.fits + next.fits) / 2;
  }
  return floor;
}

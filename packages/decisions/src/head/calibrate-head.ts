/**
 * Calibration of a head on rows that its models had not seen: scope map, confidence map, conformal threshold and risk
 * curve. Reported metrics come from maps that had not seen the row either (cross-fitted).
 */
import { confidenceOf, fitConfidence, topOf, type ConfidenceInput } from "../calibration/confidence.ts";
import { fitStandardized, logisticOf, type Logistic } from "../calibration/logistic.ts";
import { qhatOf, riskCurve } from "../calibration/risk.ts";
import { areaUnderRoc, choicesOf } from "../evaluate/metrics.ts";
import type { Calibration } from "./head-file.ts";
import { softmax } from "./logits.ts";
import { REFERENCE_WIDTH } from "./scope-reference.ts";

export interface CalibrationRows {
  /** n x classes; minus infinity for a route that was removed from its row. */
  readonly logits: Float64Array;
  readonly classes: number;
  /** n x REFERENCE_WIDTH. */
  readonly scope: Float64Array;
  /** Index of the right route; -1 for out of scope. */
  readonly labels: Int32Array;
  readonly foldOf: Int32Array;
  /** Weight of each row in the fits. */
  readonly weights: Float64Array;
  /** Rows of the mixture that the metrics and the risk curve count. */
  readonly counted: readonly number[];
}

export interface CalibrationSettings {
  readonly temperature: number;
  readonly alpha: number;
  readonly folds: number;
}

export interface JudgedRows {
  readonly probabilities: Float64Array;
  readonly classes: number;
  readonly labels: Int32Array;
  readonly choices: Int32Array;
  readonly right: Float64Array;
  readonly confidence: Float64Array;
}

export interface CalibratedHead {
  readonly calibration: Calibration;
  /** The counted rows, with cross-fitted confidence. */
  readonly judged: JudgedRows;
  readonly scopeAuroc: number | null;
}

/** Maximum share of in-scope rows that are classified as out of scope. */
const SCOPE_LOSS = 0.03;
/** From validation on heads of 40 to 1,400 texts. */
const CONFIDENCE_RIDGE = 0.1;

export function calibrateHead(
  rows: CalibrationRows,
  { temperature, alpha, folds }: CalibrationSettings,
): CalibratedHead {
  const { logits, classes, labels, foldOf, counted } = rows;
  const n = labels.length;
  const all = [...labels.keys()];
  const probabilities = new Float64Array(n * classes);
  for (const row of all)
    probabilities.set(softmax(logits.subarray(row * classes, (row + 1) * classes), temperature), row * classes);
  const choices = choicesOf({ probabilities, classes, labels });
  const right = Float64Array.from(labels, (label, row) => (label === choices[row] ? 1 : 0));

  const hasOutside = labels.some((label) => label < 0);
  const scope = hasOutside ? fitScope(rows, all, null) : null;
  const scopeOf = new Float64Array(n).fill(1);
  if (hasOutside)
    crossFold(all, { foldOf, folds }, (others, mine) => {
      const map = fitScope(rows, others, scope);
      for (const row of mine) scopeOf[row] = logisticOf(map, scopeRow(rows, row));
    });
  const inputs: ConfidenceInput[] = all.map((row) => {
    const { top, margin } = topOf(probabilities.subarray(row * classes, (row + 1) * classes));
    return { top, margin, scope: scopeOf[row] };
  });
  const confidence = new Float64Array(n);
  const whole = fitMap(all);
  crossFold(all, { foldOf, folds }, (others, mine) => {
    const map = fitMap(others, whole);
    for (const row of mine) confidence[row] = confidenceOf(map, inputs[row]);
  });

  const inside = all.filter((row) => labels[row] >= 0);
  const insideScope = inside.map((row) => scopeOf[row]).toSorted((a, b) => a - b);
  const judged = judgedRows(counted);
  return {
    calibration: {
      revision: 1,
      temperature,
      confidence: whole,
      scope,
      scopeFloor: hasOutside ? insideScope[Math.floor(SCOPE_LOSS * insideScope.length)] : null,
      alpha,
      qhat: qhatOf(
        inside.map((row) => probabilities[row * classes + labels[row]]),
        alpha,
      ),
      risk: riskCurve(judged.confidence, judged.right),
    },
    judged,
    scopeAuroc: hasOutside
      ? areaUnderRoc(
          insideScope,
          counted.filter((row) => labels[row] < 0).map((row) => scopeOf[row]),
        )
      : null,
  };

  function fitMap(chosen: readonly number[], start?: Logistic): Logistic {
    return fitConfidence(
      chosen.map((row) => inputs[row]),
      chosen.map((row) => right[row]),
      { weights: chosen.map((row) => rows.weights[row]), ridge: CONFIDENCE_RIDGE, ...(start && { start }) },
    );
  }

  function judgedRows(chosen: readonly number[]): JudgedRows {
    const picked = new Float64Array(chosen.length * classes);
    for (const [index, row] of chosen.entries())
      picked.set(probabilities.subarray(row * classes, (row + 1) * classes), index * classes);
    return {
      probabilities: picked,
      classes,
      labels: Int32Array.from(chosen, (row) => labels[row]),
      choices: Int32Array.from(chosen, (row) => choices[row]),
      right: Float64Array.from(chosen, (row) => right[row]),
      confidence: Float64Array.from(chosen, (row) => confidence[row]),
    };
  }
}

function fitScope(rows: CalibrationRows, chosen: readonly number[], start: Logistic | null): Logistic {
  const features = new Float64Array(chosen.length * REFERENCE_WIDTH);
  for (const [index, row] of chosen.entries()) features.set(scopeRow(rows, row), index * REFERENCE_WIDTH);
  return fitStandardized({
    features,
    width: REFERENCE_WIDTH,
    targets: chosen.map((row) => (rows.labels[row] >= 0 ? 1 : 0)),
    weights: chosen.map((row) => rows.weights[row]),
    rising: [0, 1],
    ridge: 1,
    start: start ?? undefined,
  });
}

function scopeRow({ scope }: CalibrationRows, row: number): Float64Array {
  return scope.subarray(row * REFERENCE_WIDTH, (row + 1) * REFERENCE_WIDTH);
}

function crossFold(
  all: readonly number[],
  { foldOf, folds }: { readonly foldOf: Int32Array; readonly folds: number },
  run: (others: readonly number[], mine: readonly number[]) => void,
): void {
  for (let fold = 0; fold < folds; fold++)
    run(
      all.filter((row) => foldOf[row] !== fold),
      all.filter((row) => foldOf[row] === fold),
    );
}

/**
 * Checks the `max_error` guarantee on random halves of unseen rows: one half determines the threshold, the other one
 * the error. The baseline is the lowest threshold that meets the target without a statistical test. Errors on the
 * second half vary, so `met` is slightly below 95 %. `promise` tests the guarantee directly: the calibration draws half
 * as many rows, with replacement.
 */
import { riskCurve, thresholdFor, type RiskPoint } from "../../src/calibration/risk.ts";
import { mean } from "../../src/evaluate/metrics.ts";
import { shuffle, xorshift } from "../../src/math/xorshift.ts";
import { readChoiceRows } from "../choice-rows.ts";
import type { IntentHeads } from "../intent-heads.ts";
import { askHead, rightOf } from "../judge-head.ts";
import { isJudgedBy, readPhrasings } from "../phrasings.ts";
import type { Column, Row } from "../table.ts";
import { isLeftOut, QUICK_SHOTS } from "./custom-heads.ts";
import { isSelected, type Evaluation } from "./evaluation.ts";
import { unseenChoices } from "./options.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "max_error", width: 18 },
  { key: "errorRate", title: "rate", width: 6, as: "share" },
  { key: "n", title: "n", width: 5 },
  { key: "draws", title: "draws", width: 6 },
  { key: "promise", title: "promise", width: 8, as: "share" },
  { key: "met", title: "met", width: 6, as: "share" },
  { key: "without", title: "silent", width: 7, as: "share" },
  { key: "error", title: "error", width: 6, as: "share" },
  { key: "coverage", title: "coverage", width: 9, as: "share" },
  { key: "untested_met", title: "untested", width: 9, as: "share" },
  { key: "own_error", title: "own error", width: 10, as: "share" },
  { key: "own_coverage", title: "coverage", width: 9, as: "share" },
];
const ERROR_RATES = [0.01, 0.02, 0.05, 0.1, 0.2];
const DRAWS = { quick: 40, full: 200 };
const SEED = 0x2545f491;

export interface Answered {
  readonly confidence: ArrayLike<number>;
  readonly right: ArrayLike<number>;
}

interface Source extends Answered {
  readonly task: string;
  /** The risk curve from the training of the head; null if there is none. */
  readonly own: readonly RiskPoint[] | null;
}

export function evaluateRisk(evaluation: Evaluation, heads: IntentHeads): void {
  if (!isSelected(evaluation, "max_error")) return;
  const print = evaluation.table("max_error", COLUMNS);
  const draws = evaluation.quick ? DRAWS.quick : DRAWS.full;
  const sources = [
    () => intents(evaluation, heads, "BANKING77"),
    ...(isLeftOut(evaluation, "CLINC150") ? [] : [() => intents(evaluation, heads, "CLINC150")]),
    () => phrased(evaluation),
    () => choices(evaluation),
  ];
  for (const source of sources)
    evaluation.attempt("max_error", () => {
      const { task, own, ...answered } = source();
      evaluation.say(`max_error: ${task}`);
      for (const errorRate of ERROR_RATES)
        print({
          task,
          errorRate,
          n: answered.right.length,
          draws,
          ...riskFigures(answered, { errorRate, draws }),
          promise: promiseRate(answered, { errorRate, draws }),
          ...ownOf(answered, own, errorRate),
        });
    });
}

/** Includes out-of-scope rows, for which no decision is correct. */
function intents(evaluation: Evaluation, heads: IntentHeads, set: "BANKING77" | "CLINC150"): Source {
  const shots = evaluation.quick ? QUICK_SHOTS : "train";
  const { head } = heads.head(set, shots, evaluation.seeds[0]);
  const rows = heads.rows(set);
  const predictions = askHead(rows.trunk, head, [
    ...rows.valid,
    ...rows.outsideValid,
    ...(rows.test ?? []),
    ...(rows.outsideTest ?? []),
  ]);
  const task = `${set}${rows.test === null ? "" : " + test"}`;
  return { task, confidence: predictions.confidence, right: rightOf(predictions), own: head.calibration.risk };
}

function phrased({ shipped }: Evaluation): Source {
  const head = shipped.experts.get("tools");
  if (head === undefined) throw new Error("The release has no expert tools.");
  const rows = (["en", "fr"] as const).flatMap((language) => readPhrasings("tools", language).filter(isJudgedBy));
  const labelled = rows.map(({ text, route }) => ({ text, label: route }));
  const predictions = askHead(shipped.trunk, head, labelled);
  return { task: "tools", confidence: predictions.confidence, right: rightOf(predictions), own: head.calibration.risk };
}

function choices({ data, trunk }: Evaluation): Source {
  const { decided } = unseenChoices(trunk, readChoiceRows(data));
  return {
    task: "options, BFCL",
    confidence: decided.map(({ confidence }) => confidence),
    right: decided.map(({ right }) => (right ? 1 : 0)),
    own: null,
  };
}

export function riskFigures(
  answered: Answered,
  { errorRate, draws }: { readonly errorRate: number; readonly draws: number },
): Row {
  const random = xorshift(SEED);
  const order = Int32Array.from({ length: answered.right.length }, (_, row) => row);
  const half = order.length >> 1;
  const seen = Array.from({ length: draws }, () => {
    shuffle(order, random);
    const first = part(answered, order.subarray(0, half));
    const second = part(answered, order.subarray(half));
    const curve = riskCurve(first.confidence, first.right);
    return {
      tested: errorAbove(second, thresholdFor(curve, errorRate)),
      untested: errorAbove(second, untestedThreshold(curve, errorRate)),
    };
  });
  const tested = seen.map((draw) => draw.tested);
  const isWithin = ({ error }: Above) => (error <= errorRate ? 1 : 0);
  return {
    met: mean(tested.map(isWithin)),
    without: mean(tested.map(({ threshold }) => (threshold === null ? 1 : 0))),
    error: mean(tested.map(({ error }) => error)),
    coverage: mean(tested.map(({ coverage }) => coverage)),
    untested_met: mean(seen.map(({ untested }) => isWithin(untested))),
    untested_coverage: mean(seen.map(({ untested }) => untested.coverage)),
  };
}

/** The share of calibrations whose threshold meets the target on all rows. */
export function promiseRate(
  answered: Answered,
  { errorRate, draws }: { readonly errorRate: number; readonly draws: number },
): number {
  const random = xorshift(SEED);
  const n = answered.right.length;
  const outcomes = Array.from({ length: draws }, () => {
    const drawn = part(
      answered,
      Int32Array.from({ length: n >> 1 }, () => Math.floor(random() * n)),
    );
    const threshold = thresholdFor(riskCurve(drawn.confidence, drawn.right), errorRate);
    return errorAbove(answered, threshold).error <= errorRate ? 1 : 0;
  });
  return mean(outcomes);
}

function ownOf(answered: Answered, own: readonly RiskPoint[] | null, errorRate: number): Row {
  if (own === null) return { own_error: null, own_coverage: null };
  const { error, coverage, threshold } = errorAbove(answered, thresholdFor(own, errorRate));
  return { own_error: threshold === null ? null : error, own_coverage: coverage };
}

export interface Above {
  readonly threshold: number | null;
  readonly error: number;
  readonly coverage: number;
}

export function errorAbove({ confidence, right }: Answered, threshold: number | null): Above {
  if (threshold === null) return { threshold, error: 0, coverage: 0 };
  const accepted = Array.from(right).filter((_, row) => confidence[row] >= threshold);
  const error = accepted.length === 0 ? 0 : 1 - mean(accepted);
  return { threshold, error, coverage: accepted.length / right.length };
}

function untestedThreshold(curve: readonly RiskPoint[], errorRate: number): number | null {
  return curve.findLast(([, rows, wrong]) => wrong / rows <= errorRate)?.[0] ?? null;
}

export function part({ confidence, right }: Answered, rows: Int32Array): Answered {
  return {
    confidence: Float64Array.from(rows, (row) => confidence[row]),
    right: Float64Array.from(rows, (row) => right[row]),
  };
}

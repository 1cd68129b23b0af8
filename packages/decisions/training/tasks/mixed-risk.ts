/**
 * Checks `max_error` when 40 % of the requests are out of scope. A head without out-of-scope examples is trained for
 * that share. Both its own threshold and the threshold from a labelled sample of half the rows (as chosen by `router
 * calibrate`) are evaluated on draws of the folds.
 */
import { riskCurve, SAMPLED_DELTA, thresholdFor } from "../../src/calibration/risk.ts";
import { mean } from "../../src/evaluate/metrics.ts";
import { shuffle, xorshift } from "../../src/math/xorshift.ts";
import { asExamples, learnHead, type IntentHeads } from "../intent-heads.ts";
import { askHead, rightOf } from "../judge-head.ts";
import type { Column } from "../table.ts";
import { INTENT_SETS, type IntentSet } from "../trunk-sources.ts";
import { isLeftOut, QUICK_SHOTS } from "./custom-heads.ts";
import { isSelected, type Evaluation } from "./evaluation.ts";
import { errorAbove, part, type Above, type Answered } from "./risk-coverage.ts";
import { OUTSIDE_PER_INSIDE, sample, strangersTo } from "./strangers.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "40 % oos", width: 20 },
  { key: "errorRate", title: "rate", width: 6, as: "share" },
  { key: "n", title: "in", width: 6 },
  { key: "outside", title: "out", width: 5 },
  { key: "draws", title: "draws", width: 6 },
  { key: "own_met", title: "own met", width: 9, as: "share" },
  { key: "own_error", title: "error", width: 7, as: "share" },
  { key: "own_coverage", title: "coverage", width: 9, as: "share" },
  { key: "met", title: "calibrated", width: 11, as: "share" },
  { key: "error", title: "error", width: 7, as: "share" },
  { key: "coverage", title: "coverage", width: 9, as: "share" },
];
const ERROR_RATES = [0.02, 0.05, 0.1];
const OUT_OF_SCOPE_SHARE = 0.4;
const DRAWS = { quick: 20, full: 100 };
const SEED = 0x428a2f98;

export function evaluateMixedRisk(evaluation: Evaluation, heads: IntentHeads): void {
  if (!isSelected(evaluation, "max_error")) return;
  const print = evaluation.table("max_error, 40 % out of scope", COLUMNS);
  const draws = evaluation.quick ? DRAWS.quick : DRAWS.full;
  for (const set of INTENT_SETS.filter((name) => !isLeftOut(evaluation, name)))
    evaluation.attempt("max_error", () => {
      const { own, inside, outside, ...answered } = answersOf(evaluation, heads, set);
      for (const errorRate of ERROR_RATES)
        print({
          task: set,
          errorRate,
          n: inside,
          outside,
          draws,
          ...mixedFigures(answered, { errorRate, draws, own: thresholdFor(own, errorRate) }),
        });
    });
}

function answersOf(evaluation: Evaluation, heads: IntentHeads, set: IntentSet) {
  evaluation.say(`max_error: ${set} with 40 % out of scope`);
  const { trunk, valid } = heads.rows(set);
  const train = heads.train(set, evaluation.quick ? QUICK_SHOTS : "train");
  const { head } = learnHead(trunk, asExamples(train), evaluation.seeds[0], OUT_OF_SCOPE_SHARE);
  const strangers = strangersTo(set, { heads, data: evaluation.data });
  const inside = sample(valid, Math.round(strangers.length / OUTSIDE_PER_INSIDE));
  const outside = sample(strangers, Math.round(inside.length * OUTSIDE_PER_INSIDE));
  // An out-of-scope label matches no route.
  const rows = [...inside, ...outside.map(({ text }) => ({ text, label: "oos" }))];
  const predictions = askHead(trunk, head, rows);
  return {
    own: head.calibration.risk,
    inside: inside.length,
    outside: outside.length,
    confidence: predictions.confidence,
    right: rightOf(predictions),
  };
}

interface MixedOptions {
  readonly errorRate: number;
  readonly draws: number;
  readonly own: number | null;
}

/** Each draw takes half of the rows for calibration, and counts errors in the other half. */
export function mixedFigures(answered: Answered, { errorRate, draws, own }: MixedOptions) {
  const random = xorshift(SEED);
  const order = Int32Array.from({ length: answered.right.length }, (_, row) => row);
  const half = order.length >> 1;
  const drawn = Array.from({ length: draws }, () => {
    shuffle(order, random);
    const sampled = part(answered, order.subarray(0, half));
    const rest = part(answered, order.subarray(half));
    const calibrated = thresholdFor(riskCurve(sampled.confidence, sampled.right), errorRate, {
      delta: SAMPLED_DELTA,
    });
    return { own: errorAbove(rest, own), calibrated: errorAbove(rest, calibrated) };
  });
  const isWithin = ({ error }: Above) => (error <= errorRate ? 1 : 0);
  const ownDraws = drawn.map((draw) => draw.own);
  const calibratedDraws = drawn.map((draw) => draw.calibrated);
  return {
    own_met: mean(ownDraws.map(isWithin)),
    own_error: mean(ownDraws.map(({ error }) => error)),
    own_coverage: mean(ownDraws.map(({ coverage }) => coverage)),
    met: mean(calibratedDraws.map(isWithin)),
    error: mean(calibratedDraws.map(({ error }) => error)),
    coverage: mean(calibratedDraws.map(({ coverage }) => coverage)),
  };
}

/**
 * Evaluates heads, one for each training seed, on labelled rows: mean metrics, their spread over the seeds, and
 * intervals.
 */
import {
  bootstrap95,
  calibrationError,
  choicesOf,
  figuresOf,
  mean,
  type Predictions,
} from "../src/evaluate/metrics.ts";
import type { Head } from "../src/head/load-head.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import type { Labelled } from "./labelled-rows.ts";
import type { Classifier } from "./linear-baselines.ts";
import type { Cell, Row } from "./table.ts";

/** An unknown label matches no route and counts as wrong. */
export function askHead(trunk: Trunk, head: Head, rows: readonly Labelled[]): Predictions {
  const indexByRoute = new Map(head.routes.map(({ route }, index) => [route, index]));
  const classes = head.routes.length;
  const probabilities = new Float64Array(rows.length * classes);
  const confidence = new Float64Array(rows.length);
  for (const [row, { text }] of rows.entries()) {
    const decision = head.decide(trunk.encode(text));
    probabilities.set(decision.probabilities, row * classes);
    confidence[row] = decision.confidence;
  }
  return {
    probabilities,
    classes,
    confidence,
    labels: Int32Array.from(rows, ({ label }) => indexByRoute.get(label) ?? -1),
  };
}

/** For each row, 1 if its label is the most likely one, otherwise 0. */
export function rightOf(predictions: Predictions): number[] {
  const choices = choicesOf(predictions);
  return Array.from(predictions.labels, (label, row) => (label === choices[row] ? 1 : 0));
}

/**
 * The metrics of the heads of all seeds on the same rows, as members of a report row: means, the spread over the seeds
 * (`…_sd`), and intervals of the first seed.
 */
export function figuresOfSeeds(seeds: readonly Predictions[], draws: number): Row {
  const all = seeds.map(figuresOf);
  const [first] = seeds;
  const right = rightOf(first);
  const named = {
    accuracy: all.map(({ accuracy }) => accuracy),
    macro_f1: all.map(({ macroF1 }) => macroF1),
    nll: all.map(({ nll }) => nll),
    brier: all.map(({ brier }) => brier),
    ece: all.map(({ ece }) => ece),
    aurc: all.map(({ aurc }) => aurc),
    coverage_at_95: all.map(({ coverageAt95 }) => coverageAt95),
    wrong_at_90: all.flatMap(({ wrongAt90 }) => wrongAt90 ?? []),
  };
  return {
    n: right.length,
    ...Object.fromEntries(Object.entries(named).flatMap(([name, values]) => overSeeds(name, values))),
    accuracy_ci95: intervalOfShare(right, draws),
    ece_ci95: bootstrap95(
      right.length,
      (drawn) =>
        calibrationError(
          Array.from(drawn, (row) => first.confidence[row]),
          Array.from(drawn, (row) => right[row]),
        ),
      { draws },
    ),
  };
}

/** A single seed has no spread, and without values there is no mean. */
export function overSeeds(name: string, values: readonly number[]): readonly (readonly [string, Cell])[] {
  const middle = mean(values);
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
  return [
    [name, values.length === 0 ? null : middle],
    [`${name}_sd`, values.length < 2 ? null : spread],
  ];
}

export function intervalOfShare(right: readonly number[], draws: number): [number, number] {
  const [low, high] = bootstrap95(right.length, (drawn) => mean(Array.from(drawn, (row) => right[row])), { draws });
  return [low, Math.min(1, high)];
}

export function accuracyOf({ labels, decide }: Classifier, rows: readonly Labelled[]): number {
  return mean(rows.map(({ text, label }) => (likeliest(labels, decide(text)) === label ? 1 : 0)));
}

export function likeliest(labels: readonly string[], probabilities: Float64Array): string {
  return labels[probabilities.indexOf(Math.max(...probabilities))];
}

/** The share of the most common label: the accuracy of the best constant prediction. */
export function majorityOf(labels: readonly (string | null)[]): number {
  const counts = [...Map.groupBy(labels, (label) => label).values()].map((members) => members.length);
  return Math.max(0, ...counts) / Math.max(1, labels.length);
}

/**
 * Evaluates escalation on rows of other folds, which are redrawn for each seed, and compares it with the surface
 * signals alone. Test splits use the shipped model after the decision of the shipped experts.
 */
import { areaUnderRoc, bootstrap95, calibrationError, mean } from "../../src/evaluate/metrics.ts";
import { probabilityOf } from "../../src/features/load-noul.ts";
import { fitNoul, NOUL_THRESHOLD } from "../../src/features/train-features.ts";
import { drawnFolds } from "../folds.ts";
import { overSeeds } from "../judge-head.ts";
import { performanceGapRecovered, SURFACE_ONLY, unseenNoul } from "../judge-features.ts";
import { answeredRow, isAnswered, readNoulRows, type AnsweredRow, type SourcedNoulRow } from "../noul-rows.ts";
import type { Column, Row } from "../table.ts";
import { drawsOf } from "./custom-heads.ts";
import { HELD_OUT, isSelected, type Evaluation } from "./evaluation.ts";
import { aurocInterval } from "./scope.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "escalation", width: 12 },
  { key: "folds", title: "folds", width: 7 },
  { key: "n", title: "n", width: 6 },
  { key: "base", title: "base", width: 5, as: "share" },
  { key: "auroc", title: "AUROC", width: 6, as: "share" },
  { key: "auroc_sd", title: "sd", width: 4, as: "share" },
  { key: "auroc_ci95", title: "95 %", width: 10, as: "share" },
  { key: "surface_auroc", title: "surf.", width: 6, as: "share" },
  { key: "apgr", title: "APGR", width: 6, as: "figure" },
  { key: "apgr_sd", title: "sd", width: 6, as: "figure" },
  { key: "surface_apgr", title: "surf.", width: 6, as: "figure" },
  { key: "ece", title: "ECE", width: 5, as: "share" },
  { key: "ece_ci95", title: "95 %", width: 10, as: "share" },
  { key: "recall", title: "rec.", width: 5, as: "share" },
  { key: "false_alarms", title: "fa.", width: 5, as: "share" },
];
const FOLDS = 3;
const QUICK = 12;
const RELIABILITY_BINS = 10;

export function evaluateEscalation(evaluation: Evaluation): void {
  if (!isSelected(evaluation, "escalation")) return;
  const print = evaluation.table("escalation", COLUMNS);
  const { quick, data, trunk, say } = evaluation;
  evaluation.attempt("escalation", () => {
    say("escalation: rows");
    const rows = readNoulRows(data, trunk, { every: quick ? QUICK : 1 });
    unseenRows(evaluation, rows, print);
    evaluation.attempt("escalation, test splits", () => testRows(evaluation, rows, print));
  });
}

function unseenRows(
  { trunk, seeds, quick, say }: Evaluation,
  rows: readonly SourcedNoulRow[],
  print: (row: Row) => void,
): void {
  const groups = { groups: rows.map(({ group }) => group), random: [...rows.keys()].map(String) };
  for (const [folds, members] of Object.entries(groups)) {
    if (quick && folds === "random") continue;
    const predictions = seeds.map((seed) => {
      say(`escalation: folds ${folds}, seed ${seed}`);
      return unseenNoul(trunk, rows, { foldOf: drawnFolds(members, FOLDS, seed) });
    });
    const foldOf = drawnFolds(members, FOLDS, seeds[0]);
    const surface = unseenNoul(trunk, rows, { foldOf, ridge: SURFACE_ONLY });
    for (const [task, own] of Map.groupBy([...rows.keys()], (row) => rows[row].source)) {
      if (folds === "random" && !isQuestion(task)) continue;
      const figures = figuresOf(
        own.map((row) => rows[row]),
        {
          predictions: predictions.map((p) => own.map((row) => p[row])),
          surface: own.map((row) => surface[row]),
          draws: drawsOf(quick),
        },
      );
      print({ task, folds, ...figures });
    }
  }
}

function testRows(evaluation: Evaluation, learned: readonly SourcedNoulRow[], print: (row: Row) => void): void {
  const { shipped, trunk, quick } = evaluation;
  const expert = shipped.experts.get("tools");
  if (expert === undefined) throw new Error("The release has no expert tools.");
  for (const [task, file] of [
    ["mmlu", "escalate/routellm_mmlu_test.jsonl"],
    ["gsm8k", "escalate/routellm_gsm8k_test.jsonl"],
  ] as const) {
    const found: readonly AnsweredRow[] | null = evaluation.test(file, isAnswered);
    if (found === null) {
      print({ task, folds: "test", n: HELD_OUT });
      continue;
    }
    const rows = found.map((row) => {
      const encoding = shipped.trunk.encode(row.text);
      const { confidence, margin, scope } = expert.decide(encoding);
      return answeredRow({ state: row.text, encoding, confidence, margin, scope }, task, row);
    });
    const surface = fitNoul(trunk, learned, SURFACE_ONLY);
    const figures = figuresOf(rows, {
      predictions: [rows.map((row) => shipped.noul.decide(row).pYes)],
      surface: rows.map((row) => probabilityOf(surface, row)),
      draws: drawsOf(quick),
    });
    print({ task, folds: "test", ...figures });
  }
}

interface SeedPredictions {
  /** For each seed, the probabilities of the rows. */
  readonly predictions: readonly (readonly number[])[];
  readonly surface: readonly number[];
  readonly draws: number;
}

function figuresOf(rows: readonly SourcedNoulRow[], { predictions, surface, draws }: SeedPredictions): Row {
  const [first] = predictions;
  const right = rows.map(({ escalate }) => (escalate ? 1 : 0));
  const caught = first.map((probability) => (probability >= NOUL_THRESHOLD ? 1 : 0));
  const positives = first.filter((_, row) => right[row] === 1);
  const negatives = first.filter((_, row) => right[row] === 0);
  const hasGap = isQuestion(rows[0].source);
  return {
    n: rows.length,
    base: mean(right),
    mean_p: mean(first),
    ...Object.fromEntries(
      overSeeds(
        "auroc",
        predictions.map((p) => auroc(p, right)),
      ),
    ),
    auroc_ci95: aurocInterval(positives, negatives, draws),
    surface_auroc: auroc(surface, right),
    ...(hasGap && {
      ...Object.fromEntries(
        overSeeds(
          "apgr",
          predictions.map((p) => performanceGapRecovered(p, rows)),
        ),
      ),
      surface_apgr: performanceGapRecovered(surface, rows),
    }),
    ece: mean(predictions.map((p) => calibrationError(p, right))),
    ece_ci95: bootstrap95(
      rows.length,
      (drawn) =>
        calibrationError(
          Array.from(drawn, (row) => first[row]),
          Array.from(drawn, (row) => right[row]),
        ),
      { draws },
    ),
    surface_ece: calibrationError(surface, right),
    recall: mean(caught.filter((_, row) => right[row] === 1)),
    false_alarms: mean(caught.filter((_, row) => right[row] === 0)),
    chance: 0.5,
    majority: Math.max(mean(right), 1 - mean(right)),
    ...reliabilityOf(first, right),
  };
}

/** The mean prediction and the observed rate in bins of equal mass. */
function reliabilityOf(p: readonly number[], right: readonly number[]): Row {
  const order = [...p.keys()].sort((a, b) => p[a] - p[b] || a - b);
  const count = Math.min(RELIABILITY_BINS, order.length);
  const edge = (bin: number) => Math.floor((bin * order.length) / count);
  const bins = Array.from({ length: count }, (_, bin) => order.slice(edge(bin), edge(bin + 1)));
  return {
    reliability_said: bins.map((rows) => mean(rows.map((row) => p[row]))),
    reliability_seen: bins.map((rows) => mean(rows.map((row) => right[row]))),
  };
}

function isQuestion(source: string): boolean {
  return source === "mmlu" || source === "gsm8k";
}

function auroc(scores: readonly number[], right: readonly number[]): number {
  return areaUnderRoc(
    scores.filter((_, row) => right[row] === 1),
    scores.filter((_, row) => right[row] === 0),
  );
}

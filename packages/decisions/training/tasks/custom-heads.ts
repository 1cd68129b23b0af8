/**
 * Evaluates custom heads on data sets that the trunk was not trained on, on `valid` and, if available, `test`. Unknown
 * sets use their own train split, or label names as options if they have none. The baselines have no trained trunk.
 */
import type { Predictions } from "../../src/evaluate/metrics.ts";
import { normaliseText } from "../../src/text/readable.ts";
import {
  asExamples,
  asOutside,
  isInside,
  isIntentSet,
  learnHead,
  trainBaselines,
  type Baselines,
  type IntentHeads,
  type LearnedHead,
  type Shots,
} from "../intent-heads.ts";
import { accuracyOf, askHead, figuresOfSeeds, majorityOf } from "../judge-head.ts";
import { isLabelled, type Labelled } from "../labelled-rows.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import type { Column, Row } from "../table.ts";
import { INTENT_SETS, type IntentSet } from "../trunk-sources.ts";
import { HELD_OUT, isSelected, type Evaluation, type JudgedTrunk } from "./evaluation.ts";

const NAMED: readonly Column[] = [
  { key: "task", title: "heads", width: 12 },
  { key: "train", title: "train", width: 10 },
  { key: "on", title: "on", width: 6 },
];
const COLUMNS: readonly Column[] = [
  ...NAMED,
  { key: "trunk", title: "trunk", width: 7 },
  { key: "n", title: "n", width: 6 },
  { key: "accuracy", title: "acc", width: 6, as: "share" },
  { key: "accuracy_sd", title: "sd", width: 5, as: "share" },
  { key: "accuracy_ci95", title: "95 %", width: 11, as: "share" },
  { key: "tfidf", title: "tf-idf", width: 7, as: "share" },
  { key: "words", title: "words", width: 6, as: "share" },
  { key: "random", title: "random", width: 7, as: "share" },
  { key: "chance", title: "chance", width: 7, as: "share" },
  { key: "majority", title: "major.", width: 7, as: "share" },
];
export const CALIBRATION: readonly Column[] = [
  ...NAMED,
  { key: "macro_f1", title: "F1", width: 6, as: "share" },
  { key: "nll", title: "NLL", width: 7, as: "figure" },
  { key: "brier", title: "Brier", width: 7, as: "figure" },
  { key: "ece", title: "ECE", width: 6, as: "share" },
  { key: "ece_ci95", title: "95 %", width: 11, as: "share" },
  { key: "aurc", title: "AURC", width: 7, as: "figure" },
  { key: "coverage_at_95", title: "c@95", width: 6, as: "share" },
  { key: "wrong_at_90", title: "w@.9", width: 6, as: "share" },
  { key: "part", title: "part", width: 8 },
  { key: "seconds", title: "s", width: 7, as: "count" },
];

/** 150 routes take a third of the minute of a quick run, so they are skipped unless they are named. */
export function isLeftOut({ quick, only }: Evaluation, set: IntentSet): boolean {
  return quick && only === null && set === "CLINC150";
}

export const QUICK_SHOTS = "train_5";

export function evaluateHeads(evaluation: Evaluation, heads: IntentHeads, randomTrunk: () => Trunk): void {
  const print = evaluation.table("heads", COLUMNS);
  const printedRows: Row[] = [];
  const row = (line: Row): void => {
    print(line);
    printedRows.push(line);
  };
  for (const set of INTENT_SETS)
    if (isSelected(evaluation, set) && !isLeftOut(evaluation, set)) publicSet(evaluation, heads, { set, row });
  const foreign = evaluation.tests.intentSets().filter((set) => !isIntentSet(set) && isSelected(evaluation, set));
  for (const set of foreign)
    evaluation.attempt(set, () => foreignSet(evaluation, { set, row, randomTrunk: randomTrunk() }));
  if (isSelected(evaluation, "HINT3") && !foreign.some((set) => set.startsWith("HINT3")))
    row({ task: "HINT3", train: "-", on: "test", trunk: "unseen", n: HELD_OUT });
  const calibration = evaluation.table("calibration of heads", CALIBRATION);
  for (const line of printedRows.filter(({ accuracy }) => accuracy !== undefined)) calibration(line);
}

interface PublicSet {
  readonly set: IntentSet;
  readonly row: (row: Row) => void;
}

function publicSet(evaluation: Evaluation, heads: IntentHeads, { set, row }: PublicSet): void {
  const shots: readonly Shots[] = evaluation.quick ? [QUICK_SHOTS] : ["train_5", "train_10", "train"];
  for (const train of shots)
    evaluation.attempt(`${set}, ${train}`, () => {
      const rows = heads.rows(set);
      const learned = evaluation.seeds.map((seed) => heads.head(set, train, seed));
      const baselines = heads.baselines(set, train);
      for (const on of ["valid", "test"] as const) {
        const name = { task: set, train, on, trunk: rows.seen };
        const judged = rows[on];
        if (judged === null) row({ ...name, n: HELD_OUT });
        else row({ ...name, ...rowOf({ learned, trunk: rows.trunk, judged, baselines }, evaluation.quick) });
      }
    });
}

interface ForeignSet {
  readonly set: string;
  readonly row: (row: Row) => void;
  readonly randomTrunk: Trunk;
}

/** No shipped model was trained on it. The training data of its head is next to its test split. */
function foreignSet(evaluation: Evaluation, { set, row, randomTrunk }: ForeignSet): void {
  const { tests, trunk, seeds, quick } = evaluation;
  const judged = tests.rows(`intents/${set}/test.jsonl`, isLabelled)?.filter(isInside) ?? [];
  if (judged.length === 0) return row({ task: set, train: "-", on: "test", trunk: "unseen", n: HELD_OUT });
  const train = tests.rows(`intents/${set}/train.jsonl`, isLabelled);
  const name = { task: set, on: "test", trunk: "unseen" };
  if (train === null) return row({ ...name, train: "no text", ...byNames(evaluation, judged) });
  const inside = train.filter(isInside);
  const learnedTexts = new Set(train.map(({ text }) => normaliseText(text)));
  const examples = [...asExamples(inside), ...asOutside(train.filter((item) => !isInside(item)))];
  const measured = {
    learned: seeds.map((seed) => learnHead(trunk, examples, seed)),
    trunk,
    judged: judged.filter(({ text }) => !learnedTexts.has(normaliseText(text))),
    baselines: trainBaselines(inside, randomTrunk),
  };
  row({ ...name, train: "train", ...rowOf(measured, quick) });
}

function byNames({ shipped, quick }: Evaluation, judged: readonly Labelled[]): Row {
  const labels = [...new Set(judged.map(({ label }) => label))];
  const entries = labels.map((label) => ({
    label,
    description: label.replaceAll(/[_-]+/g, " "),
    parameters: [],
    examples: [],
  }));
  const vocabulary = shipped.options.vocabulary(entries);
  const decided = judged.map(({ text }) => shipped.options.decide(shipped.trunk.encode(text), vocabulary));
  const probabilities = new Float64Array(judged.length * labels.length);
  for (const [index, decision] of decided.entries()) probabilities.set(decision.probabilities, index * labels.length);
  const predictions: Predictions = {
    probabilities,
    classes: labels.length,
    labels: Int32Array.from(judged, ({ label }) => vocabulary.labels.indexOf(label)),
    confidence: Float64Array.from(decided, ({ confidence }) => confidence),
  };
  return {
    ...figuresOfSeeds([predictions], drawsOf(quick)),
    chance: 1 / labels.length,
    majority: majorityOf(judged.map(({ label }) => label)),
    part: "options",
  };
}

interface Measured extends Pick<JudgedTrunk, "trunk"> {
  readonly learned: readonly LearnedHead[];
  readonly judged: readonly Labelled[];
  readonly baselines: Baselines;
}

export function rowOf({ learned, trunk, judged, baselines }: Measured, quick: boolean): Row {
  const [{ head, rejected, seconds }] = learned;
  const predictions = learned.map((result) => askHead(trunk, result.head, judged));
  return {
    ...figuresOfSeeds(predictions, drawsOf(quick)),
    tfidf: accuracyOf(baselines.tfidf, judged),
    words: accuracyOf(baselines.words, judged),
    random: accuracyOf(baselines.random, judged),
    chance: 1 / head.routes.length,
    majority: majorityOf(judged.map(({ label }) => label)),
    part: rejected ?? head.via,
    seconds: seconds === 0 ? null : Math.round(10 * seconds) / 10,
  };
}

export function drawsOf(quick: boolean): number {
  return quick ? 50 : 400;
}

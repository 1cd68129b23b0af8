/**
 * Compares heads with classifiers that a user could choose instead, on the same texts: development folds, with trunks
 * that were not trained on the data set, and foreign sets of --data. If there are enough out-of-scope texts, 40 % of
 * the evaluated texts are such; no decision is right for them. The other classifiers are installed first.
 */
import { loadBackground } from "../../src/background/background.ts";
import { areaUnderRoc, calibrationError, macroF1, mean } from "../../src/evaluate/metrics.ts";
import { normaliseText } from "../../src/text/readable.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { asExamples, isInside, isIntentSet, learnHead, type IntentHeads } from "../intent-heads.ts";
import { isLabelled, type Labelled } from "../labelled-rows.ts";
import { installPeers, PEERS, runPeer, type PeerResult, type PeerTask } from "../peers/run-peer.ts";
import type { Column, Row } from "../table.ts";
import { INTENT_SETS } from "../trunk-sources.ts";
import { isSelected, type Evaluation } from "./evaluation.ts";
import { OUTSIDE_PER_INSIDE, sample, strangersTo } from "./strangers.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "peers", width: 26 },
  { key: "method", title: "method", width: 14 },
  { key: "train", title: "train", width: 6 },
  { key: "n", title: "n", width: 5 },
  { key: "outside", title: "oos", width: 5 },
  { key: "accuracy", title: "acc", width: 6, as: "share" },
  { key: "macro_f1", title: "F1", width: 6, as: "share" },
  { key: "ece", title: "ECE", width: 6, as: "share" },
  { key: "auroc", title: "AUROC", width: 7, as: "share" },
  { key: "seconds", title: "s", width: 7, as: "figure" },
  { key: "us", title: "us", width: 8, as: "count" },
];
const FIGURES = ["accuracy", "macro_f1", "ece", "auroc", "seconds", "us"] as const;
const OURS = "ours";
/** Enough for a metric; the other classifiers take milliseconds per decision. */
const INSIDE_MAX = 600;

interface Contest {
  readonly task: string;
  readonly trunk: Trunk;
  readonly seed: number;
  readonly language: string;
  readonly train: readonly Labelled[];
  readonly inside: readonly Labelled[];
  readonly outside: readonly Labelled[];
}

export function evaluatePeers(evaluation: Evaluation, heads: IntentHeads): void {
  const print = evaluation.table("peers", COLUMNS);
  evaluation.attempt("peers", () => {
    installPeers();
    compete(evaluation, { print, mean: "mean of folds", contests: foldContests(evaluation, heads) });
    compete(evaluation, { print, mean: "mean of foreign sets", contests: foreignContests(evaluation) });
  });
}

interface Competition {
  readonly print: (row: Row) => void;
  /** The name of the rows that contain means. */
  readonly mean: string;
  readonly contests: readonly (() => Contest)[];
}

function compete(evaluation: Evaluation, { print, mean: name, contests }: Competition): void {
  const rows: Row[] = [];
  for (const contestOf of contests)
    evaluation.attempt("peers", () => {
      const contest = contestOf();
      for (const method of [OURS, ...PEERS] as const) {
        evaluation.say(`${contest.task}: ${method}`);
        evaluation.attempt(`${contest.task}, ${method}`, () => {
          const row = { task: contest.task, method, ...figuresOfContest(contest, method) };
          rows.push(row);
          print(row);
        });
      }
    });
  for (const [method, group] of Map.groupBy(rows, (row) => row["method"]))
    print({
      task: `${name} (${group.length})`,
      method,
      ...Object.fromEntries(FIGURES.map((key) => [key, meanOf(group, key)])),
    });
}

function figuresOfContest(contest: Contest, method: typeof OURS | (typeof PEERS)[number]): Row {
  const { language, train, inside, outside } = contest;
  const task = { language, train, texts: [...inside, ...outside].map(({ text }) => text) };
  const { answers, seconds, microsecondsPerDecision } =
    method === OURS ? runHead(contest, task) : runPeer(method, task);
  const labels = [...new Set(train.map(({ label }) => label))];
  const indexOf = new Map(labels.map((label, index) => [label, index]));
  const targets = Int32Array.from(inside, ({ label }) => indexOf.get(label) ?? -1);
  const choices = Int32Array.from(inside, (_, row) => indexOf.get(answers[row].label) ?? -1);
  const right = answers.map(({ label }, row) => (row < inside.length && label === inside[row].label ? 1 : 0));
  const confidence = answers.flatMap((answer) => answer.confidence ?? []);
  const scores = answers.map(({ score }) => score);
  return {
    train: train.length,
    n: inside.length,
    outside: outside.length,
    accuracy: mean(right.slice(0, inside.length)),
    macro_f1: macroF1(targets, choices, labels.length),
    ece: confidence.length < answers.length ? null : calibrationError(confidence, right),
    auroc: outside.length === 0 ? null : areaUnderRoc(scores.slice(0, inside.length), scores.slice(inside.length)),
    seconds,
    us: Math.round(microsecondsPerDecision),
  };
}

/** As with the other classifiers, decisions are timed in a second pass. */
function runHead({ trunk, seed }: Contest, { train, texts }: PeerTask): PeerResult {
  const { head, seconds } = learnHead(trunk, asExamples(train), seed);
  const decide = (text: string) => {
    const { probabilities, confidence } = head.decide(trunk.encode(text));
    const label = head.routes[probabilities.indexOf(Math.max(...probabilities))].route;
    return { label, score: confidence, confidence };
  };
  const answers = texts.map(decide);
  const before = performance.now();
  for (const text of texts) decide(text);
  return { answers, seconds, microsecondsPerDecision: ((performance.now() - before) * 1000) / texts.length };
}

function foldContests(evaluation: Evaluation, heads: IntentHeads): readonly (() => Contest)[] {
  const { seeds, quick, data } = evaluation;
  const shots = quick ? (["train_5"] as const) : (["train_5", "train_10"] as const);
  return INTENT_SETS.filter((set) => isSelected(evaluation, set)).flatMap((set) =>
    shots.map((train) => () => {
      const { valid, trunk, seen } = heads.rows(set);
      const inside = sample(valid, INSIDE_MAX);
      return {
        task: `${set}, ${train}${seen === "seen" ? " (seen)" : ""}`,
        trunk,
        seed: seeds[0],
        language: "en",
        train: heads.train(set, train),
        inside,
        outside: sample(strangersTo(set, { heads, data }), Math.round(inside.length * OUTSIDE_PER_INSIDE)),
      };
    }),
  );
}

function foreignContests(evaluation: Evaluation): readonly (() => Contest)[] {
  const { tests, trunk, seeds } = evaluation;
  const background = new Set(loadBackground().map(({ text }) => normaliseText(text)));
  return tests
    .intentSets()
    .filter((set) => !isIntentSet(set) && isSelected(evaluation, set))
    .map((set) => () => {
      const train = tests.rows(`intents/${set}/train.jsonl`, isLabelled)?.filter(isInside) ?? [];
      // Background texts are left out: heads are calibrated with them, so they would make heads look better.
      const judged = (tests.rows(`intents/${set}/test.jsonl`, isLabelled) ?? []).filter(
        ({ text }) => !background.has(normaliseText(text)),
      );
      return {
        task: set,
        trunk,
        seed: seeds[0],
        language: /-fr(-|$)/.test(set) ? "fr" : "en",
        train,
        inside: judged.filter(isInside),
        outside: judged.filter((row) => !isInside(row)),
      };
    });
}

function meanOf(rows: readonly Row[], key: string): number | null {
  const values = rows.flatMap((row) => (typeof row[key] === "number" ? row[key] : []));
  if (values.length < rows.length) return null;
  return key === "us" ? Math.round(mean(values)) : mean(values);
}

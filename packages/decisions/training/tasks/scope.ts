/**
 * Out-of-scope detection: CLINC150 against its out-of-scope texts; 50 intents of BANKING77 against its other 27
 * ("id") and against other domains ("ood"), without out-of-scope training. Rows are ranked by confidence.
 */
import { areaUnderRoc, bootstrap95 } from "../../src/evaluate/metrics.ts";
import { normaliseText } from "../../src/text/readable.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { asExamples, learnHead, trainBaselines, type Baselines, type IntentHeads } from "../intent-heads.ts";
import { overSeeds } from "../judge-head.ts";
import { isKinded, type Kinded, type Labelled } from "../labelled-rows.ts";
import type { Head } from "../../src/head/load-head.ts";
import type { Column, Row } from "../table.ts";
import { drawsOf, isLeftOut, QUICK_SHOTS } from "./custom-heads.ts";
import { HELD_OUT, isSelected, type Evaluation, type JudgedTrunk } from "./evaluation.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "scope", width: 14 },
  { key: "train", title: "train", width: 9 },
  { key: "kind", title: "strays", width: 7 },
  { key: "on", title: "on", width: 6 },
  { key: "trunk", title: "trunk", width: 7 },
  { key: "n", title: "in", width: 5 },
  { key: "strays", title: "out", width: 5 },
  { key: "auroc", title: "AUROC", width: 6, as: "share" },
  { key: "auroc_sd", title: "sd", width: 5, as: "share" },
  { key: "auroc_ci95", title: "95 %", width: 10, as: "share" },
  { key: "fpr95", title: "FPR95", width: 6, as: "share" },
  { key: "in_scope_at_85", title: "in@85", width: 6, as: "share" },
  { key: "tfidf", title: "tf-idf", width: 7, as: "share" },
  { key: "random", title: "random", width: 7, as: "share" },
];
const FEW = 5;

export function evaluateScope(evaluation: Evaluation, heads: IntentHeads, randomTrunk: () => Trunk): void {
  if (!isSelected(evaluation, "scope")) return;
  const print = evaluation.table("scope", COLUMNS);
  if (!isLeftOut(evaluation, "CLINC150"))
    evaluation.attempt("scope of CLINC150", () => clinc(evaluation, heads, print));
  evaluation.attempt("scope of BANKING77-OOS", () =>
    banking(evaluation, heads.rows("BANKING77"), { randomTrunk: randomTrunk(), print }),
  );
}

function clinc(evaluation: Evaluation, heads: IntentHeads, print: (row: Row) => void): void {
  const rows = heads.rows("CLINC150");
  for (const train of evaluation.quick ? ([QUICK_SHOTS] as const) : (["train_10", "train"] as const)) {
    const learned = evaluation.seeds.map((seed) => heads.head("CLINC150", train, seed).head);
    const baselines = heads.baselines("CLINC150", train);
    const name = { task: "CLINC150", train, kind: "ood", trunk: rows.seen };
    const input = { trunk: rows.trunk, learned, baselines };
    print({ ...name, on: "valid", ...scopeOf(input, { inside: rows.valid, outside: rows.outsideValid }, evaluation) });
    if (rows.test === null || rows.outsideTest === null) print({ ...name, on: "test", n: HELD_OUT });
    else
      print({ ...name, on: "test", ...scopeOf(input, { inside: rows.test, outside: rows.outsideTest }, evaluation) });
  }
}

function banking(
  evaluation: Evaluation,
  { trunk, seen }: JudgedTrunk,
  { randomTrunk, print }: { readonly randomTrunk: Trunk; readonly print: (row: Row) => void },
): void {
  const { data, quick, seeds, say } = evaluation;
  const members = { texts: ["text"], labels: ["label", "kind"] } as const;
  const inside = data.rows("oos/BANKING77-OOS/train.jsonl", "experts", members).filter(({ kind }) => kind === "in");
  const train = quick ? firstOfEach(inside) : inside;
  const learnedTexts = new Set(inside.map(({ text }) => normaliseText(text)));
  const isNew = ({ text }: Labelled) => !learnedTexts.has(normaliseText(text));
  const learned = seeds.map((seed) => {
    say(`BANKING77-OOS: head of seed ${seed}`);
    return learnHead(trunk, asExamples(train), seed).head;
  });
  const baselines = trainBaselines(train, randomTrunk);
  const name = { task: "BANKING77-OOS", train: quick ? `${FEW} each` : "train", trunk: seen };
  const judge = (on: string, rows: readonly Kinded[]): void => {
    const within = rows.filter(({ kind }) => kind === "in");
    for (const kind of ["id", "ood"]) {
      const outside = rows.filter((row) => row.kind === kind);
      if (outside.length === 0 || within.length === 0) continue;
      const figures = scopeOf({ trunk, learned, baselines }, { inside: within, outside }, evaluation);
      print({ ...name, kind, on, ...figures });
    }
  };
  judge("valid", data.rows("oos/BANKING77-OOS/valid.jsonl", "evaluation", members).filter(isNew));
  const test = evaluation.test("oos/BANKING77-OOS/test.jsonl", isKinded);
  if (test === null) print({ ...name, kind: "all", on: "test", n: HELD_OUT });
  else judge("test", test.filter(isNew));
}

function firstOfEach<T extends Labelled>(rows: readonly T[]): readonly T[] {
  return [...Map.groupBy(rows, ({ label }) => label).values()].flatMap((members) => members.slice(0, FEW));
}

interface ScopeInput {
  readonly trunk: Trunk;
  readonly learned: readonly Head[];
  readonly baselines: Baselines;
}

interface Sides {
  readonly inside: readonly Labelled[];
  readonly outside: readonly Labelled[];
}

function scopeOf({ trunk, learned, baselines }: ScopeInput, { inside, outside }: Sides, { quick }: Evaluation): Row {
  const seeds = learned.map((head) => {
    const ask = ({ text }: Labelled) => head.decide(trunk.encode(text));
    const within = inside.map((row) => {
      const { confidence, choice } = ask(row);
      return { score: confidence, right: head.routes[choice].route === row.label };
    });
    return figuresOfScope(
      within,
      outside.map((row) => ask(row).confidence),
    );
  });
  const [first] = seeds;
  const { tfidf } = baselines;
  const sure = ({ text }: Labelled) => Math.max(...tfidf.decide(text));
  return {
    n: inside.length,
    strays: outside.length,
    ...Object.fromEntries([
      ...overSeeds(
        "auroc",
        seeds.map(({ auroc }) => auroc),
      ),
      ...overSeeds(
        "fpr95",
        seeds.map(({ fpr95 }) => fpr95),
      ),
      ...overSeeds(
        "in_scope_at_85",
        seeds.map(({ inScopeAt85 }) => inScopeAt85),
      ),
    ]),
    auroc_ci95: aurocInterval(first.inside, first.outside, drawsOf(quick)),
    tfidf: areaUnderRoc(inside.map(sure), outside.map(sure)),
    random: areaUnderRoc(
      inside.map(({ text }) => Math.max(...baselines.random.decide(text))),
      outside.map(({ text }) => Math.max(...baselines.random.decide(text))),
    ),
    chance: 0.5,
    majority: inside.length / (inside.length + outside.length),
  };
}

export interface ScopeFigures {
  readonly auroc: number;
  /** False positive rate of out-of-scope rows at 95 % acceptance of in-scope rows. */
  readonly fpr95: number;
  /** Share of in-scope rows accepted and correct at 85 % rejection of out-of-scope rows. */
  readonly inScopeAt85: number;
  readonly inside: readonly number[];
  readonly outside: readonly number[];
}

export function figuresOfScope(
  within: readonly { readonly score: number; readonly right: boolean }[],
  outside: readonly number[],
): ScopeFigures {
  const inside = within.map(({ score }) => score);
  const floor = inside.toSorted((a, b) => a - b)[Math.floor(0.05 * inside.length)];
  const cut = outside.toSorted((a, b) => a - b)[Math.min(outside.length - 1, Math.ceil(0.85 * outside.length) - 1)];
  return {
    auroc: areaUnderRoc(inside, outside),
    fpr95: outside.filter((score) => score >= floor).length / outside.length,
    inScopeAt85: within.filter(({ score, right }) => right && score > cut).length / within.length,
    inside,
    outside,
  };
}

/** Both sides are resampled together, each row from all of them. */
export function aurocInterval(inside: readonly number[], outside: readonly number[], draws: number): readonly number[] {
  const scores = [...inside, ...outside];
  const [low, high] = bootstrap95(
    scores.length,
    (rows) => {
      const drawn = [...rows];
      return areaUnderRoc(
        drawn.filter((row) => row < inside.length).map((row) => scores[row]),
        drawn.filter((row) => row >= inside.length).map((row) => scores[row]),
      );
    },
    { draws },
  );
  return [low, Math.min(1, high)];
}

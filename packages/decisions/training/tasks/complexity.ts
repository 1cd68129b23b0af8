/**
 * Evaluates complexity on rows of other folds, which are redrawn for each seed (GSM8K train, BFCL), and compares it
 * with the surface signals alone. The shipped model is evaluated on the GSM8K test split.
 */
import { bootstrap95, mean, rankCorrelation } from "../../src/evaluate/metrics.ts";
import { linearOf } from "../../src/features/linear.ts";
import { levelProbabilities } from "../../src/features/load-score.ts";
import { scoreSignals } from "../../src/features/score-features.ts";
import { fitScore } from "../../src/features/train-features.ts";
import { drawnFolds } from "../folds.ts";
import { overSeeds } from "../judge-head.ts";
import { SURFACE_ONLY, unseenScore } from "../judge-features.ts";
import { gradeOf, isStepsRow, readScoreRows, type SourcedScoreRow } from "../score-rows.ts";
import type { Column, Row } from "../table.ts";
import { drawsOf } from "./custom-heads.ts";
import { HELD_OUT, isSelected, type Evaluation } from "./evaluation.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "complexity", width: 14 },
  { key: "folds", title: "folds", width: 7 },
  { key: "n", title: "n", width: 6 },
  { key: "spearman", title: "Spearman", width: 9, as: "figure" },
  { key: "spearman_sd", title: "sd", width: 6, as: "figure" },
  { key: "spearman_ci95", title: "95 %", width: 12, as: "figure" },
  { key: "surface", title: "surface", width: 8, as: "figure" },
  { key: "mae", title: "MAE", width: 6, as: "figure" },
  { key: "exact", title: "exact", width: 6, as: "share" },
  { key: "majority", title: "major.", width: 7, as: "share" },
  { key: "within_one", title: "within 1", width: 9, as: "share" },
  { key: "majority_within_one", title: "major.", width: 7, as: "share" },
];
const FOLDS = 5;
const QUICK = 16;
const LEVELS = [1, 2, 3, 4];

export function evaluateComplexity(evaluation: Evaluation): void {
  if (!isSelected(evaluation, "complexity")) return;
  const print = evaluation.table("complexity", COLUMNS);
  const { quick, data, trunk, seeds, say } = evaluation;
  evaluation.attempt("complexity", () => {
    const rows = readScoreRows(data, trunk).filter((_, row) => !quick || row % QUICK === 0);
    const names = [...rows.keys()].map(String);
    const predictions = seeds.map((seed) => {
      say(`complexity: seed ${seed}`);
      return unseenScore(trunk, rows, { foldOf: drawnFolds(names, FOLDS, seed) });
    });
    const surface = unseenScore(trunk, rows, { foldOf: drawnFolds(names, FOLDS, seeds[0]), ridge: SURFACE_ONLY });
    for (const [task, own] of Map.groupBy([...rows.keys()], (row) => rows[row].source)) {
      const figures = figuresOf(
        own.map((row) => rows[row].complexity),
        {
          predictions: predictions.map((p) => own.map((row) => p[row])),
          surface: own.map((row) => surface[row]),
          draws: drawsOf(quick),
        },
      );
      print({ task, folds: "other", ...figures });
    }
    evaluation.attempt("complexity, test split", () => testRow(evaluation, rows, print));
  });
}

function testRow(evaluation: Evaluation, learned: readonly SourcedScoreRow[], print: (row: Row) => void): void {
  const { shipped, trunk, quick } = evaluation;
  const name = { task: "steps", folds: "test" };
  const rows = evaluation.test("complexity/gsm8k_test.jsonl", isStepsRow)?.filter(({ steps }) => steps > 0);
  if (rows === undefined || rows.length === 0) return print({ ...name, n: HELD_OUT });
  const { linear, thresholds } = fitScore(trunk, learned, SURFACE_ONLY);
  const inputs = rows.map(({ text }) => ({ state: text, encoding: shipped.trunk.encode(text) }));
  const figures = figuresOf(
    rows.map(({ steps }) => gradeOf(steps)),
    {
      predictions: [inputs.map((input) => shipped.score.decide(input).probabilities)],
      surface: inputs.map(({ state, encoding }) =>
        levelProbabilities(linearOf(linear, encoding.vector, scoreSignals(state, encoding)), thresholds),
      ),
      draws: drawsOf(quick),
    },
  );
  print({ ...name, ...figures });
}

interface SeedPredictions {
  /** For each seed and row, the probabilities of the four levels. */
  readonly predictions: readonly (readonly Float64Array[])[];
  readonly surface: readonly Float64Array[];
  readonly draws: number;
}

function figuresOf(levels: readonly number[], { predictions, surface, draws }: SeedPredictions): Row {
  const seeds = predictions.map((rows) => {
    const expected = rows.map(meanLevel);
    const off = rows.map((probabilities, row) => Math.abs(levels[row] - likeliest(probabilities)));
    return {
      expected,
      mae: mean(expected.map((level, row) => Math.abs(levels[row] - level))),
      exact: mean(off.map((distance) => (distance === 0 ? 1 : 0))),
      within: mean(off.map((distance) => (distance <= 1 ? 1 : 0))),
    };
  });
  // A ranking is undefined if all rows have the same level.
  const isRanked = new Set(levels).size > 1;
  const ranked = isRanked ? seeds.map(({ expected }) => rankCorrelation(expected, levels)) : [];
  const [{ expected }] = seeds;
  return {
    n: levels.length,
    ...Object.fromEntries([
      ...overSeeds("spearman", ranked),
      ...overSeeds(
        "mae",
        seeds.map(({ mae }) => mae),
      ),
      ...overSeeds(
        "exact",
        seeds.map(({ exact }) => exact),
      ),
      ...overSeeds(
        "within_one",
        seeds.map(({ within }) => within),
      ),
    ]),
    spearman_ci95: isRanked
      ? bootstrap95(
          levels.length,
          (drawn) =>
            rankCorrelation(
              Array.from(drawn, (row) => expected[row]),
              Array.from(drawn, (row) => levels[row]),
            ),
          { draws },
        )
      : null,
    surface: isRanked ? rankCorrelation(surface.map(meanLevel), levels) : null,
    surface_within_one: mean(
      surface.map((probabilities, row) => (Math.abs(levels[row] - likeliest(probabilities)) <= 1 ? 1 : 0)),
    ),
    chance: 1 / LEVELS.length,
    majority: Math.max(...LEVELS.map((guess) => mean(levels.map((level) => (level === guess ? 1 : 0))))),
    majority_within_one: Math.max(
      ...LEVELS.map((guess) => mean(levels.map((level) => (Math.abs(level - guess) <= 1 ? 1 : 0)))),
    ),
  };
}

function meanLevel(probabilities: Float64Array): number {
  return probabilities.reduce((sum, p, level) => sum + p * (level + 1), 0);
}

function likeliest(probabilities: Float64Array): number {
  return probabilities.indexOf(Math.max(...probabilities)) + 1;
}

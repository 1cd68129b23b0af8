/** Complexity on rows of other folds: steps of worked problems (GSM8K train) and calls of requests (BFCL), beside surface alone. */
import { mean, rankCorrelation } from "../../src/evaluate/metrics.ts";
import { SURFACE_ONLY, unseenScore } from "../judge-signals.ts";
import { readScoreRows, type SourcedScoreRow } from "../score-rows.ts";
import { percent, printTable } from "../table.ts";
import { isWanted, readTrunk, type Evaluation } from "./evaluation.ts";

const FOLDS = 5;
const QUICK = 6;

export function evaluateComplexity(evaluation: Evaluation): void {
  if (!isWanted(evaluation, "complexity")) return;
  const trunk = readTrunk(evaluation, "trunk", "npm run train:trunk");
  if (trunk === null) return;
  const rows = readScoreRows(evaluation.data, trunk).filter((_, row) => !evaluation.quick || row % QUICK === 0);
  const foldOf = Int32Array.from(rows, (_, row) => row % FOLDS);
  const score = unseenScore(trunk, rows, { foldOf });
  const surface = unseenScore(trunk, rows, { foldOf, ridge: SURFACE_ONLY });
  const print = printTable([
    ["complexity", 15],
    ["n", 7],
    ["Spearman", 10],
    ["surface", 9],
    ["MAE", 7],
    ["exact", 7],
    ["within 1", 10],
    ["majority within 1", 18],
  ]);
  for (const [source, members] of Map.groupBy([...rows.keys()], (row) => rows[row].source)) {
    const own = members.map((row) => rows[row]);
    const levels = own.map(({ complexity }) => complexity);
    const expected = members.map((row) => meanLevel(score[row]));
    const chosen = members.map((row) => likeliest(score[row]));
    const off = levels.map((level, place) => Math.abs(level - chosen[place]));
    print([
      source,
      String(own.length),
      correlation(expected, own),
      correlation(
        members.map((row) => meanLevel(surface[row])),
        own,
      ),
      mean(levels.map((level, place) => Math.abs(level - expected[place]))).toFixed(2),
      percent(mean(off.map((one) => (one === 0 ? 1 : 0)))),
      percent(mean(off.map((one) => (one <= 1 ? 1 : 0)))),
      percent(majorityWithinOne(levels)),
    ]);
  }
}

/** Nothing to rank where all rows have one level. */
function correlation(expected: readonly number[], rows: readonly SourcedScoreRow[]): string {
  const levels = rows.map(({ complexity }) => complexity);
  return new Set(levels).size < 2 ? "-" : rankCorrelation(expected, levels).toFixed(3);
}

/** Share that the best single level is off by no more than one. */
function majorityWithinOne(levels: readonly number[]): number {
  return Math.max(...[1, 2, 3, 4].map((said) => mean(levels.map((level) => (Math.abs(level - said) <= 1 ? 1 : 0)))));
}

function meanLevel(probabilities: Float64Array): number {
  return probabilities.reduce((sum, p, level) => sum + p * (level + 1), 0);
}

function likeliest(probabilities: Float64Array): number {
  return probabilities.indexOf(Math.max(...probabilities)) + 1;
}

/** Escalation on rows of other folds: questions of examinations by subject and at random, and what people say to the experts. */
import { areaUnderRoc, calibrationError, mean } from "../../src/evaluate/metrics.ts";
import { balancedFolds } from "../../src/options/balanced-folds.ts";
import { NOUL_THRESHOLD } from "../../src/signals/train-signals.ts";
import { performanceGapRecovered, SURFACE_ONLY, unseenNoul } from "../judge-signals.ts";
import { readNoulRows } from "../noul-rows.ts";
import { percent, printTable } from "../table.ts";
import { isWanted, readTrunk, type Evaluation } from "./evaluation.ts";

const FOLDS = 3;
const QUICK = 6;

export function evaluateEscalation(evaluation: Evaluation): void {
  if (!isWanted(evaluation, "escalation")) return;
  const trunk = readTrunk(evaluation, "trunk", "npm run train:trunk");
  if (trunk === null) return;
  const rows = readNoulRows(evaluation.data, trunk).filter((_, row) => !evaluation.quick || row % QUICK === 0);
  const print = printTable([
    ["escalation", 14],
    ["folds", 10],
    ["n", 7],
    ["base", 7],
    ["mean p", 8],
    ["AUROC", 7],
    ["surface", 9],
    ["APGR", 7],
    ["surface", 9],
    ["ECE", 6],
    ["recall", 8],
    ["false", 6],
  ]);
  const grouped = balancedFolds(
    rows.map(({ group }) => group),
    FOLDS,
  );
  const random = Int32Array.from(rows, (_, row) => row % FOLDS);
  for (const [folds, foldOf] of [["by group", grouped] as const, ["random", random] as const]) {
    const p = unseenNoul(trunk, rows, { foldOf });
    const surface = unseenNoul(trunk, rows, { foldOf, ridge: SURFACE_ONLY });
    for (const [source, members] of Map.groupBy([...rows.keys()], (row) => rows[row].source)) {
      const own = members.map((row) => rows[row]);
      const isQuestion = source === "mmlu" || source === "gsm8k";
      if (folds === "random" && !isQuestion) continue;
      const said = members.map((row) => p[row]);
      const bySurface = members.map((row) => surface[row]);
      const right = own.map(({ escalate }) => (escalate ? 1 : 0));
      const caught = said.map((one) => (one >= NOUL_THRESHOLD ? 1 : 0));
      print([
        source,
        folds,
        String(own.length),
        percent(mean(right)),
        percent(mean(said)),
        percent(auroc(said, right)),
        percent(auroc(bySurface, right)),
        isQuestion ? performanceGapRecovered(said, own).toFixed(3) : "-",
        isQuestion ? performanceGapRecovered(bySurface, own).toFixed(3) : "-",
        percent(calibrationError(said, right)),
        percent(mean(caught.filter((_, place) => right[place] === 1))),
        percent(mean(caught.filter((_, place) => right[place] === 0))),
      ]);
    }
  }
}

function auroc(scores: readonly number[], right: readonly number[]): number {
  return areaUnderRoc(
    scores.filter((_, place) => right[place] === 1),
    scores.filter((_, place) => right[place] === 0),
  );
}

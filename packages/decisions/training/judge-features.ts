/**
 * Evaluates noul and score on unseen rows: they are fitted to the other folds by the code that fits the shipped models.
 */
import { linearOf } from "../src/features/linear.ts";
import { probabilityOf } from "../src/features/load-noul.ts";
import { levelProbabilities } from "../src/features/load-score.ts";
import { scoreSignals } from "../src/features/score-features.ts";
import { fitNoul, fitScore, type NoulRow, type Ridge, type ScoreRow } from "../src/features/train-features.ts";
import type { Trunk } from "../src/trunk/trunk.ts";

/** Large enough to disable the trunk; this is the baseline. */
export const SURFACE_ONLY: Ridge = { trunk: 1e9, signals: 1 };

export function unseenNoul(
  trunk: Trunk,
  rows: readonly NoulRow[],
  { foldOf, ridge }: { readonly foldOf: Int32Array; readonly ridge?: Ridge },
): Float64Array {
  const out = new Float64Array(rows.length);
  for (const fold of new Set(foldOf)) {
    const linears = fitNoul(
      trunk,
      rows.filter((_, row) => foldOf[row] !== fold),
      ridge,
    );
    for (const [row, input] of rows.entries()) if (foldOf[row] === fold) out[row] = probabilityOf(linears, input);
  }
  return out;
}

/** The probabilities of the four levels for each row. */
export function unseenScore(
  trunk: Trunk,
  rows: readonly ScoreRow[],
  { foldOf, ridge }: { readonly foldOf: Int32Array; readonly ridge?: Ridge },
): readonly Float64Array[] {
  const out: Float64Array[] = [];
  for (const fold of new Set(foldOf)) {
    const { linear, thresholds } = fitScore(
      trunk,
      rows.filter((_, row) => foldOf[row] !== fold),
      ridge,
    );
    for (const [row, { state, encoding }] of rows.entries())
      if (foldOf[row] === fold)
        out[row] = levelProbabilities(linearOf(linear, encoding.vector, scoreSignals(state, encoding)), thresholds);
  }
  return out;
}

/**
 * Average performance gap recovered (Ong et al. 2024, "RouteLLM"): the recovered share of the accuracy gap between
 * two models, averaged over all shares of requests sent to the stronger one. 0.5 is chance; the trapezoid rule is
 * exact with one step per request.
 */
export function performanceGapRecovered(
  p: ArrayLike<number>,
  rows: readonly { readonly weak: boolean; readonly strong: boolean }[],
): number {
  const order = [...rows.keys()].sort((a, b) => p[b] - p[a] || a - b);
  const weak = rows.filter((row) => row.weak).length;
  const strong = rows.filter((row) => row.strong).length;
  let right = weak;
  let area = 0;
  for (const row of order) {
    const before = right;
    right += Number(rows[row].strong) - Number(rows[row].weak);
    area += (before + right) / 2 / rows.length;
  }
  return (area - weak) / (strong - weak);
}

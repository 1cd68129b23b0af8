/**
 * Whether the report of a head allows its publication, after training or import. A missing metric counts as a bad one.
 */
import type { Json } from "../artifact/header-values.ts";
import { binomialAtMost } from "../calibration/risk.ts";
import type { HeadRoute } from "./head-file.ts";

const ECE_MOST = 0.05;
const SIGNIFICANCE = 0.01;

/**
 * `no_signal`: the accuracy is not above that of always choosing the most common route. `ece`: even the lower end of
 * the interval of the calibration error is too high.
 */
export function rejectionIn(
  report: { readonly [name: string]: Json },
  routes: readonly Pick<HeadRoute, "texts">[],
): "no_signal" | "ece" | null {
  const { accuracy, ece_ci95: interval } = report;
  const rows = routes.reduce((sum, { texts }) => sum + texts, 0);
  const majority = Math.max(...routes.map(({ texts }) => texts)) / rows;
  if (typeof accuracy !== "number" || !isBetter(Math.round(accuracy * rows), rows, majority)) return "no_signal";
  const low: Json | undefined = Array.isArray(interval) ? interval[0] : undefined;
  return typeof low === "number" && low <= ECE_MOST ? null : "ece";
}

function isBetter(hits: number, rows: number, majority: number): boolean {
  return hits > 0 && hits <= rows && majority < 1 && 1 - binomialAtMost(hits - 1, rows, majority) <= SIGNIFICANCE;
}

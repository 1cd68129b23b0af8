/** Error rate, coverage and calibration of answered rows at a threshold. */
import { calibrationError, riskCurve, SAMPLED_DELTA, thresholdFor, xorshift } from "@triptych/decisions";
import type { Choice } from "../deciding/wires.ts";
import { exactInterval } from "./intervals.ts";

export interface JudgedRow extends Choice {
  readonly label: string | null;
}

export interface RouteFigures {
  readonly route: string;
  /** Rows with this label. */
  readonly rows: number;
  readonly answered: number;
  readonly wrong: number;
}

export interface Figures {
  readonly rows: number;
  /** Rows that are offered with at least this confidence. */
  readonly answered: number;
  readonly wrong: number;
  readonly coverage: number;
  readonly error_rate: number;
  readonly ece: number;
  /** Standard error of `ece`. */
  readonly ece_se: number;
  readonly routes: readonly RouteFigures[];
}

export function isRight({ choice, label }: Pick<JudgedRow, "choice" | "label">): boolean {
  return choice === label;
}

const NO_ROUTE = "(none)";

export function figuresAt(rows: readonly JudgedRow[], threshold: number): Figures {
  const byRoute = new Map<string, { rows: number; answered: number; wrong: number }>();
  let [answered, wrong] = [0, 0];
  for (const row of rows) {
    const route = row.label ?? NO_ROUTE;
    const counts = byRoute.get(route) ?? { rows: 0, answered: 0, wrong: 0 };
    byRoute.set(route, counts);
    counts.rows += 1;
    if (!row.isOffered || row.confidence < threshold) continue;
    const fault = isRight(row) ? 0 : 1;
    counts.answered += 1;
    counts.wrong += fault;
    answered += 1;
    wrong += fault;
  }
  const routes = [...byRoute].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([route, counts]) => ({ route, ...counts }));
  return {
    rows: rows.length,
    answered,
    wrong,
    coverage: rows.length === 0 ? 0 : answered / rows.length,
    error_rate: answered === 0 ? 0 : wrong / answered,
    ...calibrationOf(rows),
    routes,
  };
}

/** All rows count, including those that are never offered. */
function calibrationOf(rows: readonly JudgedRow[]): Pick<Figures, "ece" | "ece_se"> {
  const confidence = rows.map((row) => row.confidence);
  const right = rows.map((row) => (isRight(row) ? 1 : 0));
  // The bins' gaps are means of independent rows, so their variances add up.
  const variance = reliabilityBins(rows).reduce((sum, bin) => sum + (bin.right * (bin.rows - bin.right)) / bin.rows, 0);
  return { ece: calibrationError(confidence, right), ece_se: Math.sqrt(variance) / Math.max(1, rows.length) };
}

export interface ReliabilityBin {
  readonly rows: number;
  readonly right: number;
  /** Mean confidence. */
  readonly confidence: number;
}

const BINS = 15;

/** The bins of the calibration error: equal mass, and fewer bins below 300 rows. */
export function reliabilityBins(rows: readonly JudgedRow[]): readonly ReliabilityBin[] {
  const sorted = rows.toSorted((a, b) => a.confidence - b.confidence);
  const count = rows.length < 300 ? Math.max(1, Math.floor(rows.length / 20)) : BINS;
  return Array.from({ length: count }, (_, bin) => {
    const part = sorted.slice(Math.floor((bin * rows.length) / count), Math.floor(((bin + 1) * rows.length) / count));
    const sum = part.reduce((total, row) => total + row.confidence, 0);
    return { rows: part.length, right: part.filter(isRight).length, confidence: sum / Math.max(1, part.length) };
  }).filter((bin) => bin.rows > 0);
}

/** The lowest confidence whose error rate holds on the same number of new rows; null if none is proven. */
export function thresholdOf(rows: readonly JudgedRow[], maxError: number): number | null {
  const offered = rows.filter((row) => row.isOffered);
  return thresholdFor(
    riskCurve(
      offered.map((row) => row.confidence),
      offered.map((row) => (isRight(row) ? 1 : 0)),
    ),
    maxError,
    { delta: SAMPLED_DELTA },
  );
}

const DRAWS = 200;

/** The 2.5 % and 97.5 % quantiles of the thresholds of resampled rows; null if no threshold keeps the error rate. */
export function thresholdInterval(
  rows: readonly JudgedRow[],
  maxError: number,
): readonly [number | null, number | null] {
  const random = xorshift(1);
  const draws = Array.from({ length: DRAWS }, () => {
    const drawn = rows.map(() => rows[Math.floor(random() * rows.length)]);
    return thresholdOf(drawn, maxError) ?? Infinity;
  }).toSorted((a, b) => a - b);
  return [orNull(draws[Math.floor(0.025 * DRAWS)]), orNull(draws[Math.ceil(0.975 * DRAWS) - 1])];
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Exact 95 % interval of the error rate among answers. */
export function errorInterval({ wrong, answered }: Figures): readonly [number, number] {
  return exactInterval({ count: wrong, of: answered });
}

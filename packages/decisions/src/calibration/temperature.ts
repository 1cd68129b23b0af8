/** The temperature (divisor of logits) with the lowest negative log likelihood (Guo et al. 2017). */
import { exp, log } from "../math/exp-log.ts";

const TEMPERATURE_MIN = 0.05;
const TEMPERATURE_MAX = 20;
const ROUNDS_MAX = 40;
const RELATIVE_TOLERANCE = 1e-9;
/** A class whose logit is further below the largest one has a probability below 1e-13. */
const NEGLIGIBLE = -30;

export interface TemperatureRows {
  /** n x classes. */
  readonly logits: Float64Array;
  /** The right class; -1 for rows to ignore. */
  readonly labels: Int32Array;
  readonly classes: number;
}

export interface TemperatureSearch {
  /** The temperature to start from: the closer to the result, the fewer rounds are needed. */
  readonly start?: number;
  /** The search ends when the relative change is smaller. */
  readonly tolerance?: number;
}

export interface FittedTemperature {
  readonly temperature: number;
  /** Mean negative log likelihood at the last temperature that was tried. */
  readonly nll: number;
}

/** The loss is convex in the inverse of the temperature: Newton's method, with bisection where it leaves the range. */
export function fitTemperature(rows: TemperatureRows): number {
  return searchTemperature(rows).temperature;
}

export function searchTemperature(
  rows: TemperatureRows,
  { start = 1, tolerance = RELATIVE_TOLERANCE }: TemperatureSearch = {},
): FittedTemperature {
  if (rows.labels.every((label) => label < 0)) return { temperature: 1, nll: 0 };
  let low = 1 / TEMPERATURE_MAX;
  let high = 1 / TEMPERATURE_MIN;
  let inverse = 1 / start;
  let nll = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { loss, slope, curve } = derivativesAt(rows, inverse);
    nll = loss;
    if (slope > 0) high = inverse;
    else low = inverse;
    const newton = inverse - slope / curve;
    const next = newton > low && newton < high ? newton : Math.sqrt(low * high);
    const change = Math.abs(next - inverse);
    inverse = next;
    if (change < tolerance * inverse) break;
  }
  return { temperature: 1 / inverse, nll };
}

/** The mean loss, and the derivatives of the total loss with respect to the inverse of the temperature. */
function derivativesAt({ logits, labels, classes }: TemperatureRows, inverse: number) {
  let loss = 0;
  let count = 0;
  let slope = 0;
  let curve = 0;
  for (let row = 0; row < labels.length; row++) {
    if (labels[row] < 0) continue;
    const base = row * classes;
    let most = -Infinity;
    for (let c = 0; c < classes; c++) most = Math.max(most, logits[base + c]);
    let sum = 0;
    let first = 0;
    let second = 0;
    for (let c = 0; c < classes; c++) {
      const below = logits[base + c] - most;
      if (below * inverse <= NEGLIGIBLE) continue;
      const share = exp(below * inverse);
      sum += share;
      first += share * below;
      second += share * below * below;
    }
    const mean = first / sum;
    count++;
    loss += log(sum) - (logits[base + labels[row]] - most) * inverse;
    slope += mean + most - logits[base + labels[row]];
    curve += second / sum - mean * mean;
  }
  return { loss: loss / count, slope, curve };
}

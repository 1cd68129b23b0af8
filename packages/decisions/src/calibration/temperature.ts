/** The temperature (divisor of logits) with the lowest negative log likelihood (Guo et al. 2017). */
import { exp, log } from "../math/exp-log.ts";

const LOWEST = log(0.05);
const HIGHEST = log(20);
const ROUNDS = 40;
/** Further below the largest logit, a class adds less than 1e-13 to the sum. */
const NEGLIGIBLE = -30;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export interface TemperatureRows {
  /** n x classes. */
  readonly logits: Float64Array;
  /** The right class, or -1 for ignored rows. */
  readonly labels: Int32Array;
  readonly classes: number;
}

/** `rounds`: each one narrows the range of logarithms, of width 6, to 62 %. */
export function fitTemperature({ logits, labels, classes }: TemperatureRows, rounds = ROUNDS): number {
  if (labels.every((label) => label < 0)) return 1;
  let low = LOWEST;
  let high = HIGHEST;
  // The loss is unimodal in the temperature: golden-section search.
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let lossLeft = lossAt(logits, labels, classes, exp(left));
  let lossRight = lossAt(logits, labels, classes, exp(right));
  for (let round = 0; round < rounds; round++) {
    if (lossLeft <= lossRight) {
      [high, right, lossRight] = [right, left, lossLeft];
      left = high - GOLDEN * (high - low);
      lossLeft = lossAt(logits, labels, classes, exp(left));
    } else {
      [low, left, lossLeft] = [left, right, lossRight];
      right = low + GOLDEN * (high - low);
      lossRight = lossAt(logits, labels, classes, exp(right));
    }
  }
  return exp((low + high) / 2);
}

function lossAt(logits: Float64Array, labels: Int32Array, classes: number, temperature: number): number {
  let loss = 0;
  for (let row = 0; row < labels.length; row++) {
    if (labels[row] < 0) continue;
    const base = row * classes;
    let most = -Infinity;
    for (let c = 0; c < classes; c++) most = Math.max(most, logits[base + c]);
    let sum = 0;
    for (let c = 0; c < classes; c++) {
      const below = (logits[base + c] - most) / temperature;
      if (below > NEGLIGIBLE) sum += exp(below);
    }
    loss += log(sum) + (most - logits[base + labels[row]]) / temperature;
  }
  return loss;
}

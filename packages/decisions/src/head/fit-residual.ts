/**
 * The lexical part of a head with many texts: multinomial logistic regression with an L1 penalty on what the dense part
 * leaves unexplained, by FTRL-proximal (McMahan et al. 2013, "Ad click prediction: a view from the trenches"). Most
 * weights are zero, so the file can hold nearly all others. Of a linear model without the penalty, it cannot.
 */
import { exp } from "../math/exp-log.ts";
import { shuffle, xorshift } from "../math/xorshift.ts";
import type { LexicalRows, LexicalTask, LexicalWeights } from "./lexical-rows.ts";

export interface ResidualTask extends Omit<LexicalTask, "weights"> {
  /** Logits of each chosen row, by a model that has not seen it: on rows it has seen, it leaves no residual. */
  readonly offset: Float64Array;
}

const EPOCHS = 6;
const RATE = 3;
const PENALTY = 0.2;
/** Routes with negligible probability for an example have no gradient; they are the majority. */
const NEGLIGIBLE = 1e-3;

export function fitResidual(
  rows: LexicalRows,
  { chosen, labels, classes, offset, seed }: ResidualTask,
): LexicalWeights {
  const { ids, idf, starts, indices, values } = rows;
  const weights = new Float32Array(ids.length * classes);
  const pulls = new Float32Array(ids.length * classes);
  const squares = new Float64Array(ids.length);
  const random = xorshift(seed);
  const order = Int32Array.from({ length: chosen.length }, (_, at) => at);
  const p = new Float64Array(classes);
  const moved = new Int32Array(classes);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      predict(at);
      p[labels[at]] -= 1;
      learn(chosen[at]);
    }
  }
  for (let at = 0; at < weights.length; at++) if (weights[at] !== 0) weights[at] *= idf[Math.floor(at / classes)];
  return { ids, weights, bias: new Float64Array(classes) };

  function predict(at: number): void {
    for (let c = 0; c < classes; c++) p[c] = offset[at * classes + c];
    for (let entry = starts[chosen[at]]; entry < starts[chosen[at] + 1]; entry++) {
      const base = indices[entry] * classes;
      const value = values[entry];
      for (let c = 0; c < classes; c++) p[c] += weights[base + c] * value;
    }
    softmaxInPlace(p);
  }

  function learn(row: number): void {
    let square = 0;
    let count = 0;
    for (let c = 0; c < classes; c++) {
      square += p[c] * p[c];
      if (p[c] > NEGLIGIBLE || p[c] < -NEGLIGIBLE) moved[count++] = c;
    }
    for (let entry = starts[row]; entry < starts[row + 1]; entry++) {
      const index = indices[entry];
      const value = values[entry];
      const before = Math.sqrt(squares[index]);
      squares[index] += square * value * value;
      const after = Math.sqrt(squares[index]);
      const step = RATE / (1 + after);
      for (let n = 0; n < count; n++) {
        const at = index * classes + moved[n];
        const pull = pulls[at] + p[moved[n]] * value - ((after - before) / RATE) * weights[at];
        pulls[at] = pull;
        weights[at] = Math.abs(pull) <= PENALTY ? 0 : (Math.sign(pull) * PENALTY - pull) * step;
      }
    }
  }
}

function softmaxInPlace(values: Float64Array): void {
  let most = -Infinity;
  for (let c = 0; c < values.length; c++) most = Math.max(most, values[c]);
  let sum = 0;
  for (let c = 0; c < values.length; c++) sum += values[c] = exp(values[c] - most);
  for (let c = 0; c < values.length; c++) values[c] /= sum;
}

/** Scope features of logits: their energy (Liu et al. 2020), the maximum, and its margin. */
import { exp, log } from "../math/exp-log.ts";

export const SCOPE_WIDTH = 3;

export function scopeFeatures(logits: ArrayLike<number>, temperature: number): readonly number[] {
  let most = -Infinity;
  let sum = 0;
  let squares = 0;
  for (let c = 0; c < logits.length; c++) {
    most = Math.max(most, logits[c]);
    sum += logits[c];
    squares += logits[c] * logits[c];
  }
  let partition = 0;
  for (let c = 0; c < logits.length; c++) partition += exp((logits[c] - most) / temperature);
  const mean = sum / logits.length;
  const spread = Math.sqrt(Math.max(1e-12, squares / logits.length - mean * mean));
  return [log(partition) + most / temperature, most / temperature, (most - mean) / spread];
}

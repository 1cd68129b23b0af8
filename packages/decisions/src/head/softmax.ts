import { exp } from "../math/exp-log.ts";

export function softmax(logits: ArrayLike<number>, temperature = 1): Float64Array {
  const out = new Float64Array(logits.length);
  let most = -Infinity;
  for (let c = 0; c < out.length; c++) most = Math.max(most, logits[c]);
  let sum = 0;
  for (let c = 0; c < out.length; c++) sum += out[c] = exp((logits[c] - most) / temperature);
  for (let c = 0; c < out.length; c++) out[c] /= sum;
  return out;
}

/**
 * Conformal sets (least ambiguous sets, Sadinle et al. 2019): with probability 1 - alpha, the right route is among
 * those with a probability of at least 1 - qhat, for requests like the calibration rows.
 */

export function qhatOf(right: readonly number[], alpha: number): number {
  const scores = right.map((p) => 1 - p).sort((a, b) => a - b);
  const rank = Math.ceil((scores.length + 1) * (1 - alpha));
  return rank > scores.length ? 1 : scores[rank - 1];
}

/** Ascending class indices of the set; always contains the most likely class. */
export function conformalSet(probabilities: ArrayLike<number>, qhat: number, choice: number): number[] {
  const set: number[] = [];
  for (let c = 0; c < probabilities.length; c++) if (c === choice || probabilities[c] >= 1 - qhat) set.push(c);
  return set;
}

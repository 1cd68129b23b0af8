/**
 * Conformal sets (least ambiguous sets, Sadinle et al. 2019): with probability 1 - alpha the right route is among those whose
 * probability is at least 1 - qhat, for requests like the calibration rows.
 */

/** `right`: probability given to the right class, for each calibration row. */
export function qhatOf(right: readonly number[], alpha: number): number {
  const scores = right.map((p) => 1 - p).sort((a, b) => a - b);
  const rank = Math.ceil((scores.length + 1) * (1 - alpha));
  return rank > scores.length ? 1 : scores[rank - 1];
}

/** Places of the classes in the set, in rising order; the likeliest one is always inside. */
export function conformalSet(probabilities: ArrayLike<number>, qhat: number, choice: number): number[] {
  const set: number[] = [];
  for (let c = 0; c < probabilities.length; c++) if (c === choice || probabilities[c] >= 1 - qhat) set.push(c);
  return set;
}

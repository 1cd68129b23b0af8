/** Quantiles by nearest rank. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error("cannot compute a quantile without measurements");
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

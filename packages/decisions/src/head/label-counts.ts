/** Metrics of a model card that only require counting labels. */
import type { Json } from "../artifact/header-values.ts";

/** Share of the most frequent label; rows with a negative label do not count. */
export function majorityShare(labels: Int32Array, classes: number): number {
  const counts = new Float64Array(classes);
  let n = 0;
  for (const label of labels)
    if (label >= 0) {
      counts[label]++;
      n++;
    }
  return n === 0 ? 1 : Math.max(...counts) / n;
}

/** The 20 most frequent pairs of expected and chosen route, with their counts. */
export function confusionsOf(labels: Int32Array, choices: Int32Array, routes: readonly string[]): Json {
  const counts = new Map<string, [string, string, number]>();
  for (let row = 0; row < labels.length; row++) {
    if (labels[row] < 0 || labels[row] === choices[row]) continue;
    const key = `${labels[row]} ${choices[row]}`;
    const existing = counts.get(key);
    counts.set(key, [routes[labels[row]], routes[choices[row]], (existing?.[2] ?? 0) + 1]);
  }
  return [...counts.values()].toSorted((a, b) => b[2] - a[2] || (a[0] + a[1] < b[0] + b[1] ? -1 : 1)).slice(0, 20);
}

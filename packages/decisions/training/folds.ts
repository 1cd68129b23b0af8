/**
 * Creates folds from a seed that never split a group: takes the groups in the order of their hashes and assigns each to
 * the smallest fold.
 */
import { hashText } from "../src/text/rows.ts";

export function drawnFolds(groups: readonly string[], folds: number, seed: number): Int32Array {
  const members = [...Map.groupBy(groups.keys(), (row) => groups[row])]
    .map(([group, rows]) => ({ rows, rank: hashText(group, seed), group }))
    .toSorted((a, b) => a.rank - b.rank || (a.group < b.group ? -1 : 1));
  const foldOf = new Int32Array(groups.length);
  const sizes = new Float64Array(folds);
  for (const { rows } of members) {
    const smallest = sizes.indexOf(Math.min(...sizes));
    for (const row of rows) foldOf[row] = smallest;
    sizes[smallest] += rows.length;
  }
  return foldOf;
}

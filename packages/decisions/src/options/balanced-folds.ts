/**
 * Creates folds of similar size that never split a group: assigns the groups, largest first, to the smallest fold so
 * far. Deterministic.
 */
export function balancedFolds(groups: readonly string[], folds: number): Int32Array {
  const members = new Map<string, number[]>();
  for (const [row, group] of groups.entries()) {
    const existing = members.get(group);
    if (existing === undefined) members.set(group, [row]);
    else existing.push(row);
  }
  const foldOf = new Int32Array(groups.length);
  const sizes = new Float64Array(folds);
  const ordered = [...members].toSorted(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1));
  for (const [, rows] of ordered) {
    const smallest = sizes.indexOf(Math.min(...sizes));
    for (const row of rows) foldOf[row] = smallest;
    sizes[smallest] += rows.length;
  }
  return foldOf;
}

/**
 * Folds for cross-fitting: the rows of a group (all texts with one phrasing) stay together, and each route is spread
 * over all folds. Assigns groups round-robin in their order, continuing across routes, so that the result is
 * deterministic.
 */
export interface FoldRow {
  readonly route: number;
  readonly group: string;
}

export function foldsOf(rows: readonly FoldRow[], folds: number): Int32Array {
  const groups = new Map<number, Map<string, number[]>>();
  for (const [index, { route, group }] of rows.entries()) {
    const ofRoute = groups.get(route) ?? new Map<string, number[]>();
    groups.set(route, ofRoute);
    const members = ofRoute.get(group);
    if (members === undefined) ofRoute.set(group, [index]);
    else members.push(index);
  }
  const foldOf = new Int32Array(rows.length);
  let next = 0;
  for (const route of [...groups.keys()].toSorted((a, b) => a - b))
    for (const members of groups.get(route)?.values() ?? []) {
      for (const index of members) foldOf[index] = next % folds;
      next++;
    }
  return foldOf;
}

/**
 * Returns at most `count` candidates within a third of the name's length (at least 2 edits), nearest first, ties in
 * input order.
 */
export function nearest(name: string, candidates: Iterable<string>, count: number): string[] {
  const normalized = name.slice(0, 120).toLowerCase();
  const bound = Math.max(2, Math.floor(normalized.length / 3));
  const found: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - normalized.length) > bound) continue;
    const distance = editDistance(normalized, candidate.toLowerCase());
    if (distance <= bound) found.push({ candidate, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map((entry) => entry.candidate);
}

/** Levenshtein distance with adjacent transpositions (optimal string alignment), in code units. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, beforeLast[column - 2] + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length];
}

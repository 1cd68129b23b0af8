/** The candidate with the smallest edit distance, if it is unique and near enough. */
export function nearestOf(meant: string, names: Iterable<string>): string | null {
  const most = Math.max(1, Math.min(3, Math.floor(meant.length / 4)));
  let best: string | null = null;
  let least = most + 1;
  for (const name of names) {
    const edits = editsBetween(meant, name, most);
    if (edits > least || edits > most) continue;
    // Two candidates at the same distance are ambiguous.
    best = edits < least ? name : null;
    least = edits;
  }
  return best;
}

/** Levenshtein distance; stops above `most`. */
export function editsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
    if (Math.min(...row) > most) return most + 1;
  }
  return row[other.length];
}

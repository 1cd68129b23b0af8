/** Ignores accents, case and separators. */
import { foldName } from "../reference.ts";

/** Null when no name is within a third of the length (at least two letters). */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const folded = foldName(name);
  let best: string | null = null;
  let least = Math.max(2, Math.floor(folded.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(folded, foldName(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column] + 1, current[column - 1] + 1));
    }
    above = current;
  }
  return above[b.length];
}

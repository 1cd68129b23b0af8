/** Ignores accents, case and separators. */
import { editDistance } from "@triptych/util";
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

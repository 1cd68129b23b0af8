import { editDistance } from "@triptych/util";

/**
 * Returns up to `count` candidates, nearest first, ties in input order. The maximum distance is a third of the name's
 * length, but at least 2 edits.
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

/**
 * Selects the calibrator of a choice: one per range of the number of options, and one for vocabularies with a
 * remainder.
 */
import type { Vocabulary } from "./vocabulary.ts";

const RANGES = [1, 2, 4, 8, 16, 64, 255] as const;

export const BUCKET_COUNT = RANGES.length + 1;

export function bucketOf({ labels, remainder }: Pick<Vocabulary, "labels" | "remainder">): number {
  if (remainder) return RANGES.length;
  const range = RANGES.findIndex((most) => labels.length <= most);
  return range < 0 ? RANGES.length - 1 : range;
}

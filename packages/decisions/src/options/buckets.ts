/** Which calibrator judges a choice: one for each range of the number of options, and one where a remainder takes what the others leave. */
import type { Vocabulary } from "./vocabulary.ts";

/** Most options of each range. */
const RANGES = [1, 2, 4, 8, 16, 64, 255] as const;

export const BUCKET_COUNT = RANGES.length + 1;

export function bucketOf({ labels, remainder }: Pick<Vocabulary, "labels" | "remainder">): number {
  if (remainder) return RANGES.length;
  const range = RANGES.findIndex((most) => labels.length <= most);
  return range < 0 ? RANGES.length - 1 : range;
}

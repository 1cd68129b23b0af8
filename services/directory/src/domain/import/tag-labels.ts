/**
 * Tag spellings: the slug identifies a tag, its most frequent spelling is the label. Counts cover the whole import; the
 * first row of each further spelling is recorded for the report.
 */
import type { TagLabel } from "../catalogue.ts";

export interface TagSpelling {
  readonly slug: string;
  readonly label: string;
}

export interface CountedLabel extends TagLabel {
  readonly uses: number;
}

export interface MergedSpellings extends TagLabel {
  readonly spellings: readonly string[];
  /** Line of the first row with a second spelling. */
  readonly line: number;
}

export interface TagLabels {
  add(tag: TagSpelling, line: number): void;
  labels(): CountedLabel[];
  merged(): MergedSpellings[];
}

/** Further spellings of a tag count as the first, to bound memory if the column is free text. */
const SPELLINGS_MAX = 50;

interface Spellings {
  readonly counts: Map<string, number>;
  secondAt: number;
}

export function createTagLabels(): TagLabels {
  const tags = new Map<string, Spellings>();
  const bestOf = (counts: ReadonlyMap<string, number>): string => {
    // Ties: the smaller text, independent of row order.
    const [first, ...others] = counts;
    return others.reduce(
      (best, candidate) =>
        candidate[1] > best[1] || (candidate[1] === best[1] && candidate[0] < best[0]) ? candidate : best,
      first,
    )[0];
  };
  const bySlug = (): [string, Spellings][] => [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    add({ slug, label }, line) {
      const spellings = tags.get(slug);
      if (spellings === undefined) {
        tags.set(slug, { counts: new Map([[label, 1]]), secondAt: 0 });
        return;
      }
      const before = spellings.counts.get(label);
      if (before === undefined && spellings.counts.size >= SPELLINGS_MAX) return;
      if (before === undefined && spellings.secondAt === 0) spellings.secondAt = line;
      spellings.counts.set(label, (before ?? 0) + 1);
    },
    labels: () =>
      bySlug().map(([slug, { counts }]) => {
        const label = bestOf(counts);
        return { slug, label, uses: counts.get(label) ?? 0 };
      }),
    merged: () =>
      bySlug()
        .filter(([, { counts }]) => counts.size > 1)
        .map(([slug, { counts, secondAt }]) => ({
          slug,
          label: bestOf(counts),
          spellings: [...counts.keys()].sort(),
          line: secondAt,
        })),
  };
}

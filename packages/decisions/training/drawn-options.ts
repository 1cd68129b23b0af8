import { hashText } from "../src/text/rows.ts";

interface DrawnFor<T> {
  readonly text: string;
  /** The right option, if any; it comes first. */
  readonly right: T | undefined;
  readonly size: number;
  readonly seed: number;
}

/** At most `size` entries, in an order that depends on the text. */
export function drawnOptions<T>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  { text, right, size, seed }: DrawnFor<T>,
): readonly T[] {
  const others = entries
    .filter((entry) => entry !== right)
    .map((entry) => ({ entry, rank: hashText(`${text} ${nameOf(entry)}`, seed) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
  return [...(right === undefined ? [] : [right]), ...others].slice(0, size);
}

import { compareBytes } from "./string-table.ts";

/** Counts the spellings of each key. */
export interface LabelCounts {
  add(key: string, label: string): void;
  /** In byte order of the keys. The label is the most frequent spelling, ties by bytes. */
  finish(): { readonly key: string; readonly label: string; readonly count: number }[];
}

export function countLabels(): LabelCounts {
  const keys = new Map<string, Map<string, number>>();
  return {
    add(key, label) {
      let spellings = keys.get(key);
      if (spellings === undefined) keys.set(key, (spellings = new Map()));
      spellings.set(label, (spellings.get(label) ?? 0) + 1);
    },
    finish: () =>
      Array.from(keys, ([key, spellings]) => ({
        key,
        label: mostFrequent(spellings),
        count: spellings.values().reduce((sum, count) => sum + count, 0),
      })).sort((a, b) => compareBytes(a.key, b.key)),
  };
}

function mostFrequent(spellings: ReadonlyMap<string, number>): string {
  const [[label]] = [...spellings].sort(([a, ofA], [b, ofB]) => ofB - ofA || compareBytes(a, b));
  return label;
}

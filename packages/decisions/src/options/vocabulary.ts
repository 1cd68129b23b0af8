/** A list of options sorted by the UTF-16 code units of their labels, so that input order has no effect. */
import type { Option, OptionEntry } from "./option.ts";

/** Callers may store it, but should read only the labels. */
export interface Vocabulary {
  readonly labels: readonly string[];
  readonly options: readonly Option[];
  /**
   * True if any option has a parameter. The options are then functions, and open parameters indicate whether one of
   * them is meant.
   */
  readonly functions: boolean;
  /** True if any parameter has a schema. */
  readonly typed: boolean;
  /**
   * True if only some options are described. The others ("false", "other") then stand for all requests that the
   * described ones do not fit.
   */
  readonly remainder: boolean;
}

export function readVocabulary(entries: readonly OptionEntry[], read: (entry: OptionEntry) => Option): Vocabulary {
  const options = entries.map(read);
  options.sort((first, other) => compareLabels(first.label, other.label));
  const remainder = options.some(({ isBare }) => isBare) && options.some(({ isBare }) => !isBare);
  return {
    labels: options.map(({ label }) => label),
    options,
    functions: options.some(({ parameterCount }) => parameterCount > 0),
    typed: options.some(({ needs }) => needs.isKnown),
    remainder,
  };
}

function compareLabels(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The calibrators: one for each range of the number of options, separately for functions and other options, and one for
 * vocabularies with a remainder.
 */
const RANGES = [1, 2, 4, 8, 16, 64, 255] as const;
const REMAINDER = 2 * RANGES.length;

export const BUCKET_COUNT = REMAINDER + 1;

export function bucketOf({
  labels,
  remainder,
  functions,
}: Pick<Vocabulary, "labels" | "remainder" | "functions">): number {
  if (remainder) return REMAINDER;
  const range = RANGES.findIndex((most) => labels.length <= most);
  const index = range < 0 ? RANGES.length - 1 : range;
  return functions ? index : RANGES.length + index;
}

export function isFunctionBucket(bucket: number): boolean {
  return bucket < RANGES.length;
}

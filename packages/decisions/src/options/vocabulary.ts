/**
 * A list of options to choose from, in the order of UTF-16 code units of their labels, so that the order they came in can show nowhere.
 */
import type { Option, OptionEntry } from "./option.ts";

/** Callers may keep it, and read nothing but the labels. */
export interface Vocabulary {
  readonly labels: readonly string[];
  /** In the order of the labels. */
  readonly options: readonly Option[];
  /** Some option has a parameter: then they are functions, and what a request leaves open of them tells whether it means one. */
  readonly functions: boolean;
  /** Some options are described and some are not: those take what the described ones leave ("true" and "false", "other"). */
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
    remainder,
  };
}

function compareLabels(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

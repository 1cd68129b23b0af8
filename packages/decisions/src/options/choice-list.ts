/**
 * A request with its options, prepared once for training: the signals, the right option, and the properties that select
 * its models.
 */
import type { Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { gateFeatures, gateSideOf } from "./gate.ts";
import { createOptionTexts } from "./option-texts.ts";
import { createOptions, type OptionEntry } from "./option.ts";
import { optionSignals } from "./option-signals.ts";
import { createQueryTerms } from "./query-terms.ts";
import { bucketOf, readVocabulary } from "./vocabulary.ts";

export interface ChoiceRow {
  readonly text: string;
  readonly context?: string;
  readonly options: readonly OptionEntry[];
  readonly expected: string | null;
  /** Rows of a group share options and stay in the same fold. */
  readonly group: string;
  readonly use: RowUse;
}

/**
 * What a row trains. `all`: everything (requests of public sets); `calibrate`: the calibration (generated for a number
 * of options); `gate`: gate and confidence (from intent sets, experts and function calls); `rank`: only the weights.
 */
export type RowUse = "all" | "calibrate" | "gate" | "rank";

export type ChoiceList = ReturnType<ReturnType<typeof createListReader>>;

export function createListReader(trunk: Trunk, frequencies: Frequencies, exampleWeight: number) {
  const queryTermsOf = createQueryTerms(trunk, frequencies);
  const optionOf = createOptions({ texts: createOptionTexts(trunk, frequencies), exampleWeight });
  return ({ text, context, options, expected, use }: Omit<ChoiceRow, "group">) => {
    const vocabulary = readVocabulary(options, optionOf);
    const encoding = trunk.encode(text, context);
    const query = queryTermsOf(encoding);
    const signals = optionSignals(encoding, query, vocabulary);
    const right = expected === null ? -1 : vocabulary.labels.indexOf(expected);
    const features = (scores: Float64Array, choice: number, margin: number) =>
      gateFeatures({ query, vocabulary, signals, scores, choice, margin });
    const { labels, remainder, functions } = vocabulary;
    return {
      labels,
      signals,
      right,
      features,
      use,
      bucket: bucketOf(vocabulary),
      gate: gateSideOf(vocabulary),
      remainder,
      functions,
    };
  };
}

export function isChoice({ right, labels }: ChoiceList): boolean {
  return right >= 0 && labels.length > 1;
}

export interface Sides<T> {
  readonly functions: T;
  readonly plain: T;
}

export function sideOf<T>(sides: Sides<T>, { functions }: Pick<ChoiceList, "functions">): T {
  return functions ? sides.functions : sides.plain;
}

export function rowsWhere(lists: readonly ChoiceList[], applies: (list: ChoiceList) => boolean): number[] {
  return [...lists.keys()].filter((row) => applies(lists[row]));
}

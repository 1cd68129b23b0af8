/**
 * Trains the IDF values, the signal weights, the gates, and a calibrator for each range of the number of options.
 * Calibration uses unseen options: rows that share an option are in the same fold.
 */
import type { Json } from "../artifact/header-values.ts";
import { topOf } from "../calibration/confidence.ts";
import { logisticOf } from "../calibration/logistic.ts";
import { softmax } from "../head/logits.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { balancedFolds } from "./balanced-folds.ts";
import { calibrateBucket, temperatureOf, type JudgedChoice } from "./calibrate-options.ts";
import { createListReader, isChoice, rowsWhere, sideOf, type ChoiceList, type ChoiceRow } from "./choice-list.ts";
import { fitGates, FOLDS, perFold, type FittedGate } from "./fit-gates.ts";
import { weightsOf } from "./fit-weights.ts";
import { countFrequencies, openFrequencies } from "./frequencies.ts";
import type { Gate } from "./gate.ts";
import { scoresOf } from "./load-options.ts";
import { writeOptions, type OptionsBucket } from "./options-file.ts";
import { termsOf, textOfTerm } from "./terms.ts";
import { BUCKET_COUNT, isFunctionBucket } from "./vocabulary.ts";

export type { ChoiceRow } from "./choice-list.ts";

export interface TrainOptionsInput {
  readonly rows: readonly ChoiceRow[];
  /** The texts that the IDF values are counted on; by default those of the rows. */
  readonly documents?: readonly string[];
  /** Weight of the examples of an option relative to its name and description. */
  readonly exampleWeight?: number;
}

export interface TrainedOptions {
  readonly bytes: Uint8Array;
  /** The decision for each row, with weights, gate and calibrator that had not seen its options. */
  readonly unseen: readonly UnseenChoice[];
}

export interface UnseenChoice {
  readonly label: string;
  readonly right: boolean;
  readonly confidence: number;
  readonly margin: number;
  readonly fits: number;
  readonly passes: boolean;
}

const EXAMPLE_WEIGHT = 1;
/** A range of the number of options that has fewer rows is calibrated on all rows. */
const FEWEST = 50;

export function trainOptions(
  trunk: Trunk,
  { rows, documents = textsOf(rows), exampleWeight = EXAMPLE_WEIGHT }: TrainOptionsInput,
  card: { readonly [name: string]: Json } = {},
): TrainedOptions {
  const frequencyBytes = countFrequencies(termsOfTexts(trunk, documents));
  const lists = rows.map(createListReader(trunk, openFrequencies(frequencyBytes), exampleWeight));
  const foldOf = balancedFolds(
    rows.map(({ group }) => group),
    FOLDS,
  );
  const unseenWeights = perFold(foldOf, (uses) => weightsOf(lists.filter((_, row) => uses(row))));
  const scores = lists.map((list, row) => scoresOf(list.signals, sideOf(unseenWeights[foldOf[row]], list)));
  const temperatures = temperaturesOf(lists, scores);
  const chosen = lists.map((list, row) => choiceOf(list, scores[row], temperatures));
  const gates = fitGates({ lists, foldOf }, (row) => chosen[row].features);
  const judged = chosen.map(({ choice, top, margin, features }, row): JudgedChoice => ({
    top,
    margin,
    // If one option stands for all other requests, something always fits.
    scope: lists[row].remainder ? 1 : logisticOf(gates[lists[row].gate].unseen[foldOf[row]], features),
    right: choice === lists[row].right ? 1 : 0,
  }));
  const { buckets, confidence } = calibrateBuckets(lists, judged, temperatures);
  const trained = {
    trunk: trunk.sha256,
    weights: weightsOf(lists),
    exampleWeight,
    gates: { schema: toGate(gates.schema), functions: toGate(gates.functions), plain: toGate(gates.plain) },
    buckets,
    card,
  };
  return {
    bytes: writeOptions(trained, frequencyBytes),
    unseen: judged.map(({ margin, right, scope }, row) => ({
      label: lists[row].labels[chosen[row].choice],
      right: right === 1,
      confidence: confidence[row],
      margin,
      fits: scope,
      passes: scope >= gates[lists[row].gate].floor,
    })),
  };
}

/**
 * The rows of a calibrator, or all rows of its side if it has few. `rank` rows are left out: they are too easy, because
 * the trunk was trained on them.
 */
function membersOf(lists: readonly ChoiceList[], bucket: number, applies: (list: ChoiceList) => boolean): number[] {
  const usable = rowsWhere(lists, (list) => list.use !== "rank" && applies(list));
  const own = usable.filter((row) => lists[row].bucket === bucket);
  if (own.length >= FEWEST) return own;
  const sameSide = usable.filter((row) => lists[row].functions === isFunctionBucket(bucket));
  return sameSide.length >= FEWEST ? sameSide : usable;
}

function temperaturesOf(lists: readonly ChoiceList[], scores: readonly Float64Array[]): readonly number[] {
  return Array.from({ length: BUCKET_COUNT }, (_, bucket) =>
    temperatureOf(membersOf(lists, bucket, isChoice).map((row) => ({ scores: scores[row], right: lists[row].right }))),
  );
}

function choiceOf({ features, bucket }: ChoiceList, scored: Float64Array, temperatures: readonly number[]) {
  const { choice, top, margin } = topOf(softmax(scored, temperatures[bucket]));
  return { choice, top, margin, features: features(scored, choice, margin) };
}

function calibrateBuckets(
  lists: readonly ChoiceList[],
  judged: readonly JudgedChoice[],
  temperatures: readonly number[],
) {
  const confidence = new Float64Array(lists.length);
  const buckets = temperatures.map((temperature, bucket): OptionsBucket => {
    const members = membersOf(lists, bucket, () => true);
    const fitted = calibrateBucket(members.map((row) => judged[row]));
    for (const [index, row] of members.entries())
      if (lists[row].bucket === bucket) confidence[row] = fitted.unseen[index];
    return { temperature, confidence: fitted.confidence, risk: fitted.risk };
  });
  return { buckets, confidence };
}

function toGate({ fits, floor }: FittedGate): Gate {
  return { fits, floor };
}

/** The texts of real requests and of the options that they offer. */
function textsOf(rows: readonly ChoiceRow[]): readonly string[] {
  const own = rows.filter(({ use }) => use === "all");
  const offered = own.flatMap(({ options }) =>
    options.map(({ label, description, parameters }) =>
      [label, description, ...parameters.map(({ text }) => text)].join("\n"),
    ),
  );
  return [...own.map(({ text }) => text), ...offered];
}

function termsOfTexts(trunk: Trunk, texts: readonly string[]): Iterable<readonly string[]> {
  return [...new Set(texts)].map((text) => {
    const { stems, pairs } = termsOf(trunk.encode(text).tokens, () => 0);
    return [...stems, ...pairs].map(textOfTerm);
  });
}

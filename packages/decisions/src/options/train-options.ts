/**
 * Trains IDF, signal weights, the gate, and a calibrator per number of options. Calibration uses unseen options: rows
 * that share an option are in one fold.
 */
import type { Json } from "../artifact/header-values.ts";
import { topOf } from "../calibration/confidence.ts";
import { fitLogistic, fitStandardized, logisticOf, type Logistic } from "../calibration/logistic.ts";
import { softmax } from "../head/logits.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { balancedFolds } from "./balanced-folds.ts";
import { bestFloor, calibrateBucket, temperatureOf, type JudgedChoice } from "./calibrate-options.ts";
import { fitListwise } from "./fit-listwise.ts";
import { countFrequencies, openFrequencies } from "./frequencies.ts";
import { GATE_WIDTH, gateFeatures, type Gate } from "./gate.ts";
import { UNDECORATED, optionSignals, SIGNAL_COUNT } from "./option-signals.ts";
import { scoresOf } from "./load-options.ts";
import { BUCKET_COUNT, bucketOf, readVocabulary } from "./vocabulary.ts";
import { writeOptions, type OptionsBucket } from "./options-file.ts";
import { createOptionTexts } from "./option-texts.ts";
import { createQueryTerms } from "./query-terms.ts";
import { termsOf, textOfTerm } from "./terms.ts";
import { createOptions, type OptionEntry } from "./option.ts";

export interface ChoiceRow {
  readonly text: string;
  readonly context?: string;
  readonly options: readonly OptionEntry[];
  readonly expected: string | null;
  /** Rows of one group share options and stay together. */
  readonly group: string;
  /** Whether the row is a real request, or was generated to calibrate a number of options. */
  readonly use: "all" | "calibrate";
}

export interface TrainOptionsInput {
  readonly rows: readonly ChoiceRow[];
  /** Weight of an option's examples relative to name and description. */
  readonly exampleWeight?: number;
}

export interface TrainedOptions {
  readonly bytes: Uint8Array;
  /** Per row, the decision by weights, gate and calibrator that had not seen its options. */
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

const FOLDS = 5;
const EXAMPLE_WEIGHT = 1;
const GATE_RIDGE = 10;
/** Numbers of options with fewer rows than this are calibrated on all rows. */
const FEWEST = 50;

export function trainOptions(
  trunk: Trunk,
  { rows, exampleWeight = EXAMPLE_WEIGHT }: TrainOptionsInput,
  card: { readonly [name: string]: Json } = {},
): TrainedOptions {
  const frequencyBytes = countFrequencies(documentsOf(trunk, rows));
  const listOf = createListReader(trunk, openFrequencies(frequencyBytes), exampleWeight);
  const lists = rows.map(listOf);
  const groups = rows.map(({ group }) => group);
  const foldOf = balancedFolds(groups, FOLDS);
  const unseenWeights = perFold(foldOf, (uses) => weightsOf(lists.filter((_, row) => uses(row))));
  const scoresFor = ({ signals }: ChoiceList, row: number) => scoresOf(signals, unseenWeights[foldOf[row]]);
  const scores = lists.map(scoresFor);
  const temperatures = temperaturesOf(lists, scores);
  const chosen = lists.map((list, row) => choiceOf(list, scores[row], temperatures));
  const gates = fitGates(
    { lists, foldOf },
    (row) => chosen[row].features,
    (row) => {
      const options = rows[row].options.map((option) => ({ ...option, parameters: [] }));
      const list = listOf({ ...rows[row], options });
      return choiceOf(list, scoresFor(list, row), temperatures).features;
    },
  );
  const gateOf = (row: number) => (lists[row].functions ? gates.functions : gates.plain);
  const judged = chosen.map(({ choice, top, margin, features }, row): JudgedChoice => ({
    top,
    margin,
    // Whether anything fits is meaningless with a remainder option.
    scope: lists[row].remainder ? 1 : logisticOf(gateOf(row).unseen[foldOf[row]], features),
    right: choice === lists[row].right ? 1 : 0,
  }));
  const { buckets, confidence } = calibrateBuckets(lists, judged, temperatures);
  const trained = {
    trunk: trunk.sha256,
    weights: weightsOf(lists),
    exampleWeight,
    gates: { functions: toGate(gates.functions), plain: toGate(gates.plain) },
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
      passes: scope >= gateOf(row).floor,
    })),
  };
}

type ChoiceList = ReturnType<ReturnType<typeof createListReader>>;

function createListReader(trunk: Trunk, frequencies: ReturnType<typeof openFrequencies>, exampleWeight: number) {
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
    return { labels, signals, right, features, use, bucket: bucketOf(vocabulary), remainder, functions };
  };
}

function perFold<T>(foldOf: Int32Array, fit: (uses: (row: number) => boolean) => T): readonly T[] {
  return Array.from({ length: FOLDS }, (_, fold) => fit((row) => foldOf[row] !== fold));
}

function isChoice({ right, labels }: ChoiceList): boolean {
  return right >= 0 && labels.length > 1;
}

function weightsOf(lists: readonly ChoiceList[]): number[] {
  const used = lists.filter((list) => list.use === "all" && isChoice(list));
  const weights = fitListwise(
    used.filter(({ remainder }) => !remainder),
    SIGNAL_COUNT,
  );
  return withRemainder(
    weights,
    used.filter(({ remainder }) => remainder),
  );
}

function rowsWhere(lists: readonly ChoiceList[], applies: (list: ChoiceList) => boolean): number[] {
  return [...lists.keys()].filter((row) => applies(lists[row]));
}

function temperaturesOf(lists: readonly ChoiceList[], scores: readonly Float64Array[]): readonly number[] {
  return Array.from({ length: BUCKET_COUNT }, (_, bucket) => {
    const own = rowsWhere(lists, (list) => isChoice(list) && list.bucket === bucket);
    const members = own.length < FEWEST ? rowsWhere(lists, isChoice) : own;
    return temperatureOf(members.map((row) => ({ scores: scores[row], right: lists[row].right })));
  });
}

function choiceOf({ features, bucket }: ChoiceList, scored: Float64Array, temperatures: readonly number[]) {
  const { choice, top, margin } = topOf(softmax(scored, temperatures[bucket]));
  return { choice, top, margin, features: features(scored, choice, margin) };
}

interface Folded {
  readonly lists: readonly ChoiceList[];
  readonly foldOf: Int32Array;
}

/** `plainFeatures`: of the same request with only names and descriptions of the options. */
function fitGates(
  folded: Folded,
  features: (row: number) => Float64Array,
  plainFeatures: (row: number) => Float64Array,
) {
  const { lists } = folded;
  const gated = rowsWhere(lists, ({ use, remainder }) => use === "all" && !remainder);
  const functions = gated.filter((row) => lists[row].functions);
  const members = (rows: readonly number[], of: (row: number) => Float64Array) =>
    rows.map((row) => [row, of(row)] as const);
  return {
    functions: fitGate(members(functions.length > 0 ? functions : gated, features), folded),
    plain: fitGate(
      members(gated, (row) => (lists[row].functions ? plainFeatures(row) : features(row))),
      folded,
    ),
  };
}

type GateRow = readonly [row: number, features: Float64Array];

/** The floor is fitted with gates that had not seen the options of the row. */
function fitGate(members: readonly GateRow[], { lists, foldOf }: Folded) {
  const unseen = perFold(foldOf, (uses) =>
    gateOn(
      members.filter(([row]) => uses(row)),
      lists,
    ),
  );
  const floor = bestFloor(
    members.map(([row, own]) => ({ fits: logisticOf(unseen[foldOf[row]], own), fitting: lists[row].right >= 0 })),
  );
  return { fits: gateOn(members, lists), floor, unseen };
}

function gateOn(members: readonly GateRow[], lists: readonly ChoiceList[]): Logistic {
  const features = new Float64Array(members.length * GATE_WIDTH);
  for (const [index, [, own]] of members.entries()) features.set(own, index * GATE_WIDTH);
  const targets = members.map(([row]) => (lists[row].right >= 0 ? 1 : 0));
  return fitStandardized({ features, width: GATE_WIDTH, targets, ridge: GATE_RIDGE });
}

function calibrateBuckets(
  lists: readonly ChoiceList[],
  judged: readonly JudgedChoice[],
  temperatures: readonly number[],
) {
  const confidence = new Float64Array(lists.length);
  const buckets = temperatures.map((temperature, bucket): OptionsBucket => {
    const own = rowsWhere(lists, (list) => list.bucket === bucket);
    const members = own.length < FEWEST ? [...lists.keys()] : own;
    const fitted = calibrateBucket(members.map((row) => judged[row]));
    for (const [index, row] of members.entries())
      if (lists[row].bucket === bucket) confidence[row] = fitted.unseen[index];
    return { temperature, confidence: fitted.confidence, risk: fitted.risk };
  });
  return { buckets, confidence };
}

function toGate({ fits, floor }: Gate): Gate {
  return { fits, floor };
}

interface RemainderList {
  readonly signals: Float64Array;
  readonly right: number;
}

/**
 * The weight of a bare label: chosen so that bare options score as high as the best described option where that is as
 * likely right as not.
 */
function withRemainder(weights: readonly number[], lists: readonly RemainderList[]): number[] {
  if (lists.length === 0) return [...weights];
  const leads = lists.map(({ signals }) => {
    const scores = scoresOf(signals, weights);
    let described = -Infinity;
    let bare = -Infinity;
    for (let index = 0; index < scores.length; index++)
      if (signals[index * SIGNAL_COUNT + UNDECORATED] === 0) described = Math.max(described, scores[index]);
      else bare = Math.max(bare, scores[index]);
    return described - bare;
  });
  const { bias, weights: slopes } = fitLogistic({
    features: Float64Array.from(leads),
    width: 1,
    targets: lists.map(({ signals, right }) => 1 - signals[right * SIGNAL_COUNT + UNDECORATED]),
  });
  const weight = slopes[0] > 0 ? -bias / slopes[0] : 0;
  return weights.map((other, signal) => (signal === UNDECORATED ? weight : other));
}

function documentsOf(trunk: Trunk, rows: readonly ChoiceRow[]): Iterable<readonly string[]> {
  const own = rows.filter(({ use }) => use !== "calibrate");
  const requests = own.map(({ text }) => text);
  const offered = own.flatMap(({ options }) =>
    options.map(({ label, description, parameters }) => [label, description, ...parameters].join("\n")),
  );
  return [...new Set([...requests, ...offered])].map((text) => {
    const { stems, pairs } = termsOf(trunk.encode(text).tokens, () => 0);
    return [...stems, ...pairs].map(textOfTerm);
  });
}

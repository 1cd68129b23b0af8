/**
 * Trains IDF, signal weights, the gate, and a calibrator per number of options. Calibration uses unseen options: rows
 * that share an option are in one fold.
 */
import type { Json } from "../artifact/canonical-json.ts";
import { topOf } from "../calibration/confidence.ts";
import { fitLogistic, fitStandardized, logisticOf, type Logistic } from "../calibration/logistic.ts";
import { softmax } from "../head/softmax.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { balancedFolds } from "./balanced-folds.ts";
import { bestFloor, calibrateBucket, temperatureOf, type JudgedChoice } from "./calibrate-options.ts";
import { fitListwise } from "./fit-listwise.ts";
import { countFrequencies, openFrequencies } from "./frequencies.ts";
import { GATE_WIDTH, gateFeatures, type Gate } from "./gate.ts";
import { UNDECORATED, optionSignals, SIGNAL_COUNT } from "./option-signals.ts";
import { scoresOf } from "./load-options.ts";
import { BUCKET_COUNT, bucketOf } from "./buckets.ts";
import { writeOptions, type OptionsBucket } from "./options-file.ts";
import { createOptionTexts } from "./option-texts.ts";
import { createQueryTerms } from "./query-terms.ts";
import { termsOf, textOfTerm } from "./terms.ts";
import { createOptions, type OptionEntry } from "./option.ts";
import { readVocabulary } from "./vocabulary.ts";

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
  const frequencies = openFrequencies(frequencyBytes);
  const queryTermsOf = createQueryTerms(trunk, frequencies);
  const optionOf = createOptions({ texts: createOptionTexts(trunk, frequencies), exampleWeight });
  const listOf = ({ text, context, options, expected, use }: Omit<ChoiceRow, "group">) => {
    const vocabulary = readVocabulary(options, optionOf);
    const encoding = trunk.encode(text, context);
    const query = queryTermsOf(encoding);
    const signals = optionSignals(encoding, query, vocabulary);
    const right = expected === null ? -1 : vocabulary.labels.indexOf(expected);
    const features = (scores: Float64Array, choice: number, margin: number) =>
      gateFeatures({ query, vocabulary, signals, scores, choice, margin });
    return {
      labels: vocabulary.labels,
      signals,
      right,
      features,
      use,
      bucket: bucketOf(vocabulary),
      remainder: vocabulary.remainder,
      functions: vocabulary.functions,
    };
  };
  const lists = rows.map(listOf);
  const foldOf = balancedFolds(
    rows.map(({ group }) => group),
    FOLDS,
  );
  const perFold = <T>(fit: (uses: (row: number) => boolean) => T): readonly T[] =>
    Array.from({ length: FOLDS }, (_, fold) => fit((row) => foldOf[row] !== fold));

  /** Whether anything fits is meaningless with a remainder option. */
  function isGated(row: number): boolean {
    return lists[row].use === "all" && !lists[row].remainder;
  }
  const isChoice = (row: number) => lists[row].right >= 0 && lists[row].labels.length > 1;
  const fitWeights = (uses: (row: number) => boolean) => {
    const used = lists.filter((list, row) => list.use === "all" && isChoice(row) && uses(row));
    const weights = fitListwise(
      used.filter(({ remainder }) => !remainder),
      SIGNAL_COUNT,
    );
    return withRemainder(
      weights,
      used.filter(({ remainder }) => remainder),
    );
  };
  const weights = fitWeights(() => true);
  const unseenWeights = perFold(fitWeights);
  const scores = lists.map(({ signals }, row) => scoresOf(signals, unseenWeights[foldOf[row]]));
  const temperatures = Array.from({ length: BUCKET_COUNT }, (_, bucket) => {
    const own = [...lists.keys()].filter((row) => isChoice(row) && lists[row].bucket === bucket);
    const members = own.length < FEWEST ? [...lists.keys()].filter(isChoice) : own;
    return temperatureOf(members.map((row) => ({ scores: scores[row], right: lists[row].right })));
  });

  const chosen = lists.map((list, row) => choiceOf(list, scores[row]));
  const gatedRows = [...lists.keys()].filter(isGated);
  const offersFunctions = gatedRows.filter((row) => lists[row].functions);
  // The same requests with only names and descriptions of the options.
  const plain = new Map(
    gatedRows.map((row) => {
      if (!lists[row].functions) return [row, chosen[row].features] as const;
      const options = rows[row].options.map((option) => ({ ...option, parameters: [] }));
      const list = listOf({ ...rows[row], options });
      return [row, choiceOf(list, scoresOf(list.signals, unseenWeights[foldOf[row]])).features] as const;
    }),
  );
  const gates = {
    functions: fitGate(
      new Map((offersFunctions.length > 0 ? offersFunctions : gatedRows).map((row) => [row, chosen[row].features])),
    ),
    plain: fitGate(plain),
  };
  const fitsOf = (row: number) => {
    if (lists[row].remainder) return 1;
    const { unseen } = lists[row].functions ? gates.functions : gates.plain;
    return logisticOf(unseen[foldOf[row]], chosen[row].features);
  };
  const judged = chosen.map(({ choice, top, margin }, row): JudgedChoice => ({
    top,
    margin,
    scope: fitsOf(row),
    right: choice === lists[row].right ? 1 : 0,
  }));

  const confidence = new Float64Array(rows.length);
  const buckets = Array.from({ length: BUCKET_COUNT }, (_, bucket): OptionsBucket => {
    const own = [...lists.keys()].filter((row) => lists[row].bucket === bucket);
    const members = own.length < FEWEST ? [...lists.keys()] : own;
    const fitted = calibrateBucket(members.map((row) => judged[row]));
    for (const [index, row] of members.entries())
      if (lists[row].bucket === bucket) confidence[row] = fitted.unseen[index];
    return { temperature: temperatures[bucket], confidence: fitted.confidence, risk: fitted.risk };
  });
  return {
    bytes: writeOptions(
      {
        trunk: trunk.sha256,
        weights,
        exampleWeight,
        gates: { functions: toGate(gates.functions), plain: toGate(gates.plain) },
        buckets,
        card,
      },
      frequencyBytes,
    ),
    unseen: judged.map(({ margin, right, scope }, row) => ({
      label: lists[row].labels[chosen[row].choice],
      right: right === 1,
      confidence: confidence[row],
      margin,
      fits: scope,
      passes: scope >= (lists[row].functions ? gates.functions : gates.plain).floor,
    })),
  };

  function choiceOf({ features, bucket }: ReturnType<typeof listOf>, scored: Float64Array) {
    const { choice, top, margin } = topOf(softmax(scored, temperatures[bucket]));
    return { choice, top, margin, features: features(scored, choice, margin) };
  }

  /** The floor is fitted with gates that had not seen the options of the row. */
  function fitGate(features: ReadonlyMap<number, Float64Array>) {
    const members = [...features];
    const unseen = perFold((uses) => gateOn(members.filter(([row]) => uses(row))));
    const floor = bestFloor(
      members.map(([row, own]) => ({ fits: logisticOf(unseen[foldOf[row]], own), fitting: lists[row].right >= 0 })),
    );
    return { fits: gateOn(members), floor, unseen };
  }

  function gateOn(members: readonly (readonly [row: number, features: Float64Array])[]): Logistic {
    const features = new Float64Array(members.length * GATE_WIDTH);
    for (const [index, [, own]] of members.entries()) features.set(own, index * GATE_WIDTH);
    const targets = members.map(([row]) => (lists[row].right >= 0 ? 1 : 0));
    return fitStandardized({ features, width: GATE_WIDTH, targets, ridge: GATE_RIDGE });
  }
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

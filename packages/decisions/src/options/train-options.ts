/**
 * Trains the options scorer: how telling terms are, one weight a signal, the gate, and a calibrator for each number of options. What
 * calibrates are predictions for rows whose options the weights had not seen: rows that share an option stand in one fold.
 */
import type { Json } from "../artifact/canonical-json.ts";
import { confidenceOf, fitConfidence, topOf, type Standing } from "../calibration/confidence.ts";
import { fitLogistic, logisticOf, type Logistic } from "../calibration/logistic.ts";
import { riskCurve } from "../calibration/risk.ts";
import { fitTemperature } from "../calibration/temperature.ts";
import { areaUnderRoc, calibrationError, mean } from "../evaluate/metrics.ts";
import { softmax } from "../head/softmax.ts";
import type { Trunk } from "../trunk/trunk.ts";
import { balancedFolds } from "./balanced-folds.ts";
import { fitListwise } from "./fit-listwise.ts";
import { countFrequencies, openFrequencies } from "./frequencies.ts";
import { GATE_WIDTH, gateFeatures } from "./gate.ts";
import { createSignals, SIGNAL_COUNT } from "./option-signals.ts";
import { scoresOf } from "./open-options.ts";
import { BUCKETS, bucketOf, writeOptions, type OptionsBucket } from "./options-file.ts";
import { termsOf } from "./terms.ts";
import { readVocabulary, type OptionEntry } from "./vocabulary.ts";

export interface ChoiceRow {
  readonly text: string;
  readonly context?: string;
  readonly options: readonly OptionEntry[];
  /** The right label, or null where none fits. */
  readonly expected: string | null;
  /** Rows of one group stay together: they share options. */
  readonly group: string;
}

export interface OptionsOrder {
  readonly rows: readonly ChoiceRow[];
  /** Further texts that tell how common terms are. */
  readonly texts?: readonly string[];
  readonly exampleWeight?: number;
}

export interface TrainedOptions {
  readonly bytes: Uint8Array;
  readonly report: { readonly [name: string]: Json };
  /** For each row what was decided by weights that had not seen its options. */
  readonly unseen: readonly UnseenChoice[];
}

export interface UnseenChoice {
  readonly label: string;
  readonly right: boolean;
  readonly confidence: number;
  readonly margin: number;
  readonly fits: number;
}

const FOLDS = 5;
const EXAMPLE_WEIGHT = 1;
/** A number of options with fewer rows than this is calibrated on all rows. */
const FEWEST = 50;

export function trainOptions(
  trunk: Trunk,
  { rows, texts = [], exampleWeight = EXAMPLE_WEIGHT }: OptionsOrder,
): TrainedOptions {
  const frequencyBytes = countFrequencies(documentsOf(trunk, rows, texts));
  const frequencies = openFrequencies(frequencyBytes);
  const { signalsOf } = createSignals(trunk, frequencies);
  const lists = rows.map(({ text, context, options, expected }) => {
    const vocabulary = readVocabulary(options, { trunk, frequencies, exampleWeight });
    return {
      labels: vocabulary.labels,
      signals: signalsOf(trunk.encode(text, context), vocabulary),
      right: expected === null ? -1 : vocabulary.labels.indexOf(expected),
      bucket: bucketOf(options.length),
    };
  });
  const foldOf = balancedFolds(
    rows.map(({ group }) => group),
    FOLDS,
  );
  const learnable = (row: number) => lists[row].right >= 0 && lists[row].labels.length > 1;
  const fitOn = (uses: (row: number) => boolean) =>
    fitListwise(
      lists.filter((_, row) => learnable(row) && uses(row)),
      SIGNAL_COUNT,
    );
  const weights = fitOn(() => true);
  const unseenWeights = Array.from({ length: FOLDS }, (_, fold) => fitOn((row) => foldOf[row] !== fold));
  const scores = lists.map(({ signals }, row) => scoresOf(signals, unseenWeights[foldOf[row]]));

  const temperatures = BUCKETS.map((_, bucket) =>
    temperatureOf(
      lists.flatMap((list, row) =>
        list.bucket === bucket && learnable(row) ? [{ scores: scores[row], right: list.right }] : [],
      ),
    ),
  );
  const judged = lists.map(({ signals, right, bucket }, row) => {
    const { choice, top, margin } = topOf(softmax(scores[row], temperatures[bucket]));
    const features = gateFeatures({ signals, scores: scores[row], choice, margin });
    return { choice, top, margin, features, right: choice === right ? 1 : 0, fitting: right >= 0 ? 1 : 0 };
  });
  const gateOn = (uses: (row: number) => boolean): Logistic => {
    const used = judged.filter((_, row) => uses(row));
    const features = new Float64Array(used.length * GATE_WIDTH);
    for (const [place, one] of used.entries()) features.set(one.features, place * GATE_WIDTH);
    return fitLogistic({ features, width: GATE_WIDTH, targets: used.map(({ fitting }) => fitting), ridge: 1 });
  };
  const gate = gateOn(() => true);
  const unseenGates = Array.from({ length: FOLDS }, (_, fold) => gateOn((row) => foldOf[row] !== fold));
  const fits = judged.map(({ features }, row) => logisticOf(unseenGates[foldOf[row]], features));
  const { floor, balanced } = bestFloor(fits, judged);

  const confidence = new Float64Array(rows.length);
  const buckets = BUCKETS.map((_, bucket): OptionsBucket => {
    const own = [...lists.keys()].filter((row) => lists[row].bucket === bucket);
    const members = own.length < FEWEST ? [...lists.keys()] : own;
    const fitted = calibrate(members);
    for (const [place, row] of members.entries())
      if (lists[row].bucket === bucket) confidence[row] = fitted.unseen[place];
    return { temperature: temperatures[bucket], confidence: fitted.confidence, risk: fitted.risk };
  });
  const report = {
    protocol: `${FOLDS}-fold, grouped by shared options, cross-fitted`,
    buckets: BUCKETS.map((most, bucket) => {
      const members = [...lists.keys()].filter((row) => lists[row].bucket === bucket);
      const right = members.map((row) => judged[row].right);
      return {
        most,
        n: members.length,
        accuracy: mean(members.filter((row) => lists[row].right >= 0).map((row) => judged[row].right)),
        ece: calibrationError(
          members.map((row) => confidence[row]),
          right,
        ),
      };
    }),
    gate: {
      balanced,
      auroc: areaUnderRoc(
        fits.filter((_, row) => judged[row].fitting === 1),
        fits.filter((_, row) => judged[row].fitting === 0),
      ),
    },
  };
  const bytes = writeOptions(
    { trunk: trunk.sha256, weights, exampleWeight, gate, gateFloor: floor, buckets, card: { report } },
    frequencyBytes,
  );
  const unseen = judged.map(({ choice, margin, right }, row) => ({
    label: lists[row].labels[choice],
    right: right === 1,
    confidence: confidence[row],
    margin,
    fits: fits[row],
  }));
  return { bytes, report, unseen };

  function calibrate(members: readonly number[]) {
    const standings = members.map((row): Standing => ({
      top: judged[row].top,
      margin: judged[row].margin,
      scope: fits[row],
    }));
    const right = members.map((row) => judged[row].right);
    const unseen = new Float64Array(members.length);
    for (let fold = 0; fold < FOLDS; fold++) {
      const others = [...members.keys()].filter((place) => foldOf[members[place]] !== fold);
      const map = fitConfidence(
        others.map((place) => standings[place]),
        others.map((place) => right[place]),
      );
      for (const [place, row] of members.entries())
        if (foldOf[row] === fold) unseen[place] = confidenceOf(map, standings[place]);
    }
    return { confidence: fitConfidence(standings, right), risk: riskCurve(unseen, right), unseen };
  }
}

function documentsOf(trunk: Trunk, rows: readonly ChoiceRow[], texts: readonly string[]): Iterable<readonly string[]> {
  const said = rows.map(({ text }) => text);
  const offered = rows.flatMap(({ options }) =>
    options.map(({ label, description, parameters }) => [label, description, ...parameters].join("\n")),
  );
  return [...new Set([...said, ...offered, ...texts])].map((text) => {
    const { stems, pairs } = termsOf(trunk.encode(text).tokens);
    return [...stems, ...pairs];
  });
}

/** Lists of different lengths beside each other: what is not there has no chance. */
function temperatureOf(lists: readonly { readonly scores: Float64Array; readonly right: number }[]): number {
  const classes = Math.max(1, ...lists.map(({ scores }) => scores.length));
  const logits = new Float64Array(lists.length * classes).fill(-Infinity);
  for (const [place, { scores }] of lists.entries()) logits.set(scores, place * classes);
  return fitTemperature(
    logits,
    Int32Array.from(lists, ({ right }) => right),
    classes,
  );
}

/** The floor at which the mean of the shares recognised, of those that fit and of those that do not, is highest. */
function bestFloor(fits: readonly number[], rows: readonly { readonly fitting: number }[]) {
  const order = fits.map((_, row) => row).sort((a, b) => fits[a] - fits[b] || a - b);
  const fitting = rows.filter((row) => row.fitting === 1).length;
  const others = rows.length - fitting;
  let best = { floor: 0, balanced: 0.5 };
  let lost = 0;
  let caught = 0;
  for (const [place, row] of order.entries()) {
    if (rows[row].fitting === 1) lost++;
    else caught++;
    const balanced = (1 - lost / Math.max(1, fitting) + caught / Math.max(1, others)) / 2;
    const next = order[place + 1];
    if (next !== undefined && fits[next] > fits[row] && balanced > best.balanced)
      best = { floor: (fits[row] + fits[next]) / 2, balanced };
  }
  return best;
}

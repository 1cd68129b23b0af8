/**
 * Trains a head from examples: sorts, encodes and cross-fits them, calibrates on unseen rows, evaluates and packs. The
 * same examples in any order, with the same seed and trunk, give identical bytes.
 */
import type { Json } from "../artifact/header-values.ts";
import type { BackgroundText } from "../background/background.ts";
import { bootstrap95, calibrationErrorInOrder, figuresOf, mean } from "../evaluate/metrics.ts";
import type { HeadTrunk } from "../trunk/trunk.ts";
import { bestShares, calibrationRows, type ScopeSources, type Shares } from "./calibration-rows.ts";
import { calibrateHead, type CalibratedHead } from "./calibrate-head.ts";
import { encodeAll, encodeBackground, rowsOf, type EncodedExample } from "./encoded-rows.ts";
import { prepareExamples, type HeadExample, type PreparedExample } from "./examples.ts";
import {
  crossFit,
  fitDenseFolds,
  fitModel,
  lexiconFor,
  predictAll,
  trainingSet,
  type DenseFolds,
  type FitSettings,
  type Model,
  type TrainingSet,
} from "./fit-model.ts";
import { foldsOf } from "./folds.ts";
import { addedExamples, type AddedExample } from "./added-examples.ts";
import { writeHead, type RouteKind } from "./head-file.ts";
import { confusionsOf, majorityShare } from "./label-counts.ts";
import { languageFigures } from "./language-figures.ts";
import { STEM_LEXICON } from "./lexical-stems.ts";
import { quantiseDense } from "./logits.ts";
import { rejectionIn } from "./rejection-in.ts";
import { packReference } from "./scope-reference.ts";
import { topFeatures } from "./top-features.ts";

export interface HeadSource {
  readonly name: string;
  readonly licence: string;
  readonly rows: number;
}

export interface TrainHeadInput {
  readonly name: string;
  readonly routes: readonly { readonly route: string; readonly kind?: RouteKind; readonly description?: string }[];
  readonly examples: readonly HeadExample[];
  /**
   * Rows for calibration and evaluation instead of the examples. Required if the trunk was trained on the examples,
   * because then none of them is unseen. They must not overlap with the examples.
   */
  readonly calibrateOn?: readonly HeadExample[];
  readonly alpha?: number;
  readonly plus?: "auto" | boolean;
  readonly seed?: number;
  /** Expected share of out-of-scope requests, 0 to 0.9: the share of out-of-scope rows in the calibration. */
  readonly outOfScopeShare?: number;
  /** Texts that presumably fit no route. */
  readonly background?: readonly BackgroundText[];
  /** L2 decay of the dense part: use more if the requests in use differ from the training texts. */
  readonly decay?: number | undefined;
  readonly data?: readonly HeadSource[];
}

export interface TrainedHead {
  readonly bytes: Uint8Array;
  /** Why it may not be published: not calibrated, or not better than always choosing the most common route. */
  readonly rejected: "ece" | "no_signal" | null;
  readonly report: { readonly [name: string]: Json };
}

const FOLDS = 5;
/** The fold of rows that every fold trains on. */
const NO_FOLD = -1;
const OUT_OF_SCOPE_SHARE = 0.2;
const ALPHA = 0.05;

/**
 * All texts that a training encodes, except the background texts, so that an asynchronous encoder can encode them in
 * advance.
 */
export function textsOfTraining(input: Pick<TrainHeadInput, "routes" | "examples">): readonly PreparedExample[] {
  const { prepared, added } = prepareTraining(input);
  return [...prepared, ...added];
}

function prepareTraining({ routes: given, examples }: Pick<TrainHeadInput, "routes" | "examples">) {
  const routes = given.toSorted((a, b) => (a.route < b.route ? -1 : 1));
  const names = routes.map(({ route }) => route);
  const { prepared, contradictions } = prepareExamples(examples, names);
  return { routes, names, prepared, contradictions, added: addedExamples(prepared, routes) };
}

export function trainHead(trunk: HeadTrunk, input: TrainHeadInput): TrainedHead {
  const settings: FitSettings = { seed: input.seed ?? 1, decay: input.decay };
  const { routes, names, prepared, contradictions, added } = prepareTraining(input);
  const classes = routes.length;
  const given = input.calibrateOn && prepareExamples(input.calibrateOn, names).prepared;
  const lexicon = lexiconFor(
    prepared.map(({ route }) => route),
    classes,
  );
  const shape = { dims: trunk.dims, classes, lexicon };
  const encoded = encodeAll(trunk, [...prepared, ...added]);
  const outOfScopeShare = input.outOfScopeShare ?? OUT_OF_SCOPE_SHARE;
  const background = encodeBackground(trunk, outOfScopeShare === 0 ? [] : (input.background ?? []), {
    ...shape,
    examples: encoded,
    inside: (given ?? prepared).filter(({ route }) => route >= 0).length,
    outOfScopeShare,
  });
  const rows = rowsOf(given === undefined ? [...encoded, ...background] : encoded, shape);
  const set = trainingSet(rows);
  const folds = fitDenseFolds(
    set,
    { of: foldsWith(prepared, added, given === undefined ? background : []), count: FOLDS },
    settings,
  );
  const model = fitModel(set, settings);

  const judged = judgedOn(trunk, { prepared, encoded, given, background, set, folds, model, settings, shape });
  const { shares, temperature } = bestShares(judged.unseen, {
    labels: judged.rows.labels.subarray(0, judged.examples),
    classes,
    plus: input.plus ?? "auto",
    readsStems: lexicon === STEM_LEXICON,
  });
  const mixture = calibrationRows({ ...judged, shares, outOfScopeShare });
  const calibrated = calibrateHead(mixture.rows, { temperature, alpha: input.alpha ?? ALPHA, folds: FOLDS });
  const report = {
    protocol: protocolOf(input),
    n: judged.examples,
    ...figuresIn(calibrated, mixture.sources),
    ...languagesIn(judged.prepared, calibrated),
    contradictions: contradictions.slice(0, 100).map(({ text, routes: labels }) => ({ text, routes: labels })),
    confusions: confusionsOf(calibrated.judged.labels, calibrated.judged.choices, names),
  };
  const counted = countTexts(routes, rows.labels.subarray(0, prepared.length));
  const bytes = writeHead({
    name: input.name,
    trunk: trunk.sha256,
    dims: trunk.dims,
    routes: counted,
    ...packed(model, shares, trunk.dims),
    lexicon,
    reference: packReference(model.means, classes, new Set(model.words.keys())),
    calibration: calibrated.calibration,
    card: {
      report,
      seed: settings.seed,
      data: (input.data ?? []).map((source) => ({ ...source })),
      features: featuresByRoute(trunk, { model, encoded, routes }),
    },
  });
  return { bytes, rejected: rejectionIn(report, counted), report };
}

interface Judging {
  readonly prepared: readonly PreparedExample[];
  readonly encoded: readonly EncodedExample[];
  /** The prepared examples of `calibrateOn`. */
  readonly given: readonly PreparedExample[] | undefined;
  readonly background: readonly EncodedExample[];
  readonly set: TrainingSet;
  readonly folds: DenseFolds;
  readonly model: Model;
  readonly settings: FitSettings;
  readonly shape: Parameters<typeof rowsOf>[1];
}

/** Predictions for rows that the model had not seen: by cross-fitting, or for the given rows. */
function judgedOn(trunk: HeadTrunk, judging: Judging) {
  const { prepared, encoded, given, background, set, folds, model, settings, shape } = judging;
  if (given === undefined) {
    const unseen = crossFit(set, folds, { ...settings, whole: model });
    const backgroundFrom = encoded.length;
    return { prepared, rows: set.rows, unseen, foldOf: folds.of, examples: prepared.length, backgroundFrom };
  }
  const rows = rowsOf([...encodeAll(trunk, given), ...background], shape);
  const foldOf = foldsWith(given, [], background);
  const unseen = predictAll(model, rows);
  return { prepared: given, rows, unseen, foldOf, examples: given.length, backgroundFrom: given.length };
}

function foldsWith(
  examples: readonly PreparedExample[],
  added: readonly AddedExample[],
  background: readonly PreparedExample[],
): Int32Array {
  const foldOf = foldsOf(examples, FOLDS);
  return Int32Array.from([
    ...foldOf,
    ...added.map(({ source }) => (source === null ? NO_FOLD : foldOf[source])),
    ...background.map((_, index) => index % FOLDS),
  ]);
}

function packed({ dense, plus }: Model, shares: Shares, dims: number) {
  return {
    dense: quantiseDense(
      {
        weights: dense.weights.map((weight) => shares.dense * weight),
        bias: dense.bias.map((bias, c) => shares.dense * bias + shares.plus * plus.bias[c]),
      },
      dims,
    ),
    plus: shares.plus > 0 ? { ...plus.weights, scale: Math.fround(shares.plus * plus.weights.scale) } : null,
  };
}

function figuresIn({ judged, scopeAuroc }: CalibratedHead, sources: ScopeSources) {
  const { labels, classes, right, confidence } = judged;
  const figures = figuresOf(judged);
  // Sorted once: a bootstrap draw is a count per position.
  const order = Int32Array.from(confidence.keys()).sort((a, b) => confidence[a] - confidence[b]);
  const times = new Int32Array(order.length);
  return {
    accuracy: mean(right.filter((_, row) => labels[row] >= 0)),
    macro_f1: figures.macroF1,
    nll: figures.nll,
    brier: figures.brier,
    ece: figures.ece,
    ece_ci95: bootstrap95(labels.length, (drawn) => {
      times.fill(0);
      for (let n = 0; n < drawn.length; n++) times[drawn[n]]++;
      for (let position = 0, n = 0; position < times.length; position++)
        for (let time = 0; time < times[position]; time++) drawn[n++] = order[position];
      return calibrationErrorInOrder(confidence, right, drawn);
    }),
    coverage_at_95: figures.coverageAt95,
    wrong_at_90: figures.wrongAt90,
    majority: majorityShare(labels, classes),
    scope_auroc: scopeAuroc,
    scope: {
      share: sources.share,
      examples: sources.examples,
      background: sources.background,
      masked_examples: sources.maskedExamples,
    },
  };
}

/** The examples are the first rows of the calibration. */
function languagesIn(
  prepared: readonly PreparedExample[],
  { judged }: CalibratedHead,
): { readonly [name: string]: Json } {
  const languages = languageFigures(prepared, judged.right);
  return languages.length > 0 ? { languages } : {};
}

interface FeatureInput {
  readonly model: Model;
  readonly encoded: readonly EncodedExample[];
  readonly routes: TrainHeadInput["routes"];
}

function featuresByRoute(
  { dims, word }: HeadTrunk,
  { model, encoded, routes }: FeatureInput,
): { readonly [name: string]: Json } {
  if (word === null) return {};
  const features = topFeatures({ dims, word }, model.dense, {
    encodings: encoded.map(({ encoding }) => encoding),
    labels: Int32Array.from(encoded, ({ route }) => route),
    classes: routes.length,
  });
  return Object.fromEntries(features.map((words, index) => [routes[index].route, words]));
}

function protocolOf({ calibrateOn }: TrainHeadInput): string {
  return calibrateOn === undefined
    ? `${FOLDS}-fold grouped, cross-fitted`
    : `texts that neither trunk nor head was taught, calibration ${FOLDS}-fold grouped, cross-fitted`;
}

function countTexts(routes: TrainHeadInput["routes"], labels: Int32Array) {
  return routes.map(({ route, kind, description }, index) => ({
    route,
    kind: kind ?? (route === "escalate" || route === "chat" ? route : "tool"),
    description: description ?? "",
    texts: labels.reduce((sum, label) => sum + (label === index ? 1 : 0), 0),
  }));
}

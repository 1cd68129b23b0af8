/**
 * Trains a head from examples: sort, encode, cross-fit, calibrate on unseen rows, evaluate, pack. The same examples
 * in any order, with the same seed and trunk, give identical bytes.
 */
import type { Json } from "../artifact/header-values.ts";
import type { BackgroundText } from "../background/background.ts";
import { bootstrap95, calibrationError, figuresOf, mean } from "../evaluate/metrics.ts";
import type { Encoding, HeadTrunk } from "../trunk/trunk.ts";
import { bestShares, calibrationRows, type ScopeSources, type Shares } from "./calibration-rows.ts";
import { calibrateHead, type CalibratedHead } from "./calibrate-head.ts";
import { prepareExamples, type HeadExample, type PreparedExample } from "./examples.ts";
import {
  crossFit,
  fitDenseFolds,
  fitModel,
  lexiconFor,
  predictAll,
  trainingSet,
  type DenseFolds,
  type EncodedRows,
  type FitSettings,
  type Model,
  type TrainingSet,
} from "./fit-model.ts";
import { foldsOf } from "./folds.ts";
import { framedExamples, type FramedExample } from "./frames.ts";
import { writeHead, type RouteKind } from "./head-file.ts";
import { confusionsOf, majorityShare } from "./label-counts.ts";
import { languageFigures } from "./language-figures.ts";
import type { Lexicon } from "./lexical.ts";
import { quantiseDense } from "./logits.ts";
import { rejectionIn } from "./rejection-in.ts";
import { packReference } from "./scope-reference.ts";
import { normaliseText } from "../text/readable.ts";
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
   * Rows for calibration and evaluation instead of the examples: needed if the trunk was trained on the examples,
   * because then no row is unseen. Must not overlap the examples.
   */
  readonly calibrateOn?: readonly HeadExample[];
  readonly alpha?: number;
  readonly plus?: "auto" | boolean;
  readonly seed?: number;
  /** Expected share of out-of-scope requests, 0 to 0.9: the share of out-of-scope rows in the calibration. */
  readonly outOfScopeShare?: number;
  /** Texts that no route is expected to fit. */
  readonly background?: readonly BackgroundText[];
  /** L2 decay of the dense part: more for routes whose texts in use differ from the training texts. */
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
const OUT_OF_SCOPE_SHARE = 0.2;
const ALPHA = 0.05;

export function trainHead(trunk: HeadTrunk, input: TrainHeadInput): TrainedHead {
  const settings: FitSettings = { seed: input.seed ?? 1, decay: input.decay };
  const routes = input.routes.toSorted((a, b) => (a.route < b.route ? -1 : 1));
  const classes = routes.length;
  const names = routes.map(({ route }) => route);
  const { prepared, contradictions } = prepareExamples(input.examples, names);
  const background = backgroundOf(input, prepared);
  const framed = framedExamples(prepared, classes);
  const outside = input.calibrateOn === undefined ? background : [];
  const lexicon = lexiconFor(
    [...prepared, ...framed].map(({ route }) => route),
    classes,
  );
  const learned = encodeRows(trunk, [...prepared, ...framed, ...outside], { classes, lexicon });
  const set = trainingSet(learned.rows);
  const folds = fitDenseFolds(set, { of: foldsWith(prepared, framed, outside), count: FOLDS }, settings);
  const model = fitModel(set, folds, settings);

  const judged = judgedOn(trunk, input, { prepared, framed, background, set, folds, model, settings, lexicon, names });
  const { shares, temperature } = bestShares(judged.unseen, {
    labels: judged.rows.labels.subarray(0, judged.examples),
    classes,
    plus: input.plus ?? "auto",
  });
  const { rows, sources } = calibrationRows({
    ...judged,
    shares,
    outOfScopeShare: input.outOfScopeShare ?? OUT_OF_SCOPE_SHARE,
  });
  const calibrated = calibrateHead(rows, { temperature, alpha: input.alpha ?? ALPHA, folds: FOLDS });
  const report = {
    protocol: protocolOf(input),
    n: judged.examples,
    ...figuresIn(calibrated, sources),
    ...languagesIn(judged.prepared, calibrated),
    contradictions: contradictions.slice(0, 100).map(({ text, routes: labels }) => ({ text, routes: labels })),
    confusions: confusionsOf(calibrated.judged.labels, calibrated.judged.choices, names),
  };
  const taught = taughtRoutes(routes, learned.rows.labels.subarray(0, prepared.length));
  const bytes = writeHead({
    name: input.name,
    trunk: trunk.sha256,
    dims: trunk.dims,
    routes: taught,
    ...packed(model, shares, trunk.dims),
    lexicon,
    reference: packReference(model.means, classes, new Set(model.words.keys())),
    calibration: calibrated.calibration,
    card: {
      report,
      seed: settings.seed,
      data: (input.data ?? []).map((source) => ({ ...source })),
      features: spokenFor(trunk, { model, learned, routes }),
    },
  });
  return { bytes, rejected: rejectionIn(report, taught), report };
}

/** Background texts as rows without a route; examples of the owner are left out. */
function backgroundOf(
  { background = [], outOfScopeShare = OUT_OF_SCOPE_SHARE }: TrainHeadInput,
  prepared: readonly PreparedExample[],
): readonly PreparedExample[] {
  if (outOfScopeShare === 0) return [];
  const own = new Set(prepared.map(({ text }) => normaliseText(text)));
  return background
    .filter(({ text }) => !own.has(normaliseText(text)))
    .map(({ text, lang }) => ({ text, context: "", route: -1, group: text, lang }));
}

interface LearnedRows {
  readonly rows: EncodedRows;
  readonly encodings: readonly Encoding[];
}

function encodeRows(
  trunk: HeadTrunk,
  prepared: readonly PreparedExample[],
  { classes, lexicon }: { readonly classes: number; readonly lexicon: Lexicon },
): LearnedRows {
  const { dims } = trunk;
  const encodings = prepared.map(({ text, context }) => trunk.encode(text, context));
  const vectors = new Float32Array(encodings.length * dims);
  for (const [row, { vector }] of encodings.entries()) vectors.set(vector, row * dims);
  const tokens = encodings.map((encoding) => encoding.tokens);
  const rows = {
    vectors,
    tokens,
    features: tokens.map(lexicon.featuresOf),
    labels: Int32Array.from(prepared, ({ route }) => route),
    dims,
    classes,
  };
  return { rows, encodings };
}

interface Judging {
  readonly prepared: readonly PreparedExample[];
  readonly framed: readonly FramedExample[];
  readonly background: readonly PreparedExample[];
  readonly set: TrainingSet;
  readonly folds: DenseFolds;
  readonly model: Model;
  readonly settings: FitSettings;
  readonly lexicon: Lexicon;
  readonly names: readonly string[];
}

/** Predictions for rows that the model had not seen: by cross-fitting, or for the given rows. */
function judgedOn(trunk: HeadTrunk, { calibrateOn }: TrainHeadInput, judging: Judging) {
  const { prepared, framed, background, set, folds, model, settings, lexicon, names } = judging;
  if (calibrateOn === undefined) {
    const unseen = crossFit(set, folds, { ...settings, whole: model });
    const backgroundFrom = prepared.length + framed.length;
    return { prepared, rows: set.rows, unseen, foldOf: folds.of, examples: prepared.length, backgroundFrom };
  }
  const given = prepareExamples(calibrateOn, names).prepared;
  const { rows } = encodeRows(trunk, [...given, ...background], { classes: names.length, lexicon });
  const foldOf = foldsWith(given, [], background);
  const unseen = predictAll(model, rows);
  return { prepared: given, rows, unseen, foldOf, examples: given.length, backgroundFrom: given.length };
}

function foldsWith(
  examples: readonly PreparedExample[],
  framed: readonly FramedExample[],
  background: readonly PreparedExample[],
): Int32Array {
  const foldOf = foldsOf(examples, FOLDS);
  return Int32Array.from([
    ...foldOf,
    ...framed.map(({ source }) => foldOf[source]),
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
  return {
    accuracy: mean(right.filter((_, row) => labels[row] >= 0)),
    macro_f1: figures.macroF1,
    nll: figures.nll,
    brier: figures.brier,
    ece: figures.ece,
    ece_ci95: bootstrap95(labels.length, (drawn) =>
      calibrationError(
        Array.from(drawn, (row) => confidence[row]),
        Array.from(drawn, (row) => right[row]),
      ),
    ),
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

interface Spoken {
  readonly model: Model;
  readonly learned: LearnedRows;
  readonly routes: TrainHeadInput["routes"];
}

function spokenFor({ dims, word }: HeadTrunk, { model, learned, routes }: Spoken): { readonly [name: string]: Json } {
  if (word === null) return {};
  const { encodings, rows } = learned;
  const spoken = topFeatures({ dims, word }, model.dense, {
    encodings,
    labels: rows.labels,
    classes: routes.length,
  });
  return Object.fromEntries(spoken.map((words, index) => [routes[index].route, words]));
}

function protocolOf({ calibrateOn }: TrainHeadInput): string {
  return calibrateOn === undefined
    ? `${FOLDS}-fold grouped, cross-fitted`
    : `texts that neither trunk nor head was taught, calibration ${FOLDS}-fold grouped, cross-fitted`;
}

function taughtRoutes(routes: TrainHeadInput["routes"], labels: Int32Array) {
  return routes.map(({ route, kind, description }, index) => ({
    route,
    kind: kind ?? (route === "escalate" || route === "chat" ? route : "tool"),
    description: description ?? "",
    texts: labels.reduce((sum, label) => sum + (label === index ? 1 : 0), 0),
  }));
}

/**
 * Trains a head from examples: sort, encode, cross-fit, calibrate on unseen rows, evaluate, pack. The same examples
 * in any order, with the same seed and trunk, give identical bytes.
 */
import { fitConfidence, topOf, confidenceOf, type ConfidenceInput } from "../calibration/confidence.ts";
import { qhatOf, riskCurve } from "../calibration/risk.ts";
import { fitLogistic, logisticOf, type Logistic } from "../calibration/logistic.ts";
import { fitTemperature } from "../calibration/temperature.ts";
import type { Json } from "../artifact/header-values.ts";
import { areaUnderRoc, bootstrap95, calibrationError, choicesOf, figuresOf, mean } from "../evaluate/metrics.ts";
import { log } from "../math/exp-log.ts";
import type { Encoding, HeadTrunk } from "../trunk/trunk.ts";
import { askModel } from "./predict-rows.ts";
import { prepareExamples, type HeadExample } from "./examples.ts";
import { fitModel, type EncodedRows, type FittedModel } from "./fit-model.ts";
import { foldsOf } from "./folds.ts";
import { writeHead, type Calibration, type RouteKind } from "./head-file.ts";
import { languageFigures } from "./language-figures.ts";
import { lexicalFeatures } from "./lexical.ts";
import { quantiseDense, scopeFeatures, SCOPE_WIDTH, softmax } from "./logits.ts";
import { rejectionIn } from "./rejection-in.ts";
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
  /** Expected share of out-of-scope requests. */
  readonly outOfScopeShare?: number;
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
/** Maximum share of in-scope rows that are classified as out of scope. */
const SCOPE_LOSS = 0.03;

export function trainHead(trunk: HeadTrunk, input: TrainHeadInput): TrainedHead {
  const seed = input.seed ?? 1;
  const alpha = input.alpha ?? 0.05;
  const routes = input.routes.toSorted((a, b) => (a.route < b.route ? -1 : 1));
  const classes = routes.length;
  const names = routes.map(({ route }) => route);
  const { prepared, contradictions } = prepareExamples(input.examples, names);
  const taughtLabels = Int32Array.from(prepared, ({ route }) => route);
  const encodings = prepared.map(({ text, context }) => trunk.encode(text, context));
  const rows = { ...rowsOf(encodings, trunk.dims), labels: taughtLabels, classes };
  const model = fitModel(rows, { of: foldsOf(prepared, FOLDS), count: FOLDS }, { seed, decay: input.decay });

  const calibrationRows =
    input.calibrateOn === undefined
      ? { ...model, prepared, labels: taughtLabels }
      : askModel(trunk, model, { examples: input.calibrateOn, routes: names });
  const { labels } = calibrationRows;
  const foldOf = foldsOf(calibrationRows.prepared, FOLDS);
  const { share, logits, temperature } = bestShare(calibrationRows, { labels, classes, plus: input.plus ?? "auto" });
  const unseen = judge(logits, { labels, classes, temperature, foldOf });

  const inScope = unseen.right.filter((_, row) => labels[row] >= 0);
  const calibration: Calibration = {
    revision: 1,
    temperature,
    confidence: fitConfidence(unseen.confidenceInputs, unseen.right),
    scope: unseen.scope,
    scopeFloor: unseen.scopeFloor,
    alpha,
    qhat: qhatOf(unseen.rightProbability, alpha),
    risk: riskCurve(unseen.confidence, unseen.right),
  };
  const figures = figuresOf({ probabilities: unseen.probabilities, classes, labels, confidence: unseen.confidence });
  const eceCi95 = bootstrap95(labels.length, (drawn) =>
    calibrationError(
      Array.from(drawn, (row) => unseen.confidence[row]),
      Array.from(drawn, (row) => unseen.right[row]),
    ),
  );
  const majority = majorityShare(labels, classes);
  const languages = languageFigures(calibrationRows.prepared, unseen.right);
  const report = {
    protocol: protocolOf(input),
    n: figures.n,
    accuracy: mean(inScope),
    macro_f1: figures.macroF1,
    nll: figures.nll,
    brier: figures.brier,
    ece: figures.ece,
    ece_ci95: eceCi95,
    coverage_at_95: figures.coverageAt95,
    wrong_at_90: figures.wrongAt90,
    majority,
    scope_auroc: unseen.scopeAuroc,
    ...(languages.length > 0 && { languages }),
    contradictions: contradictions.slice(0, 100).map(({ text, routes }) => ({ text, routes })),
    confusions: confusionsOf(labels, unseen.choices, names),
  };
  const taught = taughtRoutes(routes, taughtLabels);
  const { dims, word } = trunk;
  const rowsTaught = { encodings, labels: taughtLabels, classes };
  const spokenFor = word === null ? [] : topFeatures({ dims, word }, model.dense, rowsTaught);
  const bytes = writeHead({
    name: input.name,
    trunk: trunk.sha256,
    dims: trunk.dims,
    routes: taught,
    dense: quantiseDense(model.dense, trunk.dims),
    plus: share > 0 ? { ...model.plus, scale: Math.fround(share * model.plus.scale) } : null,
    calibration,
    card: {
      report,
      seed,
      data: (input.data ?? []).map((source) => ({ ...source })),
      features: Object.fromEntries(spokenFor.map((words, index) => [routes[index].route, words])),
    },
  });
  return { bytes, rejected: rejectionIn(report, taught), report };
}

function rowsOf(encodings: readonly Encoding[], dims: number): Omit<EncodedRows, "labels" | "classes"> {
  const vectors = new Float32Array(encodings.length * dims);
  for (const [row, { vector }] of encodings.entries()) vectors.set(vector, row * dims);
  return { vectors, features: encodings.map(({ tokens }) => lexicalFeatures(tokens)), dims };
}

function protocolOf({ calibrateOn }: TrainHeadInput): string {
  return calibrateOn === undefined
    ? `${FOLDS}-fold grouped, cross-fitted`
    : `texts that neither trunk nor head was taught, calibration ${FOLDS}-fold grouped, cross-fitted`;
}

function taughtRoutes(routes: TrainHeadInput["routes"], labels: Int32Array) {
  return routes.map(({ route, kind, description }, index) => ({
    route,
    kind: kind ?? kindByName(route),
    description: description ?? "",
    texts: labels.reduce((sum, label) => sum + (label === index ? 1 : 0), 0),
  }));
}

function kindByName(route: string): RouteKind {
  return route === "escalate" || route === "chat" ? route : "tool";
}

/** Shares of the sparse part to try; 0 if it does not help. */
const SHARES = [0, 0.35, 0.5, 0.7, 1, 1.4] as const;

/** The share of the sparse part that is best on unseen rows, with the temperature of the sum. */
function bestShare(
  { unseenDense, unseenPlus }: Pick<FittedModel, "unseenDense" | "unseenPlus">,
  { labels, classes, plus }: { readonly labels: Int32Array; readonly classes: number; readonly plus: "auto" | boolean },
) {
  const tried = SHARES.filter((share) => plus === "auto" || share > 0 === plus).map((share) => {
    const logits = unseenDense.map((dense, at) => dense + share * unseenPlus[at]);
    const temperature = fitTemperature(logits, labels, classes);
    return { share, logits, temperature, nll: nllOf(logits, labels, classes, temperature) };
  });
  return tried.reduce((best, candidate) => (candidate.nll < best.nll ? candidate : best));
}

interface Judged {
  readonly labels: Int32Array;
  readonly classes: number;
  readonly temperature: number;
  readonly foldOf: Int32Array;
}

function judge(logits: Float64Array, { labels, classes, temperature, foldOf }: Judged) {
  const n = labels.length;
  const probabilities = new Float64Array(n * classes);
  for (let row = 0; row < n; row++)
    probabilities.set(softmax(logits.subarray(row * classes, (row + 1) * classes), temperature), row * classes);
  const choices = choicesOf({ probabilities, classes, labels });
  const right = Float64Array.from(labels, (label, row) => (label === choices[row] ? 1 : 0));
  const rightProbability = [...labels.keys()]
    .filter((row) => labels[row] >= 0)
    .map((row) => probabilities[row * classes + labels[row]]);
  const shapes = new Float64Array(n * SCOPE_WIDTH);
  for (let row = 0; row < n; row++)
    shapes.set(scopeFeatures(logits.subarray(row * classes, (row + 1) * classes), temperature), row * SCOPE_WIDTH);
  const hasOutside = labels.some((label) => label < 0);
  const scope = hasOutside ? fitScope(shapes, labels, () => true) : null;
  const scopeOf = new Float64Array(n).fill(1);
  if (hasOutside)
    for (let fold = 0; fold < FOLDS; fold++) {
      const map = fitScope(shapes, labels, (row) => foldOf[row] !== fold);
      for (let row = 0; row < n; row++)
        if (foldOf[row] === fold)
          scopeOf[row] = logisticOf(map, shapes.subarray(row * SCOPE_WIDTH, (row + 1) * SCOPE_WIDTH));
    }
  const confidenceInputs: ConfidenceInput[] = Array.from({ length: n }, (_, row) => {
    const { top, margin } = topOf(probabilities.subarray(row * classes, (row + 1) * classes));
    return { top, margin, scope: scopeOf[row] };
  });
  const confidence = new Float64Array(n);
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = [...labels.keys()].filter((row) => foldOf[row] !== fold);
    const map = fitConfidence(
      others.map((row) => confidenceInputs[row]),
      others.map((row) => right[row]),
    );
    for (let row = 0; row < n; row++)
      if (foldOf[row] === fold) confidence[row] = confidenceOf(map, confidenceInputs[row]);
  }
  const inside = [...scopeOf].filter((_, row) => labels[row] >= 0);
  const outside = [...scopeOf].filter((_, row) => labels[row] < 0);
  return {
    probabilities,
    choices,
    right,
    rightProbability,
    confidenceInputs,
    confidence,
    scope,
    scopeFloor: hasOutside ? inside.toSorted((a, b) => a - b)[Math.floor(SCOPE_LOSS * inside.length)] : null,
    scopeAuroc: hasOutside ? areaUnderRoc(inside, outside) : null,
  };
}

function fitScope(shapes: Float64Array, labels: Int32Array, uses: (row: number) => boolean): Logistic {
  const rows = [...labels.keys()].filter(uses);
  const features = new Float64Array(rows.length * SCOPE_WIDTH);
  for (const [index, row] of rows.entries())
    features.set(shapes.subarray(row * SCOPE_WIDTH, (row + 1) * SCOPE_WIDTH), index * SCOPE_WIDTH);
  return fitLogistic({
    features,
    width: SCOPE_WIDTH,
    targets: rows.map((row) => (labels[row] >= 0 ? 1 : 0)),
    ridge: 1,
  });
}

function nllOf(logits: Float64Array, labels: Int32Array, classes: number, temperature: number): number {
  let sum = 0;
  for (let row = 0; row < labels.length; row++)
    if (labels[row] >= 0)
      sum -= log(softmax(logits.subarray(row * classes, (row + 1) * classes), temperature)[labels[row]] + 1e-15);
  return sum;
}

function majorityShare(labels: Int32Array, classes: number): number {
  const counts = new Float64Array(classes);
  let n = 0;
  for (const label of labels)
    if (label >= 0) {
      counts[label]++;
      n++;
    }
  return n === 0 ? 1 : Math.max(...counts) / n;
}

function confusionsOf(labels: Int32Array, choices: Int32Array, routes: readonly string[]): Json {
  const counts = new Map<string, [string, string, number]>();
  for (let row = 0; row < labels.length; row++) {
    if (labels[row] < 0 || labels[row] === choices[row]) continue;
    const key = `${labels[row]} ${choices[row]}`;
    const existing = counts.get(key);
    counts.set(key, [routes[labels[row]], routes[choices[row]], (existing?.[2] ?? 0) + 1]);
  }
  return [...counts.values()].toSorted((a, b) => b[2] - a[2] || (a[0] + a[1] < b[0] + b[1] ? -1 : 1)).slice(0, 20);
}

/**
 * Refits temperature, confidence map, qhat and risk curve to feedback. Weights and scope map stay: feedback contains
 * too few out-of-scope texts. Temperature and map are accepted separately: the new temperature if the likelihood of the
 * right routes does not get worse, the new map if the calibration error does not. The map also learns which share of
 * the requests is out of scope in use.
 */
import { confidenceOf, fitConfidence, topOf, type ConfidenceInput } from "../calibration/confidence.ts";
import { qhatOf, riskCurve } from "../calibration/risk.ts";
import { logisticOf } from "../calibration/logistic.ts";
import { fitTemperature } from "../calibration/temperature.ts";
import { calibrationError } from "../evaluate/metrics.ts";
import { log } from "../math/exp-log.ts";
import type { HeadTrunk } from "../trunk/trunk.ts";
import { foldsOf } from "./folds.ts";
import { readHead, writeHead, type Calibration, type HeadContent, type ReadHead } from "./head-file.ts";
import { addPlus, denseLogits, denseRows, logitScopeFeatures, softmax } from "./logits.ts";
import { openReference } from "./scope-reference.ts";

export interface FeedbackText {
  readonly text: string;
  readonly context?: string;
  readonly route: string | null;
}

export interface Recalibration {
  readonly bytes: Uint8Array | null;
  readonly rows: number;
  readonly nll: Change;
  readonly ece: Change;
}

interface Change {
  readonly before: number;
  readonly after: number;
}

const FOLDS = 5;
const LEAST = 1e-15;

export function recalibrateHead(bytes: Uint8Array, trunk: HeadTrunk, feedback: readonly FeedbackText[]): Recalibration {
  const head = readHead(bytes, trunk.sha256);
  const rows = labelled(head, feedback);
  const { calibration } = head;
  const predictions = predictionsOf(head, trunk, rows);
  const foldOf = foldsOf(rows, FOLDS);
  const fitted: Fitted = { rows, predictions, foldOf, classes: head.routes.length };
  const none = { before: 0, after: 0 };
  if (rows.length === 0) return { bytes: null, rows: 0, nll: none, ece: none };

  const before = predict(fitted, () => calibration);
  const temperatures = foldTemperatures(fitted);
  const warmer = predict(fitted, (fold) => ({ ...calibration, temperature: temperatures[fold] }));
  const nll = { before: nllOf(before), after: nllOf(warmer) };
  const isWarmer = nll.after < nll.before;
  const temperatureOf = (fold: number) => (isWarmer ? temperatures[fold] : calibration.temperature);
  const mapped = predict(fitted, (fold) => withMap(fitted, { ...calibration, temperature: temperatureOf(fold) }, fold));
  const plain = isWarmer ? warmer : before;
  const ece = { before: eceOf(before), after: eceOf(mapped) };
  const isMapped = ece.after <= eceOf(plain);
  const unseen = isMapped ? mapped : plain;
  if (!isWarmer && !isMapped) return { bytes: null, rows: rows.length, nll, ece };

  const temperature = isWarmer ? temperatureOn(fitted, NO_FOLD) : calibration.temperature;
  // The scope map of format 1 reads logits, so it needs the temperature that it was fitted with.
  const scopeTemperature = calibration.scopeTemperature ?? calibration.temperature;
  const refitted = { ...calibration, temperature, ...(head.reference === null && { scopeTemperature }) };
  const next: Calibration = {
    ...(isMapped ? withMap(fitted, refitted, NO_FOLD) : refitted),
    revision: calibration.revision + 1,
    qhat: qhatOf(
      unseen.filter(({ label }) => label >= 0).map(({ probability }) => probability),
      calibration.alpha,
    ),
    risk: riskCurve(
      unseen.map(({ confidence }) => confidence),
      unseen.map(({ right }) => right),
    ),
  };
  const recalibration = {
    rows: rows.length,
    nll: { before: nll.before, after: nllOf(unseen) },
    ece: { before: ece.before, after: eceOf(unseen) },
  };
  const { sha256: _replaced, plusBytes: _same, ...content } = head;
  return {
    bytes: writeHead({ ...content, calibration: next, card: { ...head.card, recalibration } }),
    ...recalibration,
  };
}

interface LabelledRow {
  readonly text: string;
  readonly context: string;
  readonly route: number;
  readonly group: string;
}

function labelled({ routes }: Pick<HeadContent, "routes">, feedback: readonly FeedbackText[]): LabelledRow[] {
  const indexByRoute = new Map(routes.map(({ route }, index) => [route, index]));
  return feedback.flatMap(({ text, context = "", route }) => {
    const index = route === null ? -1 : indexByRoute.get(route);
    // Repeated texts must be in one fold only.
    return index === undefined ? [] : [{ text, context, route: index, group: `${context}\n${text}` }];
  });
}

/** The prediction of the weights of a head for a row, before any calibration. */
interface Prediction {
  readonly logits: Float64Array;
  /** Probability that a route fits; 1 without a scope map. */
  readonly scope: number;
}

function predictionsOf(head: ReadHead, trunk: HeadTrunk, rows: readonly LabelledRow[]): Prediction[] {
  const dense = denseRows(head.dense, head.dims);
  const { calibration, lexicon } = head;
  const reference = head.reference === null ? null : openReference(head.reference);
  const scopeTemperature = calibration.scopeTemperature ?? calibration.temperature;
  return rows.map(({ text, context }) => {
    const encoding = trunk.encode(text, context);
    const logits = denseLogits(dense, head.dense.bias, encoding.vector);
    if (head.plus !== null) addPlus(logits, head.plus, lexicon.featuresOf(encoding.tokens));
    if (calibration.scope === null) return { logits, scope: 1 };
    const features = reference?.scopeFeatures(encoding) ?? logitScopeFeatures(logits, scopeTemperature);
    return { logits, scope: logisticOf(calibration.scope, features) };
  });
}

interface Fitted {
  readonly rows: readonly LabelledRow[];
  readonly predictions: readonly Prediction[];
  readonly foldOf: Int32Array;
  readonly classes: number;
}

/** Stands for no fold: all rows are used. */
const NO_FOLD = -1;

function rowsWithout({ foldOf }: Fitted, fold: number): number[] {
  return [...foldOf.keys()].filter((row) => foldOf[row] !== fold);
}

function foldTemperatures(fitted: Fitted): number[] {
  return Array.from({ length: FOLDS }, (_, fold) => temperatureOn(fitted, fold));
}

function temperatureOn(fitted: Fitted, withoutFold: number): number {
  const { rows, predictions, classes } = fitted;
  const chosen = rowsWithout(fitted, withoutFold);
  const logits = new Float64Array(chosen.length * classes);
  for (const [index, row] of chosen.entries()) logits.set(predictions[row].logits, index * classes);
  return fitTemperature({ logits, labels: Int32Array.from(chosen, (row) => rows[row].route), classes });
}

function withMap(fitted: Fitted, calibration: Calibration, withoutFold: number): Calibration {
  const chosen = rowsWithout(fitted, withoutFold).map((row) => predictRow(fitted, row, calibration));
  return {
    ...calibration,
    confidence: fitConfidence(
      chosen.map(({ confidenceInput }) => confidenceInput),
      chosen.map(({ right }) => right),
    ),
  };
}

interface Predicted {
  readonly label: number;
  readonly confidenceInput: ConfidenceInput;
  readonly right: number;
  readonly confidence: number;
  readonly probability: number;
}

/** Predicts each row with the calibration of its fold. */
function predict(fitted: Fitted, calibrationOf: (fold: number) => Calibration): Predicted[] {
  const calibrations = Array.from({ length: FOLDS }, (_, fold) => calibrationOf(fold));
  return fitted.rows.map((_, row) => predictRow(fitted, row, calibrations[fitted.foldOf[row]]));
}

function predictRow({ rows, predictions }: Fitted, row: number, calibration: Calibration): Predicted {
  const { logits, scope } = predictions[row];
  const probabilities = softmax(logits, calibration.temperature);
  const { choice, top, margin } = topOf(probabilities);
  const confidenceInput = { top, margin, scope };
  const label = rows[row].route;
  return {
    label,
    confidenceInput,
    right: label === choice ? 1 : 0,
    confidence: confidenceOf(calibration.confidence, confidenceInput),
    probability: label < 0 ? 0 : probabilities[label],
  };
}

function nllOf(predicted: readonly Predicted[]): number {
  const inside = predicted.filter(({ label }) => label >= 0);
  const sum = inside.reduce((total, { probability }) => total - log(Math.max(LEAST, probability)), 0);
  return inside.length === 0 ? 0 : sum / inside.length;
}

function eceOf(predicted: readonly Predicted[]): number {
  return calibrationError(
    predicted.map(({ confidence }) => confidence),
    predicted.map(({ right }) => right),
  );
}

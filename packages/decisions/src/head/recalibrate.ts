/**
 * Refits temperature, confidence map, qhat and risk curve to feedback. Weights and scope stay: feedback contains too
 * few out-of-scope texts. Kept only if neither likelihood nor calibration error gets worse.
 */
import { confidenceOf, fitConfidence, topOf, type ConfidenceInput } from "../calibration/confidence.ts";
import { qhatOf, riskCurve } from "../calibration/risk.ts";
import { logisticOf } from "../calibration/logistic.ts";
import { fitTemperature } from "../calibration/temperature.ts";
import { calibrationError } from "../evaluate/metrics.ts";
import { log } from "../math/exp-log.ts";
import type { HeadTrunk } from "../trunk/trunk.ts";
import { foldsOf } from "./folds.ts";
import { readHead, writeHead, type Calibration, type HeadContent } from "./head-file.ts";
import { lexicalFeatures } from "./lexical.ts";
import { addPlus, denseLogits, denseRows, scopeFeatures, softmax } from "./logits.ts";

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
  const logits = logitsOf(head, trunk, rows);
  const all = [...rows.keys()];
  const present = predict(logits, all, { rows, calibration, head });

  const foldOf = foldsOf(rows, FOLDS);
  const unseen: Predicted[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const refitted = refit(
      logits,
      all.filter((row) => foldOf[row] !== fold),
      { rows, calibration, head },
    );
    const unseenRows = all.filter((row) => foldOf[row] === fold);
    for (const [index, prediction] of predict(logits, unseenRows, { rows, calibration: refitted, head }).entries())
      unseen[unseenRows[index]] = prediction;
  }
  const nll = { before: nllOf(present), after: nllOf(unseen) };
  const ece = { before: eceOf(present), after: eceOf(unseen) };
  const isBetter = rows.length > 0 && nll.after <= nll.before && ece.after <= ece.before;
  if (!isBetter) return { bytes: null, rows: rows.length, nll, ece };

  const next: Calibration = {
    ...refit(logits, all, { rows, calibration, head }),
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
  const recalibration = { rows: rows.length, nll: { ...nll }, ece: { ...ece } };
  const { sha256: _replaced, plusBytes: _same, ...content } = head;
  return {
    bytes: writeHead({ ...content, calibration: next, card: { ...head.card, recalibration } }),
    rows: rows.length,
    nll,
    ece,
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

function logitsOf(head: HeadContent, trunk: HeadTrunk, rows: readonly LabelledRow[]): readonly Float64Array[] {
  const dense = denseRows(head.dense, head.dims);
  return rows.map(({ text, context }) => {
    const { vector, tokens } = trunk.encode(text, context);
    const logits = denseLogits(dense, head.dense.bias, vector);
    if (head.plus !== null) addPlus(logits, head.plus, lexicalFeatures(tokens));
    return logits;
  });
}

interface Fitted {
  readonly rows: readonly LabelledRow[];
  readonly calibration: Calibration;
  readonly head: Pick<HeadContent, "routes">;
}

function refit(logits: readonly Float64Array[], chosen: readonly number[], fitted: Fitted): Calibration {
  const { rows, calibration, head } = fitted;
  const classes = head.routes.length;
  const flat = new Float64Array(chosen.length * classes);
  for (const [index, row] of chosen.entries()) flat.set(logits[row], index * classes);
  const labels = Int32Array.from(chosen, (row) => rows[row].route);
  const refitted = {
    ...calibration,
    temperature: fitTemperature(flat, labels, classes),
    ...(calibration.scope !== null && { scopeTemperature: calibration.scopeTemperature ?? calibration.temperature }),
  };
  const predicted = predict(logits, chosen, { ...fitted, calibration: refitted });
  return {
    ...refitted,
    confidence: fitConfidence(
      predicted.map(({ confidenceInput }) => confidenceInput),
      predicted.map(({ right }) => right),
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

function predict(
  logits: readonly Float64Array[],
  chosen: readonly number[],
  { rows, calibration }: Fitted,
): Predicted[] {
  const { temperature, scope, scopeTemperature } = calibration;
  return chosen.map((row) => {
    const probabilities = softmax(logits[row], temperature);
    const { choice, top, margin } = topOf(probabilities);
    const features = scope === null ? null : scopeFeatures(logits[row], scopeTemperature ?? temperature);
    const confidenceInput = {
      top,
      margin,
      scope: scope === null || features === null ? 1 : logisticOf(scope, features),
    };
    const label = rows[row].route;
    return {
      label,
      confidenceInput,
      right: label === choice ? 1 : 0,
      confidence: confidenceOf(calibration.confidence, confidenceInput),
      probability: label < 0 ? 0 : probabilities[label],
    };
  });
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

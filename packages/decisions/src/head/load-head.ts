/** A head that decides: from an encoded text to probabilities, confidence, scope and conformal set. Pure; nothing is drawn or clocked. */
import { confidenceOf, topOf } from "../calibration/confidence.ts";
import { conformalSet } from "../calibration/conformal.ts";
import { logisticOf } from "../calibration/logistic.ts";
import { isReadable, isZero } from "../text/readable.ts";
import { explainTrunk } from "../trunk/trunk-attribution.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import { explainHead, type ExplainVector, type Explanation } from "./explain-head.ts";
import { readHead, type Calibration, type HeadContent, type HeadRoute } from "./head-file.ts";
import { lexicalFeatures, wordFeature } from "./lexical.ts";
import { addPlus, denseLogits, denseRows } from "./logits.ts";
import { scopeFeatures } from "./scope.ts";
import { softmax } from "./softmax.ts";

export interface HeadDecision {
  /** In the order of the head's routes; given that one of them is right. */
  readonly probabilities: Float64Array;
  readonly choice: number;
  readonly confidence: number;
  /** Difference between the likeliest and the next. */
  readonly margin: number;
  /** Probability that any route fits; null where the head was shown nothing out of scope. */
  readonly scope: number | null;
  readonly outOfScope: boolean;
  readonly set: readonly number[];
}

export interface Head {
  readonly name: string;
  readonly sha256: string;
  /** Hex SHA-256 of the trunk, or of the sentence encoder, that it stands on. */
  readonly trunk: string;
  readonly routes: readonly HeadRoute[];
  readonly calibration: Calibration;
  readonly card: HeadContent["card"];
  /** `plus` where the sparse part takes part; `onnx` on a sentence encoder, with it or without. */
  readonly via: "dense" | "plus" | "onnx";
  readonly size: { readonly denseBytes: number; readonly plusBytes: number };
  /** `among`: places of the routes to choose from; all of them by default. */
  decide(encoding: Encoding, among?: readonly number[]): HeadDecision;
  explain(
    encoding: Encoding,
    pair: { readonly choice: number; readonly versus: number | null; readonly most: number },
  ): Explanation;
}

export function loadHead(bytes: Uint8Array, trunk: Trunk, { stays = false }: { readonly stays?: boolean } = {}): Head {
  return openHeadOn(bytes, {
    sha256: trunk.sha256,
    explain: (encoding, aim) => explainTrunk(trunk, encoding, aim),
    knows: (word) => !isZero(trunk.word(word)),
    productsWith: stays ? trunk.productsWith : undefined,
  });
}

interface VectorModel {
  readonly sha256: string;
  readonly explain: ExplainVector;
  /** Whether a word in another script than Latin has a vector. */
  readonly knows: (word: string) => boolean;
  /** The same sums in less time, for heads that stay as long as the trunk. */
  readonly productsWith?: Trunk["productsWith"] | undefined;
}

/** The same, on whatever makes vectors of texts. */
export function openHeadOn(bytes: Uint8Array, { sha256: trunk, explain, knows, productsWith }: VectorModel): Head {
  const content = readHead(bytes, trunk);
  const { name, sha256, routes, calibration, card, plus, denseBytes, plusBytes } = content;
  const rows = denseRows(content.dense, content.dims);
  // In doubles, as all that is multiplied: one kind of number keeps the loops of decisions fast.
  const bias = Float64Array.from(content.dense.bias);
  const sums = productsWith?.(rows, bias) ?? ((vector: Float64Array) => denseLogits(rows, bias, vector));

  return {
    name,
    sha256,
    trunk,
    routes,
    calibration,
    card,
    via: plus === null ? "dense" : "plus",
    size: { denseBytes, plusBytes },
    decide(encoding, among) {
      const logits = logitsOf(encoding);
      const decision = decideOn(among === undefined ? logits : restricted(logits, among), calibration, logits);
      return isReadable(encoding.tokens, isKnown) ? decision : unreadable(decision, among?.length ?? routes.length);
    },
    explain: (encoding, pair) =>
      explainHead({ explain, rows, bias, plus, temperature: calibration.temperature }, encoding, pair),
  };

  /** A head that was trained on another script knows its words by their letters. */
  function isKnown(word: string): boolean {
    return knows(word) || plus?.indexOf(wordFeature(word)) !== undefined;
  }

  function logitsOf(encoding: Encoding): Float64Array {
    const logits = sums(encoding.vector);
    if (plus !== null) addPlus(logits, plus, lexicalFeatures(encoding.tokens));
    return logits;
  }
}

/** Scope is a matter of all routes, also where the caller allows only some. */
function decideOn(logits: Float64Array, calibration: Calibration, all: Float64Array): HeadDecision {
  const { temperature, confidence, scope: scopeMap, scopeFloor, qhat } = calibration;
  const probabilities = softmax(logits, temperature);
  const { choice, top, margin } = topOf(probabilities);
  const scope =
    scopeMap === null ? null : logisticOf(scopeMap, scopeFeatures(all, calibration.scopeTemperature ?? temperature));
  return {
    probabilities,
    choice,
    margin,
    scope,
    confidence: confidenceOf(confidence, { top, margin, scope: scope ?? 1 }),
    outOfScope: scope !== null && scopeFloor !== null && scope < scopeFloor,
    set: conformalSet(probabilities, qhat, choice),
  };
}

/** Nothing was read that tells the routes apart: each is as likely as any other to be right, and none is said to fit. */
function unreadable(decision: HeadDecision, routes: number): HeadDecision {
  return { ...decision, outOfScope: true, confidence: Math.min(decision.confidence, 1 / routes) };
}

function restricted(logits: Float64Array, among: readonly number[]): Float64Array {
  const out = new Float64Array(logits.length).fill(-Infinity);
  for (const index of among) out[index] = logits[index];
  return out;
}

/**
 * A head for decisions: from an encoded text to probabilities, confidence, scope and conformal set. Pure and
 * deterministic.
 */
import { confidenceOf, topOf } from "../calibration/confidence.ts";
import { conformalSet } from "../calibration/risk.ts";
import { logisticOf } from "../calibration/logistic.ts";
import { isReadable, isZero } from "../text/readable.ts";
import { explainTrunk } from "../trunk/trunk-attribution.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import { explainHead, type ExplainVector, type Explanation } from "./explain-head.ts";
import { readHead, type Calibration, type HeadContent, type HeadRoute } from "./head-file.ts";
import { addPlus, denseLogits, denseRows, logitScopeFeatures, softmax } from "./logits.ts";
import { openReference } from "./scope-reference.ts";

export interface HeadDecision {
  /** In route order, assuming that one of the routes is right. */
  readonly probabilities: Float64Array;
  readonly choice: number;
  readonly confidence: number;
  readonly margin: number;
  /** Probability that any route fits; null without out-of-scope examples. */
  readonly scope: number | null;
  readonly outOfScope: boolean;
  readonly set: readonly number[];
}

export interface Head {
  readonly name: string;
  readonly sha256: string;
  /** Hex SHA-256 of its trunk or sentence encoder. */
  readonly trunk: string;
  readonly routes: readonly HeadRoute[];
  readonly calibration: Calibration;
  readonly card: HeadContent["card"];
  /** `plus` with a sparse part; `onnx` on a sentence encoder, with or without a sparse part. */
  readonly via: "dense" | "plus" | "onnx";
  readonly size: { readonly denseBytes: number; readonly plusBytes: number };
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
  /** Whether a word in a non-Latin script has a vector. */
  readonly knows: (word: string) => boolean;
  /** Computes the same sums faster, for heads that live as long as the trunk. */
  readonly productsWith?: Trunk["productsWith"] | undefined;
}

/** Like `loadHead`, for any source of text vectors. */
export function openHeadOn(bytes: Uint8Array, { sha256: trunk, explain, knows, productsWith }: VectorModel): Head {
  const content = readHead(bytes, trunk);
  const { name, sha256, routes, calibration, card, plus, lexicon, denseBytes, plusBytes } = content;
  const rows = denseRows(content.dense, content.dims);
  // Doubles, like all operands: loops over a single number type are fast.
  const bias = Float64Array.from(content.dense.bias);
  const reference = content.reference === null ? null : openReference(content.reference, productsWith);
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
      const decision = decideOn(among === undefined ? logits : restricted(logits, among), calibration, () =>
        // Scope depends on all routes, even if the caller allows only some.
        reference === null
          ? logitScopeFeatures(logits, calibration.scopeTemperature ?? calibration.temperature)
          : reference.scopeFeatures(encoding),
      );
      return isReadable(encoding.tokens, isKnown) ? decision : unreadable(decision, among?.length ?? routes.length);
    },
    explain: (encoding, pair) =>
      explainHead({ explain, rows, bias, plus, lexicon, temperature: calibration.temperature }, encoding, pair),
  };

  /** A head that was trained on another script recognizes its words by their lexical features. */
  function isKnown(word: string): boolean {
    return knows(word) || plus?.indexOf(lexicon.wordFeature(word)) !== undefined;
  }

  function logitsOf(encoding: Encoding): Float64Array {
    const logits = sums(encoding.vector);
    if (plus !== null) addPlus(logits, plus, lexicon.featuresOf(encoding.tokens));
    return logits;
  }
}

function decideOn(
  logits: Float64Array,
  calibration: Calibration,
  scopeFeatures: () => readonly number[],
): HeadDecision {
  const { temperature, confidence, scope: scopeMap, scopeFloor, qhat } = calibration;
  const probabilities = softmax(logits, temperature);
  const { choice, top, margin } = topOf(probabilities);
  const scope = scopeMap === null ? null : logisticOf(scopeMap, scopeFeatures());
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

/** The text contains nothing that distinguishes the routes: uniform probabilities, and no route fits. */
function unreadable(decision: HeadDecision, routes: number): HeadDecision {
  return { ...decision, outOfScope: true, confidence: Math.min(decision.confidence, 1 / routes) };
}

function restricted(logits: Float64Array, among: readonly number[]): Float64Array {
  const out = new Float64Array(logits.length).fill(-Infinity);
  for (const index of among) out[index] = logits[index];
  return out;
}

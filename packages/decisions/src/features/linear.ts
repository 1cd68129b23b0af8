/**
 * The linear model of noul and score: one weight per trunk dimension and per named signal, and a bias. An explanation
 * splits the same sum.
 */
import type { Evidence } from "../head/explain-head.ts";
import { mergeEvidence } from "../head/explain-head.ts";
import { explainTrunk } from "../trunk/trunk-attribution.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";

export interface Linear {
  readonly direction: Float64Array;
  readonly weights: readonly number[];
  readonly bias: number;
}

export function linearOf({ direction, weights, bias }: Linear, vector: Float64Array, signals: Float64Array): number {
  let sum = bias;
  for (let d = 0; d < direction.length; d++) sum += direction[d] * vector[d];
  for (let signal = 0; signal < weights.length; signal++) sum += weights[signal] * signals[signal];
  return sum;
}

export interface NamedSignals {
  readonly names: readonly string[];
  readonly values: Float64Array;
  readonly rules?: ReadonlySet<string>;
}

/** The contributions of everything except the bias, multiplied by `scale`. */
export function linearEvidence(
  { direction, weights }: Linear,
  { trunk, encoding, scale }: { readonly trunk: Trunk; readonly encoding: Encoding; readonly scale: number },
  { names, values, rules }: NamedSignals,
): Evidence[] {
  const found = new Map<string, Evidence>();
  for (const part of explainTrunk(trunk, encoding, { direction, scale })) mergeEvidence(found, part);
  for (const [signal, feature] of names.entries())
    if (values[signal] !== 0)
      mergeEvidence(found, {
        feature,
        kind: rules?.has(feature) === true ? "rule" : "signal",
        weight: values[signal],
        contribution: scale * weights[signal] * values[signal],
      });
  return [...found.values()];
}

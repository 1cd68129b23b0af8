/**
 * Signals of score besides the trunk: the surface, and for problems with amounts the same surface again. A
 * one-calculation problem is longer than most multi-call requests, so both kinds have their own weights.
 */
import type { Encoding } from "../trunk/trunk.ts";
import { SURFACE_SIGNALS, surfaceOf, looksLikeProblem } from "./surface.ts";

export const SCORE_SIGNALS: readonly string[] = [
  ...SURFACE_SIGNALS,
  "a problem with amounts",
  ...SURFACE_SIGNALS.map((signal) => `${signal}, in a problem`),
];

export function scoreSignals(state: string, encoding: Encoding): Float64Array {
  const surface = surfaceOf(state, encoding);
  const values = new Float64Array(SCORE_SIGNALS.length);
  values.set(surface);
  if (!looksLikeProblem(surface)) return values;
  values[surface.length] = 1;
  values.set(surface, surface.length + 1);
  return values;
}

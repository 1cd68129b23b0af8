/**
 * Signals of score besides the trunk. A problem with a single calculation is longer than most requests that need
 * several calls, so problems with amounts have their own weights for the same surface signals.
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

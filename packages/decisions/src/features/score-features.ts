/**
 * What score sees beside the trunk: the surface of the text, and where the text tells a problem with amounts (several sentences, two
 * amounts or more) the same surface once more. A request and a problem are measured differently: a problem of one calculation is longer
 * than most requests that take several calls, so each of the two has weights of its own.
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

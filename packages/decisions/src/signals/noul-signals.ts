/** What noul sees beside the trunk: the surface of the text, how the route decision before it went, and rules of hand-off. */
import type { Encoding } from "../trunk/trunk.ts";
import { firedRules, HAND_OFF_RULES, type HandOffRule } from "./hand-off-rules.ts";
import { offersAnswers, SURFACE_SIGNALS, surfaceOf } from "./surface.ts";

export interface SignalInput {
  readonly state: string;
  readonly encoding: Encoding;
  /** These three are of the route decision that was made before. */
  readonly confidence: number;
  readonly margin: number;
  /** Null where the head knows nothing of it. */
  readonly scope: number | null;
}

export const NOUL_SIGNALS = [
  ...SURFACE_SIGNALS,
  "doubt about the route",
  "nearness of the next route",
  "doubt that any route fits",
  ...HAND_OFF_RULES,
] as const;

/** Places of the first signal of the route decision and of the first rule. */
const DOUBTS = SURFACE_SIGNALS.length;
const RULES = DOUBTS + 3;

/** Places of the signals that may only count for an escalation. */
export const RISING_NOUL_SIGNALS: readonly number[] = NOUL_SIGNALS.map((_, place) => place).slice(
  SURFACE_SIGNALS.length,
);

export function noulSignals({ state, encoding, confidence, margin, scope }: SignalInput): {
  readonly values: Float64Array;
  readonly rules: readonly HandOffRule[];
} {
  const surface = surfaceOf(state, encoding);
  // In a question of an examination nobody speaks of a lawyer of their own.
  const rules = offersAnswers(surface) ? [] : firedRules(encoding.tokens);
  const values = new Float64Array(NOUL_SIGNALS.length);
  values.set(surface);
  values[DOUBTS] = 1 - confidence;
  values[DOUBTS + 1] = 1 - margin;
  values[DOUBTS + 2] = scope === null ? 0 : 1 - scope;
  for (const rule of rules) values[RULES + HAND_OFF_RULES.indexOf(rule)] = 1;
  return { values, rules };
}

/**
 * What noul sees beside the trunk. Of a request: the surface of the text, how the route decision before it went, and rules of hand-off. A
 * question of an examination, with answers to choose from, is another thing, and seen by its own signals: together in one model the many
 * requests drown what tells the questions, and the questions make requests look surer than they are.
 */
import type { Encoding } from "../trunk/trunk.ts";
import { firedRules, HAND_OFF_RULES, type HandOffRule } from "./escalation-rules.ts";
import { QUESTION_SIGNALS, questionSignals } from "./question-features.ts";
import { looksLikeChoice, SURFACE_SIGNALS, surfaceOf, looksLikeProblem } from "./surface.ts";

export interface SignalInput {
  readonly state: string;
  readonly encoding: Encoding;
  /** These three are of the route decision that was made before. */
  readonly confidence: number;
  readonly margin: number;
  /** Null where the head knows nothing of it. */
  readonly scope: number | null;
}

export type NoulPart = "request" | "question";

export const NOUL_SIGNALS: Readonly<Record<NoulPart, readonly string[]>> = {
  request: [
    ...SURFACE_SIGNALS,
    "a problem with amounts",
    "doubt about the route",
    "nearness of the next route",
    "doubt that any route fits",
    ...HAND_OFF_RULES,
  ],
  question: QUESTION_SIGNALS,
};

/** Places among the signals of a request: of its first doubt and of the first rule. */
const PROBLEM = SURFACE_SIGNALS.length;
const DOUBTS = PROBLEM + 1;
const RULES = DOUBTS + 3;

/** Places of the signals that may only count for an escalation. */
export const RISING_NOUL_SIGNALS: Readonly<Record<NoulPart, readonly number[]>> = {
  request: NOUL_SIGNALS.request.map((_, index) => index).slice(DOUBTS),
  question: [],
};

export interface NoulSignals {
  readonly part: NoulPart;
  readonly values: Float64Array;
  readonly rules: readonly HandOffRule[];
}

export function noulSignals({ state, encoding, confidence, margin, scope }: SignalInput): NoulSignals {
  const surface = surfaceOf(state, encoding);
  // In a question of an examination nobody speaks of a lawyer of their own.
  if (looksLikeChoice(surface)) return { part: "question", values: questionSignals(state), rules: [] };
  const rules = firedRules(encoding.tokens);
  const values = new Float64Array(NOUL_SIGNALS.request.length);
  values.set(surface);
  // No expert has a route for a problem to calculate: that it is in doubt about one says nothing of how hard the problem is.
  if (looksLikeProblem(surface)) values[PROBLEM] = 1;
  else {
    values[DOUBTS] = 1 - confidence;
    values[DOUBTS + 1] = 1 - margin;
    values[DOUBTS + 2] = scope === null ? 0 : 1 - scope;
  }
  for (const rule of rules) values[RULES + HAND_OFF_RULES.indexOf(rule)] = 1;
  return { part: "request", values, rules };
}

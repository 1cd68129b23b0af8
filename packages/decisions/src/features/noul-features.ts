/**
 * Signals of noul besides the trunk. Exam questions with answer choices have their own signals and model, because in a
 * joint model each kind biases the other.
 */
import type { Encoding } from "../trunk/trunk.ts";
import { firedRules, HAND_OFF_RULES, type HandOffRule } from "./escalation-rules.ts";
import { QUESTION_SIGNALS, questionSignals } from "./question-features.ts";
import { looksLikeChoice, SURFACE_SIGNALS, surfaceOf, looksLikeProblem } from "./surface.ts";

export interface SignalInput {
  readonly state: string;
  readonly encoding: Encoding;
  readonly confidence: number;
  readonly margin: number;
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

/** Indices of the first doubt and the first rule in the request signals. */
const PROBLEM = SURFACE_SIGNALS.length;
const DOUBTS = PROBLEM + 1;
const RULES = DOUBTS + 3;

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
  // Exam questions do not mention the user's own lawyer.
  if (looksLikeChoice(surface)) return { part: "question", values: questionSignals(state), rules: [] };
  const rules = firedRules(encoding.tokens);
  const values = new Float64Array(NOUL_SIGNALS.request.length);
  values.set(surface);
  // No expert has a route for a calculation problem, so doubt about the route says nothing about its difficulty.
  if (looksLikeProblem(surface)) values[PROBLEM] = 1;
  else {
    values[DOUBTS] = 1 - confidence;
    values[DOUBTS + 1] = 1 - margin;
    values[DOUBTS + 2] = scope === null ? 0 : 1 - scope;
  }
  for (const rule of rules) values[RULES + HAND_OFF_RULES.indexOf(rule)] = 1;
  return { part: "request", values, rules };
}

/**
 * Which of several experts a request is for. Each says how likely its own route is right; if exactly one of them is right, the
 * probability that it is this one goes by its odds (Bayes, the experts taken as independent). Ties go to the first by name.
 */
import type { Encoding } from "./engine.ts";
import type { Expert } from "./experts.ts";
import { chooseByHead, type RouteChoice } from "./route-choice.ts";

export interface GatedChoice {
  readonly chosen: RouteChoice;
  /** Null where there was nothing to choose among. */
  readonly gateConfidence: number | null;
}

const EDGE = 1e-6;

export function chooseByConfidence(
  experts: readonly Expert[],
  encoding: Encoding,
  allowed: readonly string[] | null,
): GatedChoice {
  const choices = experts
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((expert) => chooseByHead(expert, encoding, allowed));
  const odds = choices.map(oddsOf);
  let best = 0;
  let sum = 0;
  for (let index = 0; index < odds.length; index++) {
    sum += odds[index];
    if (odds[index] > odds[best]) best = index;
  }
  return { chosen: choices[best], gateConfidence: choices.length === 1 ? null : odds[best] / sum };
}

/** What is out of an expert's scope is not for it, however sure its likeliest route looks. */
function oddsOf({ confidence, outOfScope }: RouteChoice): number {
  const bounded = outOfScope ? EDGE : Math.min(1 - EDGE, Math.max(EDGE, confidence));
  return bounded / (1 - bounded);
}

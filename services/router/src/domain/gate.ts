/**
 * Chooses between several experts. Each returns the probability that its own route is right. If exactly one is right,
 * the posterior is proportional to the odds (Bayes' rule with independent experts). Ties go to the first name.
 */
import type { Encoding } from "./engine.ts";
import type { Expert } from "./experts.ts";
import { chooseByHead, type RouteChoice } from "./route-choice.ts";

export interface GatedChoice {
  readonly chosen: RouteChoice;
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

/** An out-of-scope text does not belong to the expert, however confident it is in its most likely route. */
function oddsOf({ confidence, outOfScope }: RouteChoice): number {
  const bounded = outOfScope ? EDGE : Math.min(1 - EDGE, Math.max(EDGE, confidence));
  return bounded / (1 - bounded);
}

/**
 * Chooses a route with an expert's head, or among the options of the request. Labels are sorted by UTF-16 code units.
 */
import type { Basis, EnginePart, RouteKind } from "@triptych/contracts";
import type { Encoding, Engine, Explained, OptionEntry, RiskCurve } from "./engine.ts";
import type { Expert } from "./experts.ts";

export interface RouteChoice {
  readonly labels: readonly string[];
  /** Probability per label, given that one of the labels is right. The sum is 1, apart from rounding. */
  readonly probabilities: readonly number[];
  /** Index of the most likely label; ties go to the first. */
  readonly choice: number;
  readonly kind: RouteKind;
  readonly confidence: number;
  readonly margin: number;
  readonly scope: number | null;
  readonly outOfScope: boolean;
  /** Whether following the route performs an action. Only then can a text forbid it. */
  readonly acts: boolean;
  /** Conformal set; null for a choice among options. */
  readonly set: { readonly labels: readonly string[]; readonly qhat: number; readonly alpha: number } | null;
  readonly risk: RiskCurve;
  readonly basis: Basis;
  readonly via: EnginePart;
  readonly expert: Expert | null;
  /** Returns at most `most` features as evidence. */
  explain(most: number): Explanation;
}

export interface Explanation extends Explained {
  readonly choice: string;
  /** The label that the choice is compared with, which is the second most likely one. */
  readonly versus: string | null;
}

/** `allowed`: names of routes of this expert; null allows all. */
export function chooseByHead(expert: Expert, encoding: Encoding, allowed: readonly string[] | null): RouteChoice {
  const { head } = expert;
  const { routes, calibration } = head;
  const indexes = allowed === null ? [...routes.keys()] : allowedIndexes(expert, allowed);
  const decided = allowed === null ? head.decide(encoding) : head.decide(encoding, indexes);
  const probabilities = indexes.map((index) => decided.probabilities[index]);
  const labels = indexes.map((index) => routes[index].route);
  const choice = indexes.indexOf(decided.choice);
  const inSet = new Set(decided.set);
  return {
    labels,
    probabilities,
    choice,
    kind: routes[decided.choice].kind,
    confidence: decided.confidence,
    margin: decided.margin,
    scope: decided.scope,
    outOfScope: decided.outOfScope,
    acts: true,
    set: {
      labels: labels.filter((_, index) => inSet.has(indexes[index])),
      qhat: calibration.qhat,
      alpha: calibration.alpha,
    },
    risk: calibration.risk,
    basis: "head",
    via: head.via,
    expert,
    explain(most) {
      const next = runnerUp(probabilities, choice);
      const versus = next === null ? null : indexes[next];
      const explained = head.explain(encoding, { choice: decided.choice, versus, most });
      return { ...explained, choice: labels[choice], versus: next === null ? null : labels[next] };
    },
  };
}

function allowedIndexes({ head }: Expert, allowed: readonly string[]): number[] {
  const allowedSet = new Set(allowed);
  return [...head.routes.keys()].filter((index) => allowedSet.has(head.routes[index].route));
}

export function chooseByOptions(
  scorer: Engine["options"],
  encoding: Encoding,
  entries: readonly OptionEntry[],
): RouteChoice {
  const vocabulary = scorer.vocabulary(entries);
  const decided = scorer.decide(encoding, vocabulary);
  const probabilities: number[] = [];
  for (let index = 0; index < decided.probabilities.length; index++) probabilities.push(decided.probabilities[index]);
  const { labels } = vocabulary;
  const { choice } = decided;
  return {
    labels,
    probabilities,
    choice,
    kind: kindByName(labels[choice]),
    confidence: decided.confidence,
    margin: decided.margin,
    scope: decided.fits,
    outOfScope: decided.outOfScope,
    acts: decided.acts,
    set: null,
    risk: decided.risk,
    basis: "zero_shot",
    via: "options",
    expert: null,
    explain(most) {
      const versus = runnerUp(probabilities, choice);
      const explained = scorer.explain(encoding, vocabulary, { choice, versus, most });
      return { ...explained, choice: labels[choice], versus: versus === null ? null : labels[versus] };
    },
  };
}

/** `escalate` and `chat` have a fixed meaning in every vocabulary. */
export function kindByName(label: string): RouteKind {
  return label === "escalate" || label === "chat" ? label : "tool";
}

function runnerUp(probabilities: readonly number[], choice: number): number | null {
  let next: number | null = null;
  for (let index = 0; index < probabilities.length; index++)
    if (index !== choice && (next === null || probabilities[index] > probabilities[next])) next = index;
  return next;
}

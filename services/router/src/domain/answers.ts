/** Response bodies of the native endpoints. Empty members are omitted. */
import { canonicalEntries, MODEL } from "@triptych/contracts";
import type { Complexity, Decision, Escalation } from "./assess.ts";
import { cheapestRoute, type Economy } from "./economy.ts";
import type { Encoding } from "./engine.ts";
import type { Explanation } from "./route-choice.ts";

type Body = Readonly<Record<string, unknown>>;

export interface CommonParts {
  readonly object: "route" | "decision" | "noul" | "score" | "assessment";
  readonly id: string;
  readonly encoding: Encoding;
  readonly domain: string | null;
  readonly expert: string | null;
  readonly latencyMs: number;
}

export function commonBody({ object, id, encoding, domain, expert, latencyMs }: CommonParts): Body {
  return {
    object,
    model: MODEL,
    id,
    ...(expert !== null && { expert }),
    ...(domain !== null && { domain }),
    latency_ms: latencyMs,
    usage: { decisions: 1, input_tokens: encoding.count, truncated: encoding.truncated },
  };
}

export function routeBody(decision: Decision, { escalation, complexity, explain }: RouteParts): Body {
  const { chosen, action, reason, reasonText, gateConfidence } = decision;
  return {
    action,
    route: chosen.labels[chosen.choice],
    ...gatedBody(decision, explain),
    p_yes: escalation.pYes,
    tier: complexity.complexity,
    reason,
    reason_text: reasonText,
    ...(gateConfidence !== null && { gate_confidence: gateConfidence }),
  };
}

export interface RouteParts {
  readonly escalation: Escalation;
  readonly complexity: Complexity;
  readonly explain: number;
}

export function decisionBody(decision: Decision, explain: number): Body {
  const { chosen, reason } = decision;
  return {
    choice: chosen.labels[chosen.choice],
    ...gatedBody(decision, explain),
    abstain: abstains(decision),
    reason,
  };
}

/** Every reason to delegate is an abstention, except `noul_escalate`, which answers another question. */
export function abstains({ action, reason }: Pick<Decision, "action" | "reason">): boolean {
  return action === "delegate" && reason !== "noul_escalate";
}

function gatedBody({ chosen }: Decision, explain: number): Body {
  const { labels, probabilities, confidence, set, basis, via } = chosen;
  return {
    confidence,
    confidence_kind: "p_correct",
    probabilities: canonicalEntries(labels.map((label, index) => [label, probabilities[index]])),
    ...(set !== null && { set: set.labels, set_size: set.labels.length, qhat: set.qhat }),
    basis,
    via,
    ...explained(chosen, explain),
  };
}

export function economyBody({ chosen }: Decision, economy: Economy | null): Body {
  if (economy === null) return {};
  const { choice, action, costs } = cheapestRoute(economy, chosen);
  return { economy: { choice, action, expected_cost_micro: canonicalEntries(costs) } };
}

export function escalationBody(escalation: Escalation, explain: number): Body {
  const { escalate, pYes, threshold, rules } = escalation;
  return {
    escalate,
    answer: escalate ? "yes" : "no",
    p_yes: pYes,
    threshold,
    reason: escalate ? "noul_escalate" : "ok",
    rules,
    ...explained(escalation, explain),
  };
}

export function complexityBody(rated: Complexity, explain: number): Body {
  const { complexity, expected, confidence, probabilities } = rated;
  return {
    complexity,
    tier: complexity,
    expected,
    confidence,
    probabilities: Object.fromEntries([...probabilities].map((p, index) => [String(index + 1), p])),
    ...explained(rated, explain),
  };
}

interface Explainable {
  explain(most: number): Explanation;
}

function explained(explainable: Explainable, most: number): Body {
  return most === 0 ? {} : { explanation: explanationBody(explainable.explain(most)) };
}

/**
 * Features are slices of the caller's text by code unit, so they can contain half a surrogate pair, which is invalid
 * JSON.
 */
export function explanationBody({ choice, versus, logitDifference, bias, other, evidence }: Explanation): Body {
  return {
    choice,
    versus,
    logit_difference: logitDifference,
    bias,
    other,
    evidence: evidence.map(({ feature, kind, weight, contribution }) => ({
      feature: feature.toWellFormed(),
      kind,
      weight,
      contribution,
    })),
  };
}

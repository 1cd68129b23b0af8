/** Explains a decision in one English sentence built from numbers only, so that it never contains the caller's text. */
import type { Basis } from "@triptych/contracts";
import type { Facts, Verdict } from "./decision-table.ts";

export interface ReasonFacts extends Facts {
  readonly basis: Basis;
  readonly maxError: number | null;
  readonly alpha: number | null;
}

export function reasonText({ action, reason }: Verdict, facts: ReasonFacts): string {
  switch (reason) {
    case "ok":
      if (action === "generate")
        return `Small talk above the floor ${formatNumber(facts.floor)}: an answer can be generated.`;
      return `${facts.basis === "head" ? "Known route" : "Option"} above the floor ${formatNumber(facts.floor)}.`;
    case "route_escalate":
      return "The most likely route hands the request to a person or to a stronger model.";
    case "noul_escalate":
      return `The probability of escalation is ${formatNumber(facts.escalation?.pYes ?? 1)}, at or above the threshold ${formatNumber(facts.escalation?.threshold ?? 0)}.`;
    case "out_of_scope":
      if (facts.unread) return "More than half of the words cannot be read.";
      return `None of the ${facts.basis === "head" ? "routes" : "options"} fits the request.`;
    case "low_gate_confidence":
      return `No expert stands out: the gate's confidence ${formatNumber(facts.gateConfidence ?? 0)} is below the floor ${formatNumber(facts.gateFloor)}.`;
    case "low_confidence":
      return `Confidence ${formatNumber(facts.confidence)} is below the floor ${formatNumber(facts.floor)}.`;
    case "risk_limit":
      return riskText(facts);
    case "conformal_abstain":
      return `As many as ${facts.setSize} routes are still possible at an error rate of ${formatNumber(facts.alpha ?? 0)}.`;
  }
}

function riskText({ confidence, risk, maxError }: ReasonFacts): string {
  const target = formatNumber(maxError ?? 0);
  if (risk?.threshold == null) return `No confidence is proven to keep the error rate at or below ${target}.`;
  return `Confidence ${formatNumber(confidence)} is below ${formatNumber(risk.threshold)}, which an error rate of at most ${target} needs.`;
}

function formatNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

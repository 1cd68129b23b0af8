/** One English sentence for people, built from values alone: nothing that a caller wrote can stand in it. */
import type { Basis } from "@triptych/contracts";
import type { Facts, Verdict } from "./decision-table.ts";

export interface Told extends Facts {
  readonly basis: Basis;
  readonly maxError: number | null;
  readonly alpha: number | null;
}

export function reasonText({ action, reason }: Verdict, told: Told): string {
  switch (reason) {
    case "ok":
      if (action === "generate") return `Small talk above the floor ${shown(told.floor)}: an answer can be generated.`;
      return `${told.basis === "head" ? "Known route" : "Option"} above the floor ${shown(told.floor)}.`;
    case "route_escalate":
      return "The likeliest route hands over to a person or to a stronger model.";
    case "noul_escalate":
      return `The probability of escalation is ${shown(told.escalation?.pYes ?? 1)}, at or above the threshold ${shown(told.escalation?.threshold ?? 0)}.`;
    case "out_of_scope":
      return `None of the ${told.basis === "head" ? "routes" : "options"} fits the request.`;
    case "low_gate_confidence":
      return `No expert stands out: the gate's confidence ${shown(told.gateConfidence ?? 0)} is below the floor ${shown(told.gateFloor)}.`;
    case "low_confidence":
      return `Confidence ${shown(told.confidence)} is below the floor ${shown(told.floor)}.`;
    case "risk_limit":
      return riskText(told);
    case "conformal_abstain":
      return `As many as ${told.setSize} routes are still possible at an error rate of ${shown(told.alpha ?? 0)}.`;
  }
}

function riskText({ confidence, risk, maxError }: Told): string {
  const wish = shown(maxError ?? 0);
  if (risk?.threshold == null) return `No confidence is proven to keep the error rate at or below ${wish}.`;
  return `Confidence ${shown(confidence)} is below ${shown(risk.threshold)}, which an error rate of at most ${wish} needs.`;
}

/** For reading; the exact numbers stand in the answer. */
function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}

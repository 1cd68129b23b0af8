/**
 * Determines the action for a request: the first matching row of the table decides. The rows come from section 5 of the
 * contract.
 */
import type { Action, Reason, RouteKind } from "@triptych/contracts";

export interface Facts {
  readonly kind: RouteKind;
  /** Null if escalation is not evaluated. */
  readonly escalation: { readonly pYes: number; readonly threshold: number } | null;
  readonly outOfScope: boolean;
  /** More than half of the words cannot be read. */
  readonly unread: boolean;
  /** Null with at most one active expert. */
  readonly gateConfidence: number | null;
  readonly gateFloor: number;
  readonly confidence: number;
  readonly floor: number;
  /** Null without `max_error` in the request. */
  readonly risk: { readonly threshold: number | null } | null;
  /** The conformal set decides, unless it contains exactly one route or the request sets a floor. */
  readonly isConformal: boolean;
  readonly setSize: number;
}

export interface Verdict {
  readonly action: Action;
  readonly reason: Reason;
}

interface Row extends Verdict {
  readonly when: (facts: Facts) => boolean;
}

const ROWS: readonly Row[] = [
  { when: ({ unread }) => unread, action: "delegate", reason: "out_of_scope" },
  { when: ({ kind }) => kind === "escalate", action: "delegate", reason: "route_escalate" },
  {
    when: ({ escalation }) => escalation !== null && escalation.pYes >= escalation.threshold,
    action: "delegate",
    reason: "noul_escalate",
  },
  { when: ({ outOfScope }) => outOfScope, action: "delegate", reason: "out_of_scope" },
  {
    when: ({ gateConfidence, gateFloor }) => gateConfidence !== null && gateConfidence < gateFloor,
    action: "delegate",
    reason: "low_gate_confidence",
  },
  { when: ({ confidence, floor }) => confidence < floor, action: "delegate", reason: "low_confidence" },
  {
    when: ({ confidence, risk }) => risk !== null && (risk.threshold === null || confidence < risk.threshold),
    action: "delegate",
    reason: "risk_limit",
  },
  { when: ({ isConformal, setSize }) => isConformal && setSize !== 1, action: "delegate", reason: "conformal_abstain" },
  { when: ({ kind }) => kind === "chat", action: "generate", reason: "ok" },
];
const OTHERWISE: Verdict = { action: "tool_call", reason: "ok" };

export function verdictOn(facts: Facts): Verdict {
  const { action, reason } = ROWS.find(({ when }) => when(facts)) ?? OTHERWISE;
  return { action, reason };
}

/** What the handlers work with. */
import type { Assessor } from "./assess.ts";
import type { Experts } from "./experts.ts";
import type { Decided } from "./heads/shadow-evaluation.ts";

export interface Router {
  readonly assessor: Assessor;
  readonly experts: Experts;
  /** Milliseconds that only rise, for what is told about durations; no decision looks at them. */
  clock(): number;
  /** Decides the fixed text and compares with the stored answer. */
  probe(): boolean;
  /** Tells of a decision that was answered. */
  observe(decision: ObservedDecision): void;
  /** Lets the versions that shadow the expert decide too, later. */
  beside(decided: Decided): void;
}

/** Names of what was decided, of closed lists only: no route, no text, no head of an owner. */
export interface ObservedDecision {
  readonly endpoint: string;
  readonly action: string;
  readonly reason: string;
  readonly expert: string;
}

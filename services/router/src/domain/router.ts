import type { Assessor } from "./assess.ts";
import type { Experts } from "./experts.ts";
import type { Decided } from "./heads/shadow-evaluation.ts";

export interface Router {
  readonly assessor: Assessor;
  readonly experts: Experts;
  /** Monotonic milliseconds, for durations only; decisions never read it. */
  clock(): number;
  /** Decides a fixed text and compares the result with the stored one. */
  probe(): boolean;
  observe(decision: ObservedDecision): void;
  beside(decided: Decided): void;
}

/** Metric labels come from closed lists: no route, no text, no head name. */
export interface ObservedDecision {
  readonly endpoint: string;
  readonly action: string;
  readonly reason: string;
  readonly expert: string;
}

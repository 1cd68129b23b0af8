/**
 * Check results: those of one execution of the commands, and those of a whole run so far. The summary is part of every outcome and state
 * change.
 */
import type { CheckReport, CheckRun } from "./run-request.ts";
import type { Verdict } from "./verdict.ts";

/** Which of the two commands run. */
export interface CheckOptions {
  readonly verify: boolean;
  readonly gate: boolean;
}

export interface CheckedRun extends CheckRun {
  /** The output of both, for the agent's next round. */
  readonly output: string;
  /** Why a check could not run. */
  readonly unavailable: string | null;
}

export interface RunSummary {
  baseline: CheckedRun | null;
  attempts: readonly CheckedRun[];
  verdict: Verdict | null;
}

export function reportOf({ baseline, attempts, verdict }: RunSummary): CheckReport {
  return { baseline: withoutOutput(baseline), attempts: attempts.map(bare), verdict };
}

export function withoutOutput(run: CheckedRun | null): CheckRun | null {
  return run === null ? null : bare(run);
}

function bare({ checks, durationMs, verify, gate, isCached }: CheckedRun): CheckRun {
  return { checks, durationMs, verify, gate, isCached };
}

/** The check results so far: part of every outcome and every state change. */
import type { CheckedRun } from "../phases/checks.ts";
import type { CheckReport, CheckRun } from "./run-request.ts";
import type { Verdict } from "./verdict.ts";

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

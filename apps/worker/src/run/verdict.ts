/**
 * The verdict table of the checks before and after the agent. The effective check is verify command and gate together; a missing check is
 * `none` and blocks nothing.
 */
export type Check = "green" | "red" | "none";

export interface Checks {
  readonly verify: Check;
  readonly gate: Check;
}

export interface Gate {
  readonly command: string;
  readonly baseline: "must_fail" | "must_pass" | "none";
  readonly timeoutS: number;
  /** Paths or globs that the gate relies on: restored from the base for the gate and the delivery. */
  readonly frozenPaths: readonly string[];
}

export type Verdict = "passed" | "failed" | "baseline_broken" | "gate_only" | "flaky" | "skipped";

export type BaselineVerdict = "go_on" | "gate_not_red" | "baseline_broken";

export function judgeBaseline({ gate }: Checks, expected: Gate["baseline"]): BaselineVerdict {
  if (expected === "must_fail" && gate === "green") return "gate_not_red";
  return expected === "must_pass" && gate === "red" ? "baseline_broken" : "go_on";
}

/**
 * `attempts`: runs of the checks on one unchanged tree; the last one decides. A baseline that did not run counts as passed, so a failed
 * check is attributed to the agent.
 */
export function verdictOf(baseline: Checks, attempts: readonly Checks[]): Verdict {
  const last = attempts[attempts.length - 1];
  if (last === undefined || (last.verify === "none" && last.gate === "none")) return "skipped";
  if (isGreen(last)) return attempts.every(isGreen) ? "passed" : "flaky";
  const wasRed = baseline.verify === "red";
  if (last.gate === "none") return wasRed ? "baseline_broken" : "failed";
  return last.gate === "green" && wasRed ? "gate_only" : "failed";
}

/** Verdicts that the panel accepts for a push. */
export function isDeliverable(verdict: Verdict): boolean {
  return verdict === "passed" || verdict === "flaky" || verdict === "gate_only" || verdict === "skipped";
}

function isGreen({ verify, gate }: Checks): boolean {
  return verify !== "red" && gate !== "red";
}

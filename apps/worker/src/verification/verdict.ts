/**
 * What the checks before and after the agent mean, as a table. The effective check is the verify command and the gate together; a
 * check that does not exist is `none` and hinders nothing.
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
  /** Paths or globs that the gate relies on: they stand as at the base when it runs, and in what is delivered. */
  readonly frozenPaths: readonly string[];
}

export type Verdict = "passed" | "failed" | "baseline_broken" | "gate_only" | "flaky" | "skipped";

export type BaselineVerdict = "go_on" | "gate_not_red" | "baseline_broken";

/** Whether an agent is started at all. */
export function judgeBaseline({ gate }: Checks, expected: Gate["baseline"]): BaselineVerdict {
  if (expected === "must_fail" && gate === "green") return "gate_not_red";
  return expected === "must_pass" && gate === "red" ? "baseline_broken" : "go_on";
}

/**
 * `attempts` are the runs of the checks after one round of the agent, in order, nothing having changed between them; the last one
 * decides. A baseline that did not run counts as green: a red check is then the agent's.
 */
export function verdictOf(baseline: Checks, attempts: readonly Checks[]): Verdict {
  const last = attempts[attempts.length - 1];
  if (last === undefined || (last.verify === "none" && last.gate === "none")) return "skipped";
  if (isGreen(last)) return attempts.every(isGreen) ? "passed" : "flaky";
  const wasRed = baseline.verify === "red";
  if (last.gate === "none") return wasRed ? "baseline_broken" : "failed";
  return last.gate === "green" && wasRed ? "gate_only" : "failed";
}

/** What the panel accepts for a push. */
export function isDeliverable(verdict: Verdict): boolean {
  return verdict === "passed" || verdict === "flaky" || verdict === "gate_only" || verdict === "skipped";
}

function isGreen({ verify, gate }: Checks): boolean {
  return verify !== "red" && gate !== "red";
}

/** Texts about runs. */
import type { QueueReason, ResultCode, RunPhase, RunState } from "@triptych/contracts/plain";
import type { Run } from "@triptych/contracts";

/** The style of a state: color has one of five meanings. */
export type Tone = "active" | "attention" | "success" | "failure" | "rest";

export const STATE_LABELS: Readonly<Record<RunState, string>> = {
  queued: "Queued",
  leased: "Assigned",
  preparing: "Preparing",
  running: "Running",
  verifying: "Verifying",
  pushing: "Pushing",
  pushed: "Pushed",
  pr_open: "PR open",
  succeeded: "Succeeded",
  no_change: "No changes",
  failed: "Failed",
  cancelled: "Cancelled",
  expired: "Expired",
  lost: "Lost",
};

export function statusColor({ state, phase }: { readonly state: RunState; readonly phase: RunPhase }): Tone {
  if (state === "queued") return "rest";
  if (state === "no_change") return "rest";
  if (state === "cancelled" || state === "expired") return "rest";
  return phase;
}

/** Of a state alone, where the phase is not known. */
export function endTone(state: RunState): Tone {
  const phase = ["pushed", "pr_open", "succeeded", "no_change"].includes(state)
    ? "success"
    : ["failed", "cancelled", "expired", "lost"].includes(state)
      ? "failure"
      : "active";
  return statusColor({ state, phase });
}

export function waitsFor(reason: QueueReason | null, run: Pick<Run, "team" | "isolation" | "kind">): string {
  const clis = [...new Set(run.team.members.map(({ cli }) => cli))].join(" and ");
  switch (reason) {
    case null:
      return "is queued";
    case "no_worker":
      return "is waiting: no worker is connected";
    case "no_worker_with_cli":
      return clis === "" ? "is waiting: no worker has an agent for it" : `is waiting: no worker has ${clis}`;
    case "no_worker_with_isolation":
      return `is waiting: no worker has isolation “${run.isolation.level}”`;
    case "plan_concurrency":
      return "is waiting: the plan's limit of parallel runs is reached";
    case "repo_busy":
      return "is waiting: another run of this repository is in progress";
    case "repo_paused":
      return "is waiting: its repository is paused";
    case "repo_unreachable":
      return "is waiting: its repository is unreachable";
    case "retry_delay":
      return "is waiting for the retry delay";
    case "workers_full":
      return "is waiting: all workers are busy";
  }
}

const ENDS: Readonly<Record<ResultCode, readonly [string, string]>> = {
  ok: ["Completed. The checks pass.", ""],
  gate_not_red: [
    "No changes needed: the gate already passes.",
    "The work is already done, or the gate does not test it.",
  ],
  verify_failed: [
    "The checks failed after the change, in every round.",
    "Read the last output, add what is missing to the focus, and retry.",
  ],
  baseline_broken: [
    "The checks failed before the change.",
    "Fix the checks first, or give the run a gate that proves its own change.",
  ],
  agent_error: [
    "The agent ended with an error.",
    "See the last lines under Activity. Test the agent's connection on its worker.",
  ],
  agent_auth: [
    "The agent is not signed in with its provider.",
    "Set the model's API key on the worker, then test the connection.",
  ],
  cost_cap: ["Cost limit reached.", "Raise the limit in the settings, or ask for less at once."],
  token_cap: ["Token limit reached.", "Raise the limit in the settings, or ask for less at once."],
  turn_cap: ["Turn limit reached.", "Raise the limit in the settings, or ask for less at once."],
  timeout: ["Time limit reached.", "Raise the time limit in the settings, or split the task."],
  idle_timeout: [
    "The agent produced no output for too long.",
    "See under Activity where it stopped; raise the idle timeout if it was still working.",
  ],
  policy_violation: ["Policy violation.", "See Activity for details. Nothing left the worker."],
  policy_forbids: [
    "The project does not accept contributions made with AI. Nothing was pushed.",
    "Read the quoted sentence. If a maintainer allows runs, override the policy in the settings.",
  ],
  protected_path: [
    "The change edits a protected path.",
    "Remove the path from the protected paths if the change is intended.",
  ],
  diff_too_large: ["The change is too large.", "Raise the limit on files or lines, or split the task."],
  secret_in_diff: [
    "The change adds something that looks like a secret. Nothing was pushed.",
    "Review the change, and revoke the secret if it is one.",
  ],
  clone_failed: ["The repository could not be cloned.", "Check the address and the credential in the settings."],
  setup_failed: ["The setup command failed.", "See its output under Activity, then fix the command in the settings."],
  checks_unavailable: [
    "The checks cannot run on this worker. No agent was started.",
    "Install what is missing, or change the setup or test command in the settings.",
  ],
  merge_conflict: ["The change conflicts with the branch.", "Retry: the new run starts from the current branch."],
  push_refused: [
    "The Git host rejected the branch.",
    "Check that the credential has push access. The work is saved; retry pushes it again.",
  ],
  branch_moved: [
    "Someone else pushed to the branch of this run.",
    "Check the branch on your Git host. Retry creates a new one.",
  ],
  follow_up_exhausted: [
    "The pull request still needs work after the maximum number of follow-up runs.",
    "Fix it yourself, or start another follow-up run.",
  ],
  isolation_unavailable: [
    "The worker does not have the isolation that the repository requires.",
    "Connect a worker that has it, or lower the minimum isolation in the settings.",
  ],
  bundle_invalid: ["The worker's upload was invalid.", "Retry; if it happens again, update the worker."],
  worker_lost: ["The worker was lost on every attempt.", "Check the worker's machine, then retry."],
  cancelled: ["Cancelled. Nothing was pushed.", "Retry starts a new run with the same settings."],
  expired: ["No worker took it within a day.", "Connect a worker, then retry."],
  internal: ["Internal error.", "Retry. The panel's log has the details under this run ID."],
};

export interface Outcome {
  readonly tone: Tone;
  readonly sentence: string;
  readonly next: string;
}

/** The outcome in one sentence, with the next step. Null while the run is active. */
export function outcomeOf(
  run: Pick<Run, "state" | "phase" | "result" | "pr" | "kind" | "verify" | "diff" | "warnings" | "explore">,
): Outcome | null {
  const { state, phase, result, pr } = run;
  const tone = statusColor(run);
  if (state === "pr_open" && pr !== null) {
    const sentence =
      pr.state === "merged"
        ? "Its pull request was merged."
        : `Pull request #${pr.number} is ${pr.draft && pr.state === "open" ? "open as a draft" : pr.state}.`;
    return {
      tone,
      sentence: `${verdictSentence(run)}${sentence}`,
      next: isExhausted(run)
        ? ENDS.follow_up_exhausted[1]
        : pr.state === "open"
          ? "Review and merge it on your Git host."
          : "",
    };
  }
  if (state === "pushed" && phase === "attention")
    return {
      tone,
      sentence: `${verdictSentence(run)}The branch was pushed, but its pull request is missing.`,
      next: "Create the PR (safe to repeat).",
    };
  if (state === "pushed")
    return {
      tone,
      sentence: `${verdictSentence(run)}The branch was pushed.`,
      next: "Merge the branch on your Git host.",
    };
  if (state === "succeeded") return exploreOutcome(tone, run.explore);
  if (phase === "active" || result === null) return null;
  if (state === "no_change" && result.code === "ok") return { tone, sentence: "No changes were needed.", next: "" };
  const [sentence, next] = ENDS[result.code];
  return { tone, sentence, next };
}

/** Of phase `attention`: a final state with an open pull request needs a person, an earlier one lacks it. */
export function attentionLabel({ state }: Pick<Run, "state">): string {
  return state === "pr_open" ? "PR needs work" : "PR missing";
}

export function isExhausted({ result, phase }: Pick<Run, "result" | "phase">): boolean {
  return phase === "attention" && result?.code === "follow_up_exhausted";
}

function exploreOutcome(tone: Tone, explore: Run["explore"]): Outcome {
  const count = explore?.proposed ?? null;
  if (count === null) return { tone, sentence: "Explored the repository.", next: "Review its candidates." };
  if (count === 0) return { tone, sentence: "Explored the repository: no new candidates.", next: "" };
  const found = count === 1 ? "1 new candidate" : `${count} new candidates`;
  return { tone, sentence: `Explored the repository: ${found}.`, next: "Review the candidates." };
}

function verdictSentence({ verify: { verdict, baseline } }: Pick<Run, "verify">): string {
  if (verdict === "passed")
    return baseline !== null && baseline.exit_code !== 0
      ? "The checks failed before and pass now. "
      : "The checks pass. ";
  if (verdict === "gate_only") return "The gate passes, the checks still fail. ";
  if (verdict === "flaky") return "The checks are flaky: they failed, then passed on a retry. ";
  return verdict === "skipped" ? "There were no checks. " : "";
}

const WARNINGS: Readonly<Record<string, string>> = {
  no_worker_connected: "No worker was connected when this run was started.",
  network_not_enforced: "Network access was unrestricted: this worker has no sandbox.",
  isolation_raised: "Isolation was raised to the operator's minimum.",
  tests_changed: "This change edits existing tests: review them closely.",
};

export function warningLabel(code: string): string {
  return WARNINGS[code] ?? code.replaceAll("_", " ");
}

/** When work on a run started, and its duration so far. */
export function spentMs({ times, phase }: Pick<Run, "times" | "phase">, now: number): number | null {
  if (times.leased_at === null) return null;
  const end = times.ended_at ?? (phase === "active" ? null : times.pushed_at);
  return (end === null ? now : Date.parse(end)) - Date.parse(times.leased_at);
}

export const TRIGGER_LABELS: Readonly<Record<Run["trigger"]["type"], string>> = {
  manual: "Manual",
  schedule: "Schedule",
  candidate: "Candidate",
  retry: "Retry",
  demo: "Demo",
  follow_up: "Follow-up",
};

/** Until it is pushed: a push cannot be undone. */
export function mayCancel({ state }: Pick<Run, "state">): boolean {
  return ["queued", "leased", "preparing", "running", "verifying"].includes(state);
}

/** Runs in words: states, what they wait for, how they ended and what to do next. */
import type { QueueReason, ResultCode, RunPhase, RunState } from "@triptych/contracts/plain";
import type { Run } from "@triptych/contracts";

/** How a state looks: colour means one of five things and nothing else. */
export type Tone = "active" | "attention" | "success" | "failure" | "rest";

export const STATE_WORDS: Readonly<Record<RunState, string>> = {
  queued: "waiting",
  leased: "handed out",
  preparing: "preparing",
  running: "running",
  verifying: "verifying",
  pushing: "pushing",
  pushed: "pushed",
  pr_open: "PR open",
  succeeded: "done",
  no_change: "nothing to do",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
  lost: "lost",
};

export function toneOf({ state, phase }: { readonly state: RunState; readonly phase: RunPhase }): Tone {
  if (state === "queued") return "rest";
  if (state === "no_change") return "rest";
  if (state === "cancelled" || state === "expired") return "rest";
  return phase;
}

/** What a run waits for, with what would end the wait. */
export function waitsFor(reason: QueueReason | null, run: Pick<Run, "team" | "isolation" | "kind">): string {
  const clis = [...new Set(run.team.members.map(({ cli }) => cli))].join(" and ");
  switch (reason) {
    case null:
      return "waits for its turn";
    case "no_worker":
      return "waits: no worker is connected";
    case "no_worker_with_cli":
      return clis === "" ? "waits: no worker has an agent for it" : `waits: no worker with ${clis}`;
    case "no_worker_with_isolation":
      return `waits: no worker with isolation “${run.isolation.level}”`;
    case "plan_concurrency":
      return "waits: the plan runs no more at once";
    case "repo_busy":
      return "waits: another run of this repo goes first";
    case "repo_paused":
      return "waits: its repo is paused";
    case "repo_unreachable":
      return "waits: its repo cannot be reached";
    case "retry_delay":
      return "waits a moment before it is tried again";
    case "workers_full":
      return "waits: all workers are busy";
  }
}

const ENDS: Readonly<Record<ResultCode, readonly [string, string]>> = {
  ok: ["It did what was asked, and the checks are green.", ""],
  gate_not_red: [
    "There was nothing to prove: the gate is green already.",
    "The work is done, or the gate does not ask for it.",
  ],
  verify_failed: [
    "The checks were red after the change, in every round.",
    "Read the last output; say in the focus what was missed, and retry.",
  ],
  baseline_broken: [
    "The checks were red before anything was changed.",
    "Mend the checks first, or give the run a gate that proves its own change.",
  ],
  agent_error: ["The agent ended with an error.", "Its last lines on the bus say why. Probe the agent on its worker."],
  agent_auth: [
    "The agent is not signed in with its provider.",
    "Give the worker the key of its model, and probe the pair.",
  ],
  cost_cap: ["It reached the cap on cost.", "Raise the cap in the settings, or ask for less at once."],
  token_cap: ["It reached the cap on tokens.", "Raise the cap in the settings, or ask for less at once."],
  turn_cap: ["It reached the cap on turns.", "Raise the cap in the settings, or ask for less at once."],
  timeout: ["It took longer than it may.", "Raise the time in the settings, or ask for less at once."],
  idle_timeout: [
    "Nothing was heard of the agent for too long.",
    "See on the bus where it stopped; raise the idle time when that was honest work.",
  ],
  policy_violation: [
    "It did what the policy of the repo does not allow.",
    "The bus names it. Nothing left the worker.",
  ],
  protected_path: ["It changed a protected path.", "Take the path out of the protected ones when that was wanted."],
  diff_too_large: ["The change is larger than it may be.", "Raise the cap on files or lines, or ask for less at once."],
  secret_in_diff: [
    "What it adds looks like a secret. Nothing was pushed.",
    "Look at the change, and withdraw the secret if it is one.",
  ],
  clone_failed: ["The repository could not be cloned.", "Check address and credential in the settings."],
  setup_failed: ["The setup command failed.", "Its output is on the bus. Mend the command in the settings."],
  merge_conflict: ["The change does not fit on the branch any more.", "Retry: it begins from the branch as it is now."],
  push_refused: [
    "The forge did not take the branch.",
    "Check that the credential may push; the work is kept, retry pushes anew.",
  ],
  branch_moved: [
    "Someone else pushed to the branch of this run.",
    "Look at the branch at the forge; retry makes a new one.",
  ],
  isolation_unavailable: [
    "The worker could not give the isolation that the repo asks for.",
    "Connect a worker that can, or ask for less in the settings.",
  ],
  bundle_invalid: [
    "What the worker handed over is not what it should be.",
    "Retry; if it happens again, update the worker.",
  ],
  worker_lost: ["Its worker was lost, as often as it may be tried.", "Look at the worker's machine, then retry."],
  cancelled: ["It was cancelled. Nothing was pushed.", "Retry makes a new run with the same settings."],
  expired: ["No worker took it within a day.", "Connect a worker, then retry."],
  internal: ["The panel made a mistake.", "Retry. The log of the panel says more, under this run's id."],
};

export interface Outcome {
  readonly tone: Tone;
  readonly sentence: string;
  /** What to do next; empty where there is nothing. */
  readonly next: string;
}

/** The result in one sentence, and what to do next. Null while it is under way. */
export function outcomeOf(
  run: Pick<Run, "state" | "phase" | "result" | "pr" | "kind" | "verify" | "diff" | "warnings" | "explore">,
): Outcome | null {
  const { state, phase, result, pr } = run;
  const tone = toneOf(run);
  if (state === "pr_open" && pr !== null) {
    const sentence =
      pr.state === "merged"
        ? "Its pull request was merged."
        : `Pull request #${pr.number} is ${pr.draft && pr.state === "open" ? "open as a draft" : pr.state}.`;
    return {
      tone,
      sentence: `${verdictSentence(run)}${sentence}`,
      next: pr.state === "open" ? "Review and merge it at the forge." : "",
    };
  }
  if (state === "pushed" && phase === "attention")
    return {
      tone,
      sentence: `${verdictSentence(run)}The branch is pushed, its pull request is missing.`,
      next: "Recover the PR: however often you ask, there is one.",
    };
  if (state === "pushed")
    return {
      tone,
      sentence: `${verdictSentence(run)}The branch is pushed.`,
      next: "Merge it where the repository lives.",
    };
  if (state === "succeeded") return exploreOutcome(tone, run.explore);
  if (phase === "active" || result === null) return null;
  if (state === "no_change" && result.code === "ok") return { tone, sentence: "Nothing had to be changed.", next: "" };
  const [sentence, next] = ENDS[result.code];
  return { tone, sentence, next };
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
  if (verdict === "flaky") return "The checks are flaky: red, and green when run again. ";
  return verdict === "skipped" ? "There were no checks. " : "";
}

const WARNINGS: Readonly<Record<string, string>> = {
  no_worker_connected: "No worker was connected when it was started.",
  network_not_enforced: "The network was open: its worker has no sandbox to hold it.",
  tests_changed: "It changes tests that were there before: look at them closely.",
};

export function warningWords(code: string): string {
  return WARNINGS[code] ?? code.replaceAll("_", " ");
}

/** When a run began to be worked on, and how long that took so far. */
export function spentMs({ times, phase }: Pick<Run, "times" | "phase">, now: number): number | null {
  if (times.leased_at === null) return null;
  const end = times.ended_at ?? (phase === "active" ? null : times.pushed_at);
  return (end === null ? now : Date.parse(end)) - Date.parse(times.leased_at);
}

export const TRIGGER_WORDS: Readonly<Record<Run["trigger"]["type"], string>> = {
  manual: "by hand",
  schedule: "schedule",
  candidate: "candidate",
  retry: "retry",
  demo: "demo",
};

/** Until it is pushed: what has left cannot be called back. */
export function mayCancel({ state }: Pick<Run, "state">): boolean {
  return ["queued", "leased", "preparing", "running", "verifying"].includes(state);
}

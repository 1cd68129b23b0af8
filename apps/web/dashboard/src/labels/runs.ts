/** Texts about runs. */
import type { QueueReason, ResultCode, RunPhase, RunState } from "@triptych/contracts/plain";
import type { Run } from "@triptych/contracts";
import { locale, plural, t } from "../i18n.ts";

/** The style of a state. Color has one of five meanings. */
export type Tone = "active" | "attention" | "success" | "failure" | "rest";

export const STATE_LABELS: Readonly<Record<RunState, string>> = {
  queued: t("Queued"),
  leased: t("Assigned"),
  preparing: t("Preparing"),
  running: t("Running"),
  verifying: t("Verifying"),
  pushing: t("Pushing"),
  pushed: t("Pushed"),
  pr_open: t("PR open"),
  succeeded: t("Succeeded"),
  no_change: t("No changes"),
  failed: t("Failed"),
  cancelled: t("Cancelled"),
  expired: t("Expired"),
  lost: t("Lost"),
};

export function statusColor({ state, phase }: { readonly state: RunState; readonly phase: RunPhase }): Tone {
  if (state === "queued") return "rest";
  if (state === "no_change") return "rest";
  if (state === "cancelled" || state === "expired") return "rest";
  return phase;
}

/** Tone of a state if the phase is not known. */
export function endTone(state: RunState): Tone {
  const phase = ["pushed", "pr_open", "succeeded", "no_change"].includes(state)
    ? "success"
    : ["failed", "cancelled", "expired", "lost"].includes(state)
      ? "failure"
      : "active";
  return statusColor({ state, phase });
}

export function waitsFor(reason: QueueReason | null, run: Pick<Run, "team" | "isolation" | "kind">): string {
  const clis = new Intl.ListFormat(locale).format(new Set(run.team.members.map(({ cli }) => cli)));
  switch (reason) {
    case null:
      return t("is queued");
    case "no_worker":
      return t("is waiting: no worker is connected");
    case "no_worker_with_cli":
      return clis === ""
        ? t("is waiting: no worker has an agent for it")
        : t("is waiting: no worker has {clis}", { clis });
    case "no_worker_with_isolation":
      return t("is waiting: no worker has isolation “{level}”", { level: run.isolation.level });
    case "plan_concurrency":
      return t("is waiting: the plan's limit of parallel runs is reached");
    case "repo_busy":
      return t("is waiting: another run of this repository is in progress");
    case "repo_paused":
      return t("is waiting: its repository is paused");
    case "repo_unreachable":
      return t("is waiting: its repository is unreachable");
    case "retry_delay":
      return t("is waiting for the retry delay");
    case "workers_full":
      return t("is waiting: all workers are busy");
  }
}

const ENDS: Readonly<Record<ResultCode, readonly [string, string]>> = {
  ok: [t("Completed. The checks pass."), ""],
  gate_not_red: [
    t("No changes needed: the gate already passes."),
    t("The work is already done, or the gate does not test it."),
  ],
  verify_failed: [
    t("The checks failed after the change, in every round."),
    t("Read the last output, add what is missing to the focus, and retry."),
  ],
  baseline_broken: [
    t("The checks failed before the change."),
    t("Fix the checks first, or give the run a gate that proves its own change."),
  ],
  agent_error: [
    t("The agent ended with an error."),
    t("See the last lines under Activity. Test the agent's connection on its worker."),
  ],
  agent_auth: [
    t("The agent is not signed in with its provider."),
    t("Set the model's API key on the worker, then test the connection."),
  ],
  cost_cap: [t("Cost limit reached."), t("Raise the limit in the settings, or ask for less at once.")],
  token_cap: [t("Token limit reached."), t("Raise the limit in the settings, or ask for less at once.")],
  turn_cap: [t("Turn limit reached."), t("Raise the limit in the settings, or ask for less at once.")],
  timeout: [t("Time limit reached."), t("Raise the time limit in the settings, or split the task.")],
  idle_timeout: [
    t("The agent produced no output for too long."),
    t("See under Activity where it stopped; raise the idle timeout if it was still working."),
  ],
  policy_violation: [t("Policy violation."), t("See Activity for details. Nothing left the worker.")],
  policy_forbids: [
    t("The project does not accept contributions made with AI. Nothing was pushed."),
    t("Read the quoted sentence. If a maintainer allows runs, override the policy in the settings."),
  ],
  protected_path: [
    t("The change edits a protected path."),
    t("Remove the path from the protected paths if the change is intended."),
  ],
  diff_too_large: [t("The change is too large."), t("Raise the limit on files or lines, or split the task.")],
  secret_in_diff: [
    t("The change adds something that looks like a secret. Nothing was pushed."),
    t("Review the change, and revoke the secret if it is one."),
  ],
  clone_failed: [t("The repository could not be cloned."), t("Check the address and the credential in the settings.")],
  setup_failed: [
    t("The setup command failed."),
    t("See its output under Activity, then fix the command in the settings."),
  ],
  checks_unavailable: [
    t("The checks cannot run on this worker. No agent was started."),
    t("Install what is missing, or change the setup or test command in the settings."),
  ],
  merge_conflict: [t("The change conflicts with the branch."), t("Retry: the new run starts from the current branch.")],
  push_refused: [
    t("The Git host rejected the branch."),
    t("Check that the credential has push access. The work is saved; retry pushes it again."),
  ],
  branch_moved: [
    t("Someone else pushed to the branch of this run."),
    t("Check the branch on your Git host. Retry creates a new one."),
  ],
  follow_up_exhausted: [
    t("The pull request still needs work after the maximum number of follow-up runs."),
    t("Fix it yourself, or start another follow-up run."),
  ],
  isolation_unavailable: [
    t("The worker does not have the isolation that the repository requires."),
    t("Connect a worker that has it, or lower the minimum isolation in the settings."),
  ],
  bundle_invalid: [t("The worker's upload was invalid."), t("Retry; if it happens again, update the worker.")],
  worker_lost: [t("The worker was lost on every attempt."), t("Check the worker's machine, then retry.")],
  cancelled: [t("Cancelled. Nothing was pushed."), t("Retry starts a new run with the same settings.")],
  expired: [t("No worker took it within a day."), t("Connect a worker, then retry.")],
  internal: [t("Internal error."), t("Retry. The panel's log has the details under this run ID.")],
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
    const sentence = pr.state === "merged" ? t("Its pull request was merged.") : pullRequestSentence(pr);
    return {
      tone,
      sentence: sentences(verdictSentence(run), sentence),
      next: isExhausted(run)
        ? ENDS.follow_up_exhausted[1]
        : pr.state === "open"
          ? t("Review and merge it on your Git host.")
          : "",
    };
  }
  if (state === "pushed" && phase === "attention")
    return {
      tone,
      sentence: sentences(verdictSentence(run), t("The branch was pushed, but its pull request is missing.")),
      next: t("Create the PR (safe to repeat)."),
    };
  if (state === "pushed")
    return {
      tone,
      sentence: sentences(verdictSentence(run), t("The branch was pushed.")),
      next: t("Merge the branch on your Git host."),
    };
  if (state === "succeeded") return exploreOutcome(tone, run.explore);
  if (phase === "active" || result === null) return null;
  if (state === "no_change" && result.code === "ok") return { tone, sentence: t("No changes were needed."), next: "" };
  const [sentence, next] = ENDS[result.code];
  return { tone, sentence, next };
}

/** For phase `attention`: a final state with an open pull request needs a person; an earlier state lacks the pull request. */
export function attentionLabel({ state }: Pick<Run, "state">): string {
  return state === "pr_open" ? t("PR needs work") : t("PR missing");
}

export function isExhausted({ result, phase }: Pick<Run, "result" | "phase">): boolean {
  return phase === "attention" && result?.code === "follow_up_exhausted";
}

function exploreOutcome(tone: Tone, explore: Run["explore"]): Outcome {
  const count = explore?.proposed ?? null;
  if (count === null) return { tone, sentence: t("Explored the repository."), next: t("Review its candidates.") };
  if (count === 0) return { tone, sentence: t("Explored the repository: no new candidates."), next: "" };
  const sentence = plural(
    count,
    "Explored the repository: {count} new candidate.",
    "Explored the repository: {count} new candidates.",
  );
  return { tone, sentence, next: t("Review the candidates.") };
}

function pullRequestSentence({ number, draft, state }: NonNullable<Run["pr"]>): string {
  if (state !== "open") return t("Pull request #{number} is closed.", { number });
  return draft
    ? t("Pull request #{number} is open as a draft.", { number })
    : t("Pull request #{number} is open.", { number });
}

function sentences(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(" ");
}

function verdictSentence({ verify: { verdict, baseline } }: Pick<Run, "verify">): string {
  if (verdict === "passed")
    return baseline !== null && baseline.exit_code !== 0
      ? t("The checks failed before and pass now.")
      : t("The checks pass.");
  if (verdict === "gate_only") return t("The gate passes, the checks still fail.");
  if (verdict === "flaky") return t("The checks are flaky: they failed, then passed on a retry.");
  return verdict === "skipped" ? t("There were no checks.") : "";
}

const WARNINGS: Readonly<Record<string, string>> = {
  no_worker_connected: t("No worker was connected when this run was started."),
  network_not_enforced: t("Network access was unrestricted: this worker has no sandbox."),
  isolation_raised: t("Isolation was raised to the operator's minimum."),
  tests_changed: t("This change edits existing tests: review them closely."),
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

export const VERDICT_LABELS: Readonly<Record<NonNullable<Run["verify"]["verdict"]>, string>> = {
  passed: t("passed"),
  failed: t("failed"),
  baseline_broken: t("baseline broken"),
  gate_only: t("gate only"),
  flaky: t("flaky"),
  skipped: t("skipped"),
};

export const TRIGGER_LABELS: Readonly<Record<Run["trigger"]["type"], string>> = {
  manual: t("Manual"),
  schedule: t("Schedule"),
  candidate: t("Candidate"),
  retry: t("noun|Retry"),
  demo: t("Demo"),
  follow_up: t("Follow-up"),
};

/** A run can be cancelled until it is pushed, because a push cannot be undone. */
export function mayCancel({ state }: Pick<Run, "state">): boolean {
  return ["queued", "leased", "preparing", "running", "verifying"].includes(state);
}

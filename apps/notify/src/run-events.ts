/** Events of runs and candidates, from their representation in the API. */
import type { Candidate, Run } from "@triptych/contracts";
import { eventId, lineOf, TEXT_MAX, TITLE_MAX, type EventType, type NotifyEvent } from "./event.ts";

/** After the push, the panel usually opens the pull request within seconds. */
const ATTENTION_AFTER_MS = 120_000;
/** A person cancels runs, so a cancelled run is not reported. */
const FAILURES: ReadonlySet<string> = new Set(["failed", "expired", "lost"]);

/** Runs of these phases can still cause an event. */
export function isOpen({ phase }: Run): boolean {
  return phase === "active" || phase === "attention";
}

/** Null if there is nothing to report yet. */
export function eventOfRun(run: Run, now: number): NotifyEvent | null {
  const { state, phase, times, repo_name, focus } = run;
  const repo = lineOf(repo_name, TITLE_MAX / 2);
  const ended = Date.parse(times.ended_at ?? times.queued_at);
  if (run.result?.code === "follow_up_exhausted") {
    // This happens after the end of the run that opened the pull request.
    const about = { type: "run.follow_up_exhausted", at: now, text: run.result.message } as const;
    const title = `${repo}: pull request #${run.pr?.number ?? ""} needs a person`;
    return { ...runEvent(run, { ...about, title }), id: eventId(about.type, run.follow_ups.at(-1)?.run_id ?? run.id) };
  }
  // The pull request of a follow-up run was opened by another run.
  if (state === "pr_open" && run.trigger.type === "follow_up") return null;
  if (state === "pr_open")
    return runEvent(run, { type: "run.pr_opened", at: ended, title: `${repo}: pull request opened`, text: focus });
  if (FAILURES.has(state)) {
    const text = `${run.result?.code ?? state}: ${run.result?.message || focus}`;
    return runEvent(run, { type: "run.failed", at: ended, title: `${repo}: run ${state}`, text });
  }
  const pushed = Date.parse(times.pushed_at ?? times.queued_at);
  if (phase !== "attention" || now - pushed < ATTENTION_AFTER_MS) return null;
  const reasons = run.warnings.length === 0 ? "" : ` (${run.warnings.join(", ")})`;
  const text = `The branch ${run.branch ?? ""} is pushed, but has no pull request${reasons}.`;
  return runEvent(run, { type: "run.attention", at: pushed, title: `${repo}: run needs attention`, text });
}

type RunEventParts = Pick<NotifyEvent, "at" | "title" | "text"> & { readonly type: EventType };

function runEvent(run: Run, { type, at, title, text }: RunEventParts): NotifyEvent {
  const { id, repo_id, repo_name, kind, state, phase, focus, branch, pr, result, trigger, usage, times, warnings } =
    run;
  return {
    id: eventId(type, id),
    type,
    at,
    repo: repo_name,
    title: lineOf(title, TITLE_MAX),
    text: lineOf(text, TEXT_MAX),
    path: `/runs/${id}`,
    data: {
      run: {
        id,
        repo_id,
        repo_name,
        kind,
        state,
        phase,
        focus,
        branch,
        pr,
        result,
        warnings,
        trigger: trigger.type,
        cost_micro: usage.cost_micro,
        queued_at: times.queued_at,
        ended_at: times.ended_at,
      },
    },
  };
}

export function eventOfCandidate(candidate: Candidate, repo: string): NotifyEvent {
  const { id, repo_id, explore_run_id, title, category, effort, risk, score, mendable, created_at } = candidate;
  return {
    id: eventId("candidate.proposed", id),
    type: "candidate.proposed",
    at: Date.parse(created_at),
    repo,
    title: lineOf(`${lineOf(repo, TITLE_MAX / 2)}: ${title}`, TITLE_MAX),
    text: lineOf(candidate.rationale || candidate.focus, TEXT_MAX),
    path: `/repos/${repo_id}`,
    data: {
      candidate: {
        id,
        repo_id,
        repo_name: repo,
        explore_run_id,
        title,
        category,
        effort,
        risk,
        score,
        mendable,
        created_at,
      },
    },
  };
}

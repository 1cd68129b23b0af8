/** Invariants of follow-ups: one pull request, one comment, one push for each, one at a time, and none missing. */
import type { Run } from "@triptych/contracts";
import type { Violation } from "./judge.ts";
import { pass } from "./panel-client.ts";
import { ATTEMPTS_MAX, type Stage, type StagedRepo } from "./stage.ts";

interface Evidence {
  readonly runs: readonly Run[];
  readonly redHeads: number;
}

export async function judgeFollowUps(stage: Stage, evidence: Evidence): Promise<readonly Violation[]> {
  const late = performance.now() + COMMENT_TIMEOUT_MS;
  for (;;) {
    const found = await judgeAll(stage, evidence);
    // The last comment is edited after the state that the campaign waits for.
    if (found.every(({ invariant }) => invariant !== "comment") || performance.now() > late) return found;
    await pass(500);
  }
}

const COMMENT_TIMEOUT_MS = 30_000;

async function judgeAll(stage: Stage, evidence: Evidence): Promise<Violation[]> {
  const opened = evidence.runs.filter(({ state, trigger }) => state === "pr_open" && trigger.type !== "follow_up");
  const found = opened.flatMap((run) => {
    const repo = stage.repos.find(({ id }) => id === run.repo_id);
    return repo === undefined ? [] : judgePullRequest(run, repo, evidence);
  });
  for (const { id } of stage.repos) {
    const rate = await stage.client.mergeRate(id);
    const hasPulls = opened.some(({ repo_id }) => repo_id === id);
    if (hasPulls && rate !== 1) found.push({ invariant: "stuck", message: `${id} has merge rate ${rate}` });
  }
  return found;
}

function judgePullRequest(parent: Run, repo: StagedRepo, { runs, redHeads }: Evidence): Violation[] {
  const found: Violation[] = [];
  const report = (invariant: Violation["invariant"], message: string) =>
    found.push({ invariant, message: `${parent.id}: ${message}` });
  const followUps = runs
    .filter(({ trigger }) => trigger.parent_run_id === parent.id)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const pushed = followUps.filter(({ state }) => state === "pr_open");
  if (parent.pr?.state !== "merged") report("stuck", `its pull request is ${parent.pr?.state}`);
  if (pushed.length !== redHeads) report("lost follow-up", `${pushed.length} of ${redHeads} follow-ups were pushed`);
  if (followUps.length > ATTEMPTS_MAX) report("too many follow-ups", `${followUps.length}`);
  if (parent.follow_ups.length !== followUps.length)
    report("lost follow-up", `${parent.follow_ups.length} of ${followUps.length} are listed`);
  for (const [index, run] of followUps.entries()) {
    const before = followUps[index - 1]?.times.ended_at ?? "";
    if (before === null || run.times.queued_at < before) report("parallel follow-ups", run.id);
  }
  const comments = repo.forge.discussion.comments.filter(({ number }) => number === parent.pr?.number);
  const rows = comments[0]?.body.match(/^\| \d+ \|/gm)?.length ?? 0;
  if (comments.length !== 1) report("comment", `${comments.length} comments`);
  if (rows !== followUps.length) report("comment", `${rows} of ${followUps.length} attempts are listed`);
  if (comments.some(({ body }) => body.includes("in progress")))
    report("comment", "an attempt is listed as in progress");
  return found;
}

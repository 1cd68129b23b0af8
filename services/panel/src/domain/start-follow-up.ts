/** Creates a follow-up run and notes it with its pull request, in one transaction of the account. */
import type { IsolationLevel } from "@triptych/contracts";
import { createRun, type CreateRunInput } from "./create-run.ts";
import { DomainError } from "./domain-error.ts";
import { entryOf } from "./follow-up-results.ts";
import { focusOf, type Finding, type FollowUpSpec, type PrWatch } from "./follow-ups.ts";
import type { RunRecord } from "./records.ts";
import type { Repositories } from "./repositories.ts";
import { branchOf } from "./run-branch.ts";

export interface FollowUpStart {
  readonly watch: PrWatch;
  readonly parent: RunRecord;
  readonly finding: Finding;
  /** Set by a person; null derives it from the finding. */
  readonly focus: string | null;
  readonly isAutomatic: boolean;
}

export interface FollowUpContext {
  readonly id: string;
  readonly now: number;
  readonly isolationMin: IsolationLevel;
}

/** Throws a `DomainError` of `createRun`; then nothing is written. The caller saves the returned watch. */
export async function startFollowUp(
  repositories: Repositories,
  start: FollowUpStart,
  { id, now, isolationMin }: FollowUpContext,
): Promise<{ readonly run: RunRecord; readonly watch: PrWatch }> {
  const { watch, parent, finding } = start;
  const repo = await repositories.repos.find(watch.repoId);
  if (repo === null) throw new DomainError("not_found", { detail: "No such repo." });
  const account = await repositories.account.read();
  const hasWorkers = (await repositories.workers.countConnected()) > 0;
  const run = await createRun(repositories, inputOf(start), { account, repo, id, now, hasWorkers, isolationMin });
  const attempt = { runId: run.id, cause: finding.cause, headSha: finding.headSha, code: null, costMicro: null };
  const { seen } = watch;
  const isReview = finding.cause === "review";
  const next = {
    ...seen,
    attempts: [...seen.attempts, attempt].slice(-ATTEMPTS_STORED),
    spent: seen.spent + 1,
    repaired: finding.cause === "checks" ? seen.checks.failed : seen.repaired,
    reviewedUntil: isReview ? Math.max(seen.reviewedUntil, finding.reviewedUntil) : seen.reviewedUntil,
    comment: { ...seen.comment, isDue: true },
    isExhausted: false,
  };
  const entries = [...(parent.facts.followUps ?? []), entryOf(run)].slice(-ATTEMPTS_STORED);
  await repositories.runs.learn({ ...withoutAttention(parent), facts: { ...parent.facts, followUps: entries } });
  return { run, watch: { ...watch, activeRunId: run.id, seen: next } };
}

/** Shown in the comment and with the run. */
const ATTEMPTS_STORED = 30;

export function withoutAttention(run: RunRecord): RunRecord {
  if (run.needsAttention !== true) return run;
  return { ...run, needsAttention: false, result: { code: "ok", message: "" } };
}

/** A conflict keeps the proof of the parent; otherwise the current test command of the repository applies. */
function inputOf({ watch, parent, finding, focus, isAutomatic }: FollowUpStart): CreateRunInput {
  const isConflict = finding.cause === "conflict";
  const { gate, verifyCmd, settings, mayAddProtected } = parent.spec;
  return {
    kind: "maintain",
    focus: focus ?? focusOf(finding, watch.seen.baseBranch),
    // The change is on the branch already: a gate that had to fail before it passes now.
    ...(isConflict && { verifyCmd, gate: gate === null ? null : { ...gate, baseline: "none" } }),
    baseBranch: branchOf(parent.id),
    team: settings.team,
    priority: parent.priority,
    mayAddProtected,
    followUp: specOf(watch, parent, finding),
    trigger: { type: "follow_up", retryOf: null, isAutomatic },
  };
}

function specOf(watch: PrWatch, parent: RunRecord, finding: Finding): FollowUpSpec {
  const { cause, headSha, evidence } = finding;
  const merge = cause === "conflict" ? (watch.seen.baseBranch ?? parent.facts.base?.branch ?? null) : null;
  const about = { parentRunId: parent.id, prNumber: watch.prNumber, attempt: watch.seen.spent + 1 };
  return { ...about, cause, headSha, branch: branchOf(parent.id), merge, evidence };
}

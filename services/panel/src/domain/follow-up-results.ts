/** What a transition of a run means for the watched pull request. Runs in the transaction of the transition. */
import type { FollowUp, PrHealth } from "@triptych/contracts";
import { newWatch, type FollowUpAttempt, type PrWatch } from "./follow-ups.ts";
import type { RunRecord } from "./records.ts";
import type { Repositories } from "./repositories.ts";
import { isActive } from "./run-states.ts";

type FollowUpRepositories = Pick<Repositories, "runs" | "followUps">;

export async function settleFollowUp(repositories: FollowUpRepositories, run: RunRecord, at: number): Promise<void> {
  if (run.spec.followUp !== undefined) return settleAttempt(repositories, run, at);
  const { pr } = run.facts;
  if (run.state !== "pr_open" || pr === null) return;
  if ((await repositories.followUps.find(run.id)) === null)
    await repositories.followUps.save(newWatch(run, pr.number, at));
}

async function settleAttempt({ runs, followUps }: FollowUpRepositories, run: RunRecord, at: number): Promise<void> {
  const parentId = run.spec.followUp?.parentRunId ?? "";
  const watch = await followUps.find(parentId);
  const parent = await runs.find(parentId);
  const isOver = parent?.facts.pr?.state !== "open";
  if (watch?.activeRunId === run.id && !isActive(run.state))
    await followUps.save(withResult(watch, { run, isOver, at }));
  if (parent === null) return;
  const entries = (parent.facts.followUps ?? []).map((entry) => (entry.run_id === run.id ? entryOf(run) : entry));
  await runs.learn({ ...parent, facts: { ...parent.facts, followUps: entries } });
}

export function entryOf(run: RunRecord): FollowUp {
  return { run_id: run.id, cause: run.spec.followUp?.cause ?? "checks", state: run.state };
}

function codeOf({ result }: RunRecord, isPushed: boolean, isStopped: boolean): FollowUpAttempt["code"] {
  const code = result?.code ?? "ok";
  if (code === "ok") return isPushed ? "ok" : "no_change";
  // Unlike one that a person cancels, it may start again without the label.
  return code === "cancelled" && isStopped ? "stopped" : code;
}

const PENDING: PrHealth["checks"] = { state: "pending", failed: [] };

interface AttemptEnd {
  readonly run: RunRecord;
  /** The pull request is merged or closed. */
  readonly isOver: boolean;
  readonly at: number;
}

/** Polls at once, because the comment must show the result and a new head has new checks. */
function withResult(watch: PrWatch, { run, isOver, at }: AttemptEnd): PrWatch {
  const { seen } = watch;
  const isPushed = run.pushedAt !== null && run.facts.headSha !== null;
  const code = codeOf(run, isPushed, isOver || seen.isIgnored);
  const costMicro = run.facts.usage.cost_micro;
  const attempts = seen.attempts.map((attempt) =>
    attempt.runId === run.id ? { ...attempt, code, costMicro } : attempt,
  );
  const health = isPushed ? { headSha: run.facts.headSha, headSince: at, checks: PENDING, mergeable: null } : {};
  const comment = { ...seen.comment, isDue: true };
  // Forces another read, with the ETags of the old responses.
  const sources = Object.fromEntries(Object.entries(seen.sources).filter(([key]) => !key.startsWith("@")));
  const after = { ...seen, ...health, attempts, comment, sources, finding: null };
  return { ...watch, activeRunId: null, nextAt: at, seen: after };
}

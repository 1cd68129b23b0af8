import {
  ATTEMPTS_MAX,
  type AccessToken,
  type Candidate,
  type ExploreStats,
  type Fire,
  type Memory,
  type PrHealth,
  type Repo,
  type RepoCheck,
  type Run,
  type RunKind,
} from "@triptych/contracts";
import type { CandidateCounts } from "../domain/candidates/repository.ts";
import { aiPolicyShape } from "../domain/ai-policy.ts";
import { raiseIsolation } from "../domain/isolation.ts";
import { enforcesNetwork } from "../queue/rules.ts";
import { environmentShape } from "../domain/repo-environment.ts";
import { queueHintOf, wouldWait, type ConnectedCapacity, NOT_QUEUED, type QueuePosition } from "../queue/view.ts";
import type {
  CandidateRecord,
  MemoryRecord,
  RepoRecord,
  RepoStats,
  RunRecord,
  TokenRecord,
  CheckedCommand,
  CheckRecord,
} from "../domain/records.ts";
import { targetBranchOf } from "../domain/run-branch.ts";
import { scopeOf } from "../domain/candidates/rejections.ts";
import { isRetryable, phaseOf } from "../domain/run-states.ts";
import type { FireRecord } from "../domain/schedule-repository.ts";
import { nextRunsOf } from "../domain/schedules.ts";

export const timeOf = (at: number) => new Date(at).toISOString();
export const timeOrNull = (at: number | null) => (at === null ? null : timeOf(at));

const NO_STATS: RepoStats = {
  openPrs: 0,
  lastRun: null,
  ended: { well: 0, badly: 0 },
  prs: { merged: 0, closed: 0, costMicro: null },
  memoriesPending: 0,
  candidatesProposed: 0,
};

const NOT_WATCHED: PrHealth = { checks: { state: "none", failed: [] }, mergeable: null, review: "none" };

const NEXT_RUNS = 5;

interface RepoContext {
  readonly now: number;
  readonly stats?: RepoStats | undefined;
  readonly connected: ConnectedCapacity;
}

export function repoShape(repo: RepoRecord, { now, stats = NO_STATS, connected }: RepoContext): Repo {
  const next = (kind: RunKind) => nextRunsOf(repo, kind, { now, most: NEXT_RUNS }).map(timeOf);
  const ended = stats.ended.well + stats.ended.badly;
  return {
    id: repo.id,
    name: repo.name,
    url: repo.url,
    provider: repo.provider,
    default_branch: repo.defaultBranch,
    status: repo.status,
    status_reason: repo.statusReason,
    ...repo.settings,
    environment: environmentShape(repo.environment),
    ai_policy: aiPolicyShape(repo.aiPolicy),
    detected: [...(stats.contact?.detected ?? [])],
    detected_hosts: [...(stats.contact?.hosts ?? [])],
    check: stats.check === undefined ? null : checkShape(stats.check),
    credential: {
      kind: repo.credentialKind,
      set: repo.sealedCredential !== null,
      checked_at: timeOrNull(stats.contact?.checkedAt ?? null),
      push: stats.contact?.canPush ?? null,
      open_pr: stats.contact?.canOpenPr ?? null,
    },
    stats: {
      open_prs: stats.openPrs,
      last_run_id: stats.lastRun?.id ?? null,
      last_run_state: stats.lastRun?.state ?? null,
      success_rate_30d: ended === 0 ? null : stats.ended.well / ended,
      ...mergeShape(stats.prs),
      candidates_proposed: stats.candidatesProposed,
      memories_pending: stats.memoriesPending,
    },
    would_wait: {
      run: wouldWait("maintain", repo.settings, connected),
      explore: wouldWait("explore", repo.settings, connected),
    },
    next_runs: next("maintain"),
    next_explores: next("explore"),
    revision: repo.revision,
    created_at: timeOf(repo.createdAt),
    updated_at: timeOf(repo.updatedAt),
  };
}

function mergeShape({ merged, closed, costMicro }: RepoStats["prs"]) {
  const ended = merged + closed;
  return {
    merge_rate_30d: ended === 0 ? null : merged / ended,
    cost_per_merged_pr_micro_30d: merged === 0 || costMicro === null ? null : Math.round(costMicro / merged),
  };
}

function checkShape({ state, message, setup, verify, checkedAt }: CheckRecord): RepoCheck {
  const endShape = (end: CheckedCommand | null) =>
    end === null ? null : { exit_code: end.exitCode, duration_ms: end.durationMs };
  return {
    state,
    message,
    setup: endShape(setup),
    verify: endShape(verify),
    checked_at: timeOrNull(checkedAt),
  };
}

export function runShape(stored: RunRecord, queuePosition: QueuePosition = NOT_QUEUED): Run {
  const minimum = queuePosition.isolationMin ?? "none";
  const run = raiseIsolation(stored, minimum);
  const { spec, facts, result } = run;
  const { level_required, network } = spec.settings.isolation;
  const isNetworkHeld = facts.isolationLevel === null || enforcesNetwork(facts.isolationLevel);
  // A requeued run stores its last worker for the dispatch, but no worker holds it.
  const workerId = run.state === "queued" ? null : run.workerId;
  return {
    id: run.id,
    repo_id: run.repoId,
    repo_name: spec.repoName,
    kind: run.kind,
    state: run.state,
    phase: phaseOf(run.state, run),
    queue_reason: queuePosition.reason,
    queue_hint: queueHintOf(queuePosition.reason, { required: level_required, minimum }),
    queue_position: queuePosition.position,
    priority: run.priority,
    attempt: run.attempt,
    max_attempts: ATTEMPTS_MAX,
    epoch: run.epoch,
    trigger: {
      type: spec.trigger.type,
      actor: spec.trigger.actor,
      candidate_id: spec.trigger.candidateId,
      retry_of: spec.trigger.retryOf,
      scheduled_for: timeOrNull(spec.trigger.scheduledFor ?? null),
      parent_run_id: spec.followUp?.parentRunId ?? null,
      pr_number: spec.followUp?.prNumber ?? null,
      cause: spec.followUp?.cause ?? null,
      attempt: spec.followUp?.attempt ?? null,
    },
    focus: run.focus,
    gate: spec.gate,
    verify_cmd: spec.verifyCmd,
    team: spec.settings.team,
    limits: spec.settings.limits,
    memory_ids: [...facts.memoryIds],
    settings_revision: spec.settingsRevision,
    base: { branch: facts.base?.branch ?? spec.baseBranch, sha: facts.base?.sha ?? null },
    branch: run.kind === "maintain" ? targetBranchOf(run) : null,
    head_sha: facts.headSha,
    worker: workerId === null ? null : { id: workerId, name: facts.workerName ?? "" },
    lease_expires_at: timeOrNull(run.leaseUntil),
    isolation: {
      level: facts.isolationLevel ?? level_required,
      network: isNetworkHeld ? network : "open",
    },
    verify: facts.verify,
    diff: facts.diff,
    explore: facts.explore ?? null,
    pr: facts.pr === null ? null : { ...facts.pr, ...(facts.prHealth ?? NOT_WATCHED) },
    follow_ups: [...(facts.followUps ?? [])],
    usage: facts.usage,
    result: result === null ? null : { ...result, retryable: isRetryable(run.state) },
    cancel_requested_at: timeOrNull(run.cancelRequestedAt),
    warnings: [...facts.warnings],
    times: {
      queued_at: timeOf(run.queuedAt),
      leased_at: timeOrNull(run.leasedAt),
      started_at: timeOrNull(run.startedAt),
      pushed_at: timeOrNull(run.pushedAt),
      ended_at: timeOrNull(run.endedAt),
    },
    bus: { url: `/api/runs/${run.id}/bus`, last_seq: run.lastSeq },
    revision: run.revision,
  };
}

export function fireShape({ id, repoId, kind, scheduledFor, at, result, runId, missedSince }: FireRecord): Fire {
  const times = { scheduled_for: timeOf(scheduledFor), at: timeOf(at), missed_since: timeOrNull(missedSince) };
  return { id, repo_id: repoId, kind, ...times, result, run_id: runId };
}

export function memoryShape(memory: MemoryRecord): Memory {
  const { id, repoId, text, kind, source, status, pinned, scope, hits, lastUsedAt, createdAt } = memory;
  const about = { id, repo_id: repoId, text, kind, source, status, pinned, scope, hits };
  return { ...about, last_used_at: timeOrNull(lastUsedAt), created_at: timeOf(createdAt) };
}

export function candidateShape(candidate: CandidateRecord): Candidate {
  const { proposal, reject } = candidate;
  return {
    id: candidate.id,
    repo_id: candidate.repoId,
    explore_run_id: candidate.exploreRunId,
    state: candidate.state,
    ...proposal,
    base_sha: candidate.baseSha,
    stale: candidate.isStale,
    attempts: candidate.attempts,
    run_id: candidate.runId,
    outcome: candidate.outcome,
    reject:
      reject === null
        ? null
        : {
            reason: reject.reason,
            at: timeOf(reject.at),
            scope: scopeOf(reject),
            until: timeOrNull(reject.until ?? null),
          },
    created_at: timeOf(candidate.createdAt),
  };
}

export function exploreStatsShape(counts: CandidateCounts): ExploreStats {
  const { byState, everSelected, delivered, suppressed, droppedGreen } = counts;
  const total = Object.values(byState).reduce((sum, n) => sum + n, 0);
  const funnel = { ever_proposed: total, ever_selected: everSelected, delivered };
  return { ...byState, total, suppressed, dropped_green: droppedGreen, funnel };
}

export function tokenShape({ id, name, scopes, createdAt, expiresAt }: TokenRecord): AccessToken {
  return { id, name, scopes: [...scopes], created_at: timeOf(createdAt), expires_at: timeOrNull(expiresAt) };
}

/** Maps rows to records. This file writes the JSON columns, so their shape is trusted. */
import type { AccountRecord, MemoryRecord, RepoRecord, RunRecord, TokenRecord } from "../domain/records.ts";
import { DEFAULT_SETTINGS } from "../domain/repo-settings.ts";
import { readStoredVerify } from "../domain/run-verify.ts";
import type { AccountRow, MemoryRow, RepoRow, RunRow, TokenRow } from "./tables.ts";

export function toAccount(row: Omit<AccountRow, "password" | "revision">): AccountRecord {
  return { id: row.owner, email: row.email, plan: row.plan, status: row.status, createdAt: row.created_at };
}

export function toToken(row: Omit<TokenRow, "owner">): TokenRecord {
  const scopes = JSON.parse(row.scopes) as TokenRecord["scopes"];
  return { id: row.id, hash: row.hash, name: row.name, scopes, createdAt: row.created_at, expiresAt: row.expires_at };
}

export function tokenRow(owner: string, token: TokenRecord): TokenRow {
  const { id, hash, name, scopes, createdAt, expiresAt } = token;
  return { owner, id, hash, name, scopes: JSON.stringify(scopes), created_at: createdAt, expires_at: expiresAt };
}

const DEFAULTS_ADDED = { follow_up: DEFAULT_SETTINGS.follow_up, deps: DEFAULT_SETTINGS.deps };

export function toRepo(row: RepoRow): RepoRecord {
  return {
    id: row.id,
    url: row.url,
    canonical: row.canonical,
    name: row.name,
    provider: row.provider,
    status: row.status,
    statusReason: row.status_reason,
    defaultBranch: row.default_branch,
    // Repos of older versions lack these settings.
    settings: {
      ...DEFAULTS_ADDED,
      ...(JSON.parse(row.settings) as Omit<RepoRecord["settings"], keyof typeof DEFAULTS_ADDED>),
    },
    environment: JSON.parse(row.environment) as RepoRecord["environment"],
    aiPolicy: row.ai_policy === null ? null : (JSON.parse(row.ai_policy) as RepoRecord["aiPolicy"]),
    credentialKind: row.credential_kind,
    sealedCredential: row.sealed_credential,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function repoRow(owner: string, repo: RepoRecord): RepoRow {
  return {
    owner,
    id: repo.id,
    url: repo.url,
    canonical: repo.canonical,
    name: repo.name,
    provider: repo.provider,
    status: repo.status,
    status_reason: repo.statusReason,
    default_branch: repo.defaultBranch,
    settings: JSON.stringify(repo.settings),
    environment: JSON.stringify(repo.environment),
    ai_policy: repo.aiPolicy === null ? null : JSON.stringify(repo.aiPolicy),
    credential_kind: repo.credentialKind,
    sealed_credential: repo.sealedCredential,
    revision: repo.revision,
    created_at: repo.createdAt,
    updated_at: repo.updatedAt,
    removed_at: null,
  };
}

export function toRun(row: RunRow): RunRecord {
  const spec = JSON.parse(row.run_order) as RunRecord["spec"];
  const facts = JSON.parse(row.facts) as RunRecord["facts"];
  return {
    id: row.id,
    repoId: row.repo_id,
    kind: row.kind,
    state: row.state,
    focus: row.focus,
    priority: row.priority,
    attempt: row.attempt,
    epoch: row.epoch,
    isParallel: row.is_parallel === 1,
    wantsPr: row.wants_pr === 1,
    needsAttention: row.needs_attention === 1,
    revision: row.revision,
    queuedAt: row.queued_at,
    notBefore: row.not_before,
    leasedAt: row.leased_at,
    startedAt: row.started_at,
    pushedAt: row.pushed_at,
    endedAt: row.ended_at,
    leaseUntil: row.lease_until,
    workerId: row.worker_id,
    cancelRequestedAt: row.cancel_requested_at,
    lastSeq: row.last_seq,
    spec,
    facts: { ...facts, verify: readStoredVerify(spec, facts.verify) },
    result: row.result === null ? null : (JSON.parse(row.result) as RunRecord["result"]),
  };
}

/** All columns but `last_seq`, which only the bus increases. */
export function runRow(owner: string, run: RunRecord): Omit<RunRow, "last_seq"> {
  return {
    owner,
    id: run.id,
    repo_id: run.repoId,
    kind: run.kind,
    state: run.state,
    focus: run.focus,
    priority: run.priority,
    attempt: run.attempt,
    epoch: run.epoch,
    is_parallel: run.isParallel ? 1 : 0,
    wants_pr: run.wantsPr ? 1 : 0,
    needs_attention: run.needsAttention === true ? 1 : 0,
    revision: run.revision,
    queued_at: run.queuedAt,
    not_before: run.notBefore,
    leased_at: run.leasedAt,
    started_at: run.startedAt,
    pushed_at: run.pushedAt,
    ended_at: run.endedAt,
    lease_until: run.leaseUntil,
    worker_id: run.workerId,
    cancel_requested_at: run.cancelRequestedAt,
    candidate_id: run.spec.trigger.candidateId,
    ...mergeColumns(run),
    run_order: JSON.stringify(run.spec),
    facts: JSON.stringify(run.facts),
    result: run.result === null ? null : JSON.stringify(run.result),
  };
}

/** Used by a repo's statistics; everything else reads it from the facts. */
function mergeColumns({ facts: { pr, prEndedAt, usage } }: RunRecord) {
  const isUnused = usage.input_tokens + usage.output_tokens + usage.turns === 0;
  return {
    pr_outcome: prEndedAt === undefined || pr === null || pr.state === "open" ? null : pr.state,
    pr_ended_at: prEndedAt ?? null,
    cost_micro: usage.cost_micro ?? (isUnused ? 0 : null),
  };
}

export function toMemory(row: MemoryRow): MemoryRecord {
  const { id, text, normalised, kind, source, status, scope, hits } = row;
  const about = { id, text, normalised, kind, source, status, scope, hits };
  const { repo_id: repoId, last_used_at: lastUsedAt, created_at: createdAt } = row;
  return { ...about, repoId, pinned: row.pinned === 1, lastUsedAt, createdAt };
}

export function memoryRow(owner: string, memory: MemoryRecord): MemoryRow {
  const { repoId, pinned, lastUsedAt, createdAt, ...rest } = memory;
  return { owner, ...rest, repo_id: repoId, pinned: pinned ? 1 : 0, last_used_at: lastUsedAt, created_at: createdAt };
}

/** Leases a run to a worker in one transaction of the account and builds its `assign` frame. */
import type { PanelFrame } from "@triptych/contracts";
import { chooseMemories } from "../domain/select-memories.ts";
import { listKnownCandidates, type KnownCandidate } from "../domain/candidates/scout-report.ts";
import { effectiveStance, quotedSentence } from "../domain/ai-policy.ts";
import { raiseIsolation } from "../domain/isolation.ts";
import type { FollowUpSpec } from "../domain/follow-ups.ts";
import { nextLease } from "../domain/leases.ts";
import { transitionRun } from "../domain/create-run.ts";
import type { Repositories } from "../domain/repositories.ts";
import { aboutVariable, openEnvironment, type StoredEnvironment } from "../domain/repo-environment.ts";
import { busyWorkers, countsOf, blockedReason, enforcesNetwork, runningCounts, type Assignment } from "./rules.ts";
import type { AiPolicyRecord, MemoryRecord, RunRecord } from "../domain/records.ts";
import type { CommandFrame } from "../worker-connections/link.ts";
import type { Connection } from "../worker-connections/connection-registry.ts";
import type { ChannelContext } from "../worker-connections/channel-context.ts";
import type { QueueView } from "./repository.ts";

/** The token is valid for this long after the deadline of the run, so that a result of the last second can be uploaded. */
const TOKEN_LONGER_MS = 600_000;

export interface LeaseGrant {
  readonly run: RunRecord;
  readonly memories: readonly MemoryRecord[];
  readonly knownCandidates: readonly KnownCandidate[];
  /** The current environment: unlike the run's settings, it contains secrets that may have been replaced. */
  readonly environment: StoredEnvironment;
  readonly aiPolicy: AiPolicyRecord | null;
}

interface LeaseRequest {
  readonly pair: Assignment;
  readonly connection: Connection;
  readonly view: QueueView;
  readonly now: number;
}

/**
 * Reads the run and worker again inside the transaction: another node may have been faster, or the run was cancelled. Then returns null;
 * the other change has already woken the dispatch.
 */
export async function leaseRun(
  context: Pick<ChannelContext, "leaseMs" | "isolationMin">,
  repositories: Repositories,
  { pair, connection, view, now }: LeaseRequest,
): Promise<LeaseGrant | null> {
  const { runs, queue, memories, workers, repos, checks } = repositories;
  const found = await runs.find(pair.run.id);
  const worker = await workers.find(connection.worker.id);
  if (found?.state !== "queued" || worker?.enabled !== true) return null;
  const run = raiseIsolation(found, context.isolationMin);
  const leasedRuns = await queue.leased();
  const checking = (await checks.running()).map(({ workerId }) => workerId);
  const busy = countsOf(busyWorkers(leasedRuns, checking)).get(worker.id) ?? 0;
  if (busy >= worker.slots || blockedReason(pair.run, runningCounts(view.plan, leasedRuns), now) !== null) return null;

  const chosen = chooseMemories(await memories.active(run.repoId), { focus: run.focus, now });
  const ids = chosen.map(({ id }) => id);
  await memories.use(ids, now);
  const isUnenforced = !enforcesNetwork(worker.isolation) && run.spec.settings.isolation.network !== "open";
  const warnings = run.facts.warnings.filter((code) => !TRANSIENT_WARNINGS.has(code));
  const facts = {
    workerName: worker.name,
    isolationLevel: worker.isolation,
    memoryIds: ids,
    base: null,
    lack: undefined,
    usageBefore: run.facts.usage,
    warnings: isUnenforced ? [...warnings, UNENFORCED] : warnings,
  };
  const lease = { ...nextLease(run, now, context.leaseMs), workerId: worker.id, leasedAt: now };
  const knownCandidates =
    run.kind === "explore" ? await listKnownCandidates(repositories, { repoId: run.repoId, now }) : [];
  const repo = await repos.find(run.repoId);
  const leased = await transitionRun(repositories, run, "leased", { at: now, ...lease, facts });
  const aiPolicy = repo?.aiPolicy ?? null;
  // Found after the run was queued: it ends here, before any worker sees it.
  if (run.kind === "maintain" && aiPolicy !== null && effectiveStance(aiPolicy) === "forbidden") {
    const result = { code: "policy_forbids", message: quotedSentence(aiPolicy) } as const;
    await transitionRun(repositories, leased, "failed", { at: now, result });
    return null;
  }
  return { run: leased, memories: chosen, knownCandidates, environment: repo?.environment ?? {}, aiPolicy };
}

const UNENFORCED = "network_not_enforced";
/** Waiting reason: a worker that seemed to fit has refused the run. */
export const WORKER_UNABLE = "worker_unable";
const TRANSIENT_WARNINGS: ReadonlySet<string> = new Set(["no_worker_connected", UNENFORCED, WORKER_UNABLE]);

/** The run's deadline, counted from its lease. */
export function deadlineOf({ leasedAt, queuedAt, spec }: RunRecord): number {
  return (leasedAt ?? queuedAt) + spec.settings.limits.timeout_s * 1000;
}

type Assign = Extract<CommandFrame, { readonly t: "assign" }>;

export function assignOf(
  context: Pick<ChannelContext, "runTokens" | "url" | "money" | "author" | "openVariable" | "traceOf">,
  owner: string,
  { run, memories, knownCandidates, environment, aiPolicy }: LeaseGrant,
): Assign {
  const { id: runId, epoch, spec, repoId } = run;
  const { settings } = spec;
  const deadline = deadlineOf(run);
  const traced = context.traceOf(runId);
  return {
    t: "assign",
    run_id: runId,
    epoch,
    repo_id: repoId,
    deadline: new Date(deadline).toISOString(),
    run_token: context.runTokens.mint({ owner, runId, epoch }, deadline + TOKEN_LONGER_MS),
    clone: {
      url: `${context.url()}/api/worker/runs/${runId}/git`,
      branch: spec.baseBranch,
      sha: spec.followUp?.headSha ?? null,
    },
    verify: { cmd: spec.verifyCmd, ...settings.verify },
    gate: spec.gate,
    team: settings.team,
    prompt: { focus: run.focus, memories: memories.map(({ text }) => text) },
    title: spec.candidate?.title ?? null,
    ...(context.author !== null && { author: context.author }),
    limits: settings.limits,
    prices: context.money.prices,
    usd_eur: context.money.usdEur,
    isolation: settings.isolation,
    environment: openEnvironment(environment, (value, name) =>
      context.openVariable(value, aboutVariable(owner, repoId, name)),
    ).map((variable) => ({ ...variable })),
    protected_paths: settings.protected_paths,
    explore: settings.explore,
    ...(run.kind === "explore" && settings.deps !== undefined && { deps: settings.deps }),
    known: [...knownCandidates],
    may_add_protected: spec.mayAddProtected === true,
    ai_policy: { allowed: aiPolicy?.override?.stance === "forbidden" },
    ...(spec.followUp !== undefined && { follow_up: followUpOf(spec.followUp) }),
    kind: run.kind,
    ...(traced !== null && { traceparent: traced.traceparent }),
  } satisfies Omit<Extract<PanelFrame, { readonly t: "assign" }>, "cid">;
}

function followUpOf({ evidence, merge }: FollowUpSpec): NonNullable<Assign["follow_up"]> {
  return { evidence: evidence.map((one) => ({ ...one })), merge: merge === null ? null : { branch: merge } };
}

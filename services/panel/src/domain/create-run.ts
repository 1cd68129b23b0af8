/** Creates runs, enforces their preconditions and applies their transitions. Runs inside a transaction of the account. */
import type { IsolationLevel, RunGate, RunKind, RunTrigger, Scouting, TeamPatch } from "@triptych/contracts";
import { refuseByPolicy } from "./ai-policy.ts";
import { countTime } from "./account-usage.ts";
import { raiseIsolation } from "./isolation.ts";
import { attemptAfterRequeue } from "./leases.ts";
import type { Repositories } from "./repositories.ts";
import { dayOf, monthOf, PLAN_TERMS } from "./plans.ts";
import type { AccountRecord, RepoRecord, RunFacts, RunSpec, RunRecord, RunResult } from "./records.ts";
import { DomainError } from "./domain-error.ts";
import { patchTeam } from "./repo-settings.ts";
import { isComplete, isLeased, isTerminal, stateAfter, type RunEvent } from "./run-states.ts";
import { NOT_VERIFIED } from "./run-verify.ts";
import { settleFollowUp } from "./follow-up-results.ts";
import type { FollowUpSpec } from "./follow-ups.ts";
import { settleCandidate } from "./candidates/states.ts";

export interface CreateRunInput {
  readonly kind: RunKind;
  readonly focus?: string | undefined;
  readonly verifyCmd?: string | null | undefined;
  readonly gate?: RunGate | null | undefined;
  readonly baseBranch?: string | undefined;
  readonly team?: TeamPatch | undefined;
  readonly explore?: Partial<Scouting> | undefined;
  readonly priority?: number | undefined;
  readonly isParallel?: boolean | undefined;
  readonly mayAddProtected?: boolean | undefined;
  readonly candidate?: RunSpec["candidate"];
  readonly followUp?: FollowUpSpec;
  readonly trigger: {
    readonly type: RunTrigger;
    readonly retryOf: string | null;
    readonly candidateId?: string | null;
    readonly scheduledFor?: number;
    /** The panel starts the run, not a person. */
    readonly isAutomatic?: boolean;
  };
}

export interface CreateRunContext {
  readonly account: AccountRecord;
  readonly repo: RepoRecord;
  readonly id: string;
  readonly now: number;
  readonly hasWorkers: boolean;
  /** Minimum level set by the operator; a repo that requires less is raised to it. Default `none`. */
  readonly isolationMin?: IsolationLevel;
}

/** Checks the plan before the state, so that a request that the plan forbids does not reveal a conflict. */
export async function createRun(
  repositories: Repositories,
  input: CreateRunInput,
  making: CreateRunContext,
): Promise<RunRecord> {
  await refuseByPlan(repositories, input.kind, making);
  refuseByRepo(making.repo);
  if (input.kind === "maintain") refuseByPolicy(making.repo);
  const run = runOf(input, making);
  const clash = (await repositories.runs.active(making.repo.id)).find((other) => isClash(other, run));
  if (clash !== undefined)
    throw new DomainError(run.kind === "explore" ? "explore_already_active" : "run_already_active", {
      members: { run_id: clash.id, current_state: clash.state },
    });
  return { ...run, lastSeq: await repositories.runs.add(run) };
}

export async function refuseByPlan(
  { runs }: Repositories,
  kind: RunKind,
  { account: { plan }, now }: Pick<CreateRunContext, "account" | "now">,
): Promise<void> {
  const terms = PLAN_TERMS[plan];
  if (kind === "explore" && !terms.explore)
    throw new DomainError("plan_required", {
      members: { feature: "explore", required_plan: "pro", current_plan: plan },
    });
  const [period, limit] = kind === "explore" ? [dayOf(now), terms.exploresPerDay] : [monthOf(now), terms.runsPerMonth];
  const current = await runs.countSince(kind, period.start);
  if (current >= limit) throw new DomainError("quota_exceeded", { retryAt: period.end, members: { limit, current } });
}

function refuseByRepo({ id, status, statusReason }: RepoRecord): void {
  if (status === "paused") throw new DomainError("repo_paused", { members: { repo_id: id } });
  if (status === "unreachable")
    throw new DomainError("repo_unreachable", { detail: unreachable(statusReason), members: { repo_id: id } });
}

function unreachable(reason: string | null): string {
  const why = reason === null || reason === "" ? "" : `: ${reason.replace(/\.$/, "")}`;
  return `The repository is unreachable${why}. The panel retries every 10 minutes.`;
}

/** One scout per repo at a time; several runs only with different focus or on explicit request. */
function isClash(active: RunRecord, requested: RunRecord): boolean {
  if (active.kind !== requested.kind) return false;
  const [one, other] = [active.spec.followUp?.parentRunId, requested.spec.followUp?.parentRunId];
  // Follow-ups share a focus across pull requests; each pull request has one at a time.
  if (one !== undefined || other !== undefined) return one === other;
  return requested.kind === "explore" || (active.focus === requested.focus && !requested.isParallel);
}

function runOf(
  input: CreateRunInput,
  { account, repo, id, now, hasWorkers, isolationMin }: CreateRunContext,
): RunRecord {
  const { schedule: _, explore, follow_up: ___, ...settings } = repo.settings;
  const { schedule: __, ...scouting } = explore;
  const team = input.team === undefined ? repo.settings.team : patchTeam(repo.settings.team, input.team);
  const focus = input.focus ?? repo.settings.focus;
  const run: RunRecord = {
    id,
    repoId: repo.id,
    kind: input.kind,
    state: "queued",
    focus,
    priority: input.priority ?? 0,
    attempt: 0,
    epoch: 0,
    isParallel: input.isParallel ?? false,
    wantsPr:
      input.kind === "maintain" && repo.provider !== "git" && repo.settings.pr.auto && input.followUp === undefined,
    revision: 1,
    queuedAt: now,
    notBefore: now,
    leasedAt: null,
    startedAt: null,
    pushedAt: null,
    endedAt: null,
    leaseUntil: null,
    workerId: null,
    cancelRequestedAt: null,
    lastSeq: 0,
    result: null,
    facts: {
      ...EMPTY_FACTS,
      warnings: hasWorkers ? [] : ["no_worker_connected"],
    },
    spec: {
      repoName: repo.name,
      focus,
      gate: input.gate ?? null,
      verifyCmd: input.verifyCmd === undefined ? repo.settings.verify_cmd : input.verifyCmd,
      settings: { ...settings, team, explore: { ...scouting, ...input.explore } },
      settingsRevision: repo.revision,
      baseBranch: input.baseBranch ?? repo.defaultBranch,
      ...(input.candidate !== undefined && { candidate: input.candidate }),
      ...(input.followUp !== undefined && { followUp: input.followUp }),
      ...(input.mayAddProtected === true && { mayAddProtected: true }),
      trigger: triggerOf(input.trigger, account.id),
    },
  };
  return raiseIsolation(run, isolationMin ?? "none");
}

function triggerOf({ isAutomatic, ...trigger }: CreateRunInput["trigger"], accountId: string): RunSpec["trigger"] {
  const isByPanel = isAutomatic === true || trigger.type === "schedule";
  return { candidateId: null, ...trigger, actor: isByPanel ? null : accountId };
}

const EMPTY_FACTS: RunFacts = {
  base: null,
  headSha: null,
  bundle: null,
  workerName: null,
  isolationLevel: null,
  memoryIds: [],
  verify: NOT_VERIFIED,
  diff: null,
  pr: null,
  usage: {
    input_tokens: 0,
    cached_tokens: 0,
    output_tokens: 0,
    cost_micro: null,
    turns: 0,
    cost_source: "unknown",
    by_role: {},
  },
  warnings: [],
};

type StepChange = Partial<
  Pick<RunRecord, "attempt" | "epoch" | "notBefore" | "leasedAt" | "startedAt" | "pushedAt" | "leaseUntil" | "workerId">
> & { readonly facts?: Partial<RunFacts> | undefined };

export interface Step extends StepChange {
  readonly at: number;
  readonly result?: RunResult | undefined;
}

/**
 * Applies an event to a run; throws for a transition that the table does not contain. A run that is not leased has no lease; an ended or
 * resting one has a result.
 */
export function applyRunEvent(run: RunRecord, event: RunEvent, { at, result, facts, ...change }: Step): RunRecord {
  const state = stateAfter(run.state, event);
  if (state === null) throw new Error(`A run that is ${run.state} cannot be ${event}.`);
  return {
    ...run,
    ...change,
    state,
    facts: { ...run.facts, ...facts },
    revision: run.revision + 1,
    ...(!isLeased(state) && { leaseUntil: null }),
    ...(isTerminal(state) && { endedAt: at }),
    ...(isComplete(state, run) && { result: result ?? { code: "ok", message: "" } }),
  };
}

/** Writes one transition of a run in the caller's transaction: run, bus message, effect, candidate and usage. */
export async function transitionRun(
  repositories: Repositories,
  run: RunRecord,
  event: RunEvent,
  step: Step,
): Promise<RunRecord> {
  const moved = applyRunEvent(run, event, step);
  const lastSeq = await repositories.runs.move(moved, { event, from: run.state, at: step.at });
  await settleCandidate(repositories, moved);
  await settleFollowUp(repositories, moved, step.at);
  await countTime(repositories, run, moved, step.at);
  return { ...moved, lastSeq };
}

export const CANCELLED: RunResult = { code: "cancelled", message: "" };

/** Requeues without counting an attempt; a run with a pending cancellation ends instead. */
export async function requeue(repositories: Repositories, run: RunRecord, at: number): Promise<RunRecord> {
  if (run.cancelRequestedAt !== null) return transitionRun(repositories, run, "cancelled", { at, result: CANCELLED });
  return transitionRun(repositories, run, "given_back", { at, notBefore: at, attempt: attemptAfterRequeue(run) });
}

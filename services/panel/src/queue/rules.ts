/**
 * Assigns queued runs to workers and explains why others wait. Accounts take turns, so that a hundred runs of one do not block another;
 * within an account, by priority and then age. Run and worker always belong to one account.
 */
import {
  ISOLATION_LEVELS,
  type IsolationLevel,
  type PlanId,
  type QueueReason,
  type RepoStatus,
  type WorkerReason,
} from "@triptych/contracts";
import { isBelow } from "../domain/isolation.ts";
import { PLAN_TERMS } from "../domain/plans.ts";
import type { RunSpec, RunRecord } from "../domain/records.ts";
import {
  BUILT_IN_AGENTS,
  defaultPairOf,
  isCodingAgent,
  type WorkerAgent,
  type WorkerRecord,
} from "../domain/workers.ts";

export interface WaitingRun {
  readonly id: string;
  readonly repoId: string;
  readonly priority: number;
  readonly queuedAt: number;
  readonly notBefore: number;
  readonly isParallel: boolean;
  /** Runs of a paused or unreachable repo wait for it. */
  readonly repoStatus: RepoStatus;
  /** The worker that last returned or lost it; offered to others first. */
  readonly failedBy: string | null;
}

export interface RunNeeds {
  readonly clis: readonly string[];
  /** Members without an agent use the worker's default pair. */
  readonly defaultPair: boolean;
  /** A scout that uses a connected coding agent, and works without one otherwise. */
  readonly prefersAgent?: boolean;
  readonly isolation: IsolationLevel;
}

type NeedingSettings = Pick<RunSpec["settings"], "isolation" | "team"> & {
  readonly explore: Pick<RunSpec["settings"]["explore"], "scout">;
};

/** A scout without a model has no requirements. Otherwise each member requires its agent or the default. */
export function needsOf(kind: RunRecord["kind"], { settings }: { readonly settings: NeedingSettings }): RunNeeds {
  const isolation = settings.isolation.level_required;
  if (kind === "explore") {
    const { scout } = settings.explore;
    if (scout === "auto") return { clis: [], defaultPair: false, prefersAgent: true, isolation };
    return { clis: [], defaultPair: scout !== "scan", isolation };
  }
  const clis = [...new Set(settings.team.members.map(({ cli }) => cli))].filter((cli) => !BUILT_IN_AGENTS.has(cli));
  return { clis, defaultPair: settings.team.members.length === 0, isolation };
}

export interface Capabilities {
  readonly agents: readonly WorkerAgent[];
  readonly isolation: IsolationLevel;
}

/** Without a sandbox, network limits cannot be enforced, whatever the settings say. */
export function enforcesNetwork(level: IsolationLevel): boolean {
  return ISOLATION_LEVELS.indexOf(level) >= ISOLATION_LEVELS.indexOf("sandbox");
}

export type Lack = "isolation" | "cli";

/** What the worker lacks. Isolation comes first, because no agent starts without it. */
export function findLacks(needs: RunNeeds, { agents, isolation }: Capabilities): readonly Lack[] {
  const hasPair = !needs.defaultPair || defaultPairOf(agents) !== null;
  const hasClis = hasPair && needs.clis.every((cli) => agents.some((agent) => agent.cli === cli));
  return [
    ...(isBelow(isolation, needs.isolation) ? (["isolation"] as const) : []),
    ...(hasClis ? [] : (["cli"] as const)),
  ];
}

function fitFor(needs: RunNeeds, capacities: readonly WorkerCapacity[]): readonly WorkerCapacity[] {
  const fit = capacities.filter((capacity) => findLacks(needs, capacity).length === 0);
  const reading = needs.prefersAgent === true ? fit.filter(({ agents }) => agents.some(isCodingAgent)) : [];
  return reading.length > 0 ? reading : fit;
}

export interface RunningCounts {
  readonly plan: PlanId;
  readonly ofOwner: number;
  readonly ofRepo: (repoId: string) => number;
}

export function runningCounts(plan: PlanId, leased: readonly { readonly repoId: string }[]): RunningCounts {
  return { plan, ofOwner: leased.length, ofRepo: (id) => leased.filter(({ repoId }) => repoId === id).length };
}

/** Why a run waits although workers may be free; null when only a worker is missing. */
export function blockedReason(run: WaitingRun, underWay: RunningCounts, now: number): QueueReason | null {
  if (run.repoStatus === "paused") return "repo_paused";
  if (run.repoStatus === "unreachable") return "repo_unreachable";
  if (run.notBefore > now) return "retry_delay";
  const { runsAtOnce, runsAtOnceOfRepo, parallelRunsOfRepo } = PLAN_TERMS[underWay.plan];
  if (underWay.ofOwner >= runsAtOnce) return "plan_concurrency";
  const most = run.isParallel ? parallelRunsOfRepo : runsAtOnceOfRepo;
  return underWay.ofRepo(run.repoId) >= most ? "repo_busy" : null;
}

export function compareQueueOrder(left: WaitingRun, other: WaitingRun): number {
  return other.priority - left.priority || left.queuedAt - other.queuedAt || (left.id < other.id ? -1 : 1);
}

export interface WorkerCapacity extends Capabilities {
  readonly workerId: string;
  readonly freeSlots: number;
  readonly refused?: ReadonlySet<string>;
}

export interface Offers {
  readonly waiting: readonly WaitingRun[];
  readonly needs: ReadonlyMap<string, RunNeeds>;
  readonly capacities: readonly WorkerCapacity[];
  readonly underWay: RunningCounts;
  readonly now: number;
}

export interface Assignment {
  readonly run: WaitingRun;
  readonly workerId: string;
}

/** The next run that a free worker fits, with the worker that has most free slots; null when there is no such pair. */
export function chooseAssignment({ waiting, needs, capacities, underWay, now }: Offers): Assignment | null {
  const free = capacities.filter(({ freeSlots }) => freeSlots > 0);
  if (free.length === 0) return null;
  for (const run of waiting.toSorted(compareQueueOrder)) {
    const needed = needs.get(run.id);
    if (needed === undefined || blockedReason(run, underWay, now) !== null) continue;
    // There are thousands of workers, so busy ones are considered only if waiting for them may pay off.
    const eligible = (needed.prefersAgent === true ? capacities : free).filter(
      ({ refused }) => refused?.has(run.id) !== true,
    );
    const fitting = fitFor(needed, eligible).filter(({ freeSlots }) => freeSlots > 0);
    const others = fitting.filter(({ workerId }) => workerId !== run.failedBy);
    const best = withMostFreeSlots(others.length > 0 ? others : fitting);
    if (best !== null) return { run, workerId: best.workerId };
  }
  return null;
}

function withMostFreeSlots(capacities: readonly WorkerCapacity[]): WorkerCapacity | null {
  return capacities.reduce<WorkerCapacity | null>(
    (best, capacity) => (capacity.freeSlots > (best?.freeSlots ?? 0) ? capacity : best),
    null,
  );
}

/**
 * Groups connected workers by capability, each group as one worker with free slots where any member has some. There are thousands of
 * workers and few groups.
 */
export function groupByCapability(workers: readonly Worker[], busyIds: readonly (string | null)[]): WorkerCapacity[] {
  const busy = countsOf(busyIds);
  const kinds = new Map<string, WorkerCapacity>();
  for (const { id: workerId, agents, isolation, slots, enabled } of workers) {
    if (!enabled) continue;
    const name = `${isolation} ${namesOf(agents)}`;
    const freeSlots = slots - (busy.get(workerId) ?? 0);
    const best = kinds.get(name);
    if (best === undefined || best.freeSlots < freeSlots) kinds.set(name, { workerId, agents, isolation, freeSlots });
  }
  return [...kinds.values()];
}

type Worker = Pick<WorkerRecord, "id" | "agents" | "isolation" | "slots" | "enabled">;

export function busyWorkers(
  leased: readonly { readonly workerId: string | null }[],
  checking: readonly (string | null)[],
): readonly (string | null)[] {
  return [...leased.map(({ workerId }) => workerId), ...checking];
}

export function countsOf<T>(all: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const item of all) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

const names = new WeakMap<readonly WorkerAgent[], string>();

function namesOf(agents: readonly WorkerAgent[]): string {
  const joined = names.get(agents) ?? agents.map(({ cli }) => cli).join(" ");
  names.set(agents, joined);
  return joined;
}

/** The waiting reason shown to the owner; `capacities` are all connected, enabled workers or their groups. */
export function queueReasonOf(
  run: WaitingRun,
  needs: RunNeeds,
  { capacities, underWay, now }: Pick<Offers, "capacities" | "underWay" | "now">,
): QueueReason | null {
  const reason = blockedReason(run, underWay, now);
  if (reason !== null) return reason;
  const [missing] = missingWorkers(needs, capacities);
  if (missing !== undefined) return missing;
  return fitFor(needs, capacities).some(({ freeSlots }) => freeSlots > 0) ? null : "workers_full";
}

/** Why no connected worker fits, in the order of fixes; empty if one fits. Only workers that lack the least count. */
export function missingWorkers(needs: RunNeeds, capacities: readonly WorkerCapacity[]): readonly WorkerReason[] {
  if (capacities.length === 0) return ["no_worker"];
  const lacks = capacities.map((capacity) => findLacks(needs, capacity));
  const least = Math.min(...lacks.map(({ length }) => length));
  const missing = new Set(lacks.filter(({ length }) => length === least).flat());
  return LACKS.filter((lack) => missing.has(lack)).map((lack) => LACK_REASONS[lack]);
}

const LACK_REASONS = { isolation: "no_worker_with_isolation", cli: "no_worker_with_cli" } as const;
const LACKS: readonly Lack[] = ["isolation", "cli"];

/** Rotates the accounts, in id order, to the one after the last served. */
export function roundRobinOwners(owners: readonly string[], lastServed: string | null): readonly string[] {
  const sorted = [...new Set(owners)].toSorted();
  const next = lastServed === null ? 0 : sorted.findIndex((owner) => owner > lastServed);
  return next <= 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
}

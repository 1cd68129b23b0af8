/** The waiting reason and queue position of a run, as its owner sees them. */
import type { IsolationLevel, QueueReason, RepoSettings, RunKind, WorkerReason } from "@triptych/contracts";
import { raiseIsolation, atLeast, isBelow } from "../domain/isolation.ts";
import type { ConnectedWorkers } from "../domain/panel.ts";
import {
  busyWorkers,
  compareQueueOrder,
  groupByCapability,
  needsOf,
  queueReasonOf,
  runningCounts,
  type Offers,
  type WaitingRun,
  missingWorkers,
  type WorkerCapacity,
} from "./rules.ts";
import type { RepoRecord, RunRecord } from "../domain/records.ts";
import type { Fleet, WorkerRepository } from "../domain/worker-repositories.ts";
import type { WorkerRecord } from "../domain/workers.ts";
import type { QueueRepository } from "./repository.ts";

export interface QueuePosition {
  readonly reason: QueueReason | null;
  /** The operator's minimum, which applies to queued runs; null if the run is not queued. */
  readonly isolationMin: IsolationLevel | null;
  /** From 1; null beyond the first thousand. */
  readonly position: number | null;
}

export interface QueueViewer {
  readonly store: { readonly fleet: Pick<Fleet, "isShared"> };
  readonly workers: Pick<ConnectedWorkers, "records">;
  readonly allows: { readonly isolationMin: IsolationLevel };
  readonly now: () => number;
}

interface QueueSource {
  readonly owner: string;
  readonly repositories: {
    readonly queue: Pick<QueueRepository, "view">;
    readonly workers: Pick<WorkerRepository, "connections" | "list">;
  };
}

/** A queue and its available workers at one moment. */
export interface QueueSnapshot extends Pick<Offers, "capacities" | "underWay" | "now"> {
  readonly waiting: readonly WaitingRun[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly isolationMin: IsolationLevel;
}

export async function readQueueSnapshot(
  viewer: QueueViewer,
  { owner, repositories }: QueueSource,
): Promise<QueueSnapshot> {
  const { plan, waiting, leased, checking } = await repositories.queue.view();
  const workers = await connectedWorkers(viewer, owner, repositories);
  return {
    waiting,
    indexOf: new Map(waiting.map(({ id }, index) => [id, index])),
    isolationMin: viewer.allows.isolationMin,
    capacities: groupByCapability(workers, busyWorkers(leased, checking)),
    underWay: runningCounts(plan, leased),
    now: viewer.now(),
  };
}

export async function queueOf(
  viewer: QueueViewer,
  source: QueueSource,
  runs: readonly RunRecord[],
): Promise<QueueSnapshot | null> {
  return runs.some(({ state }) => state === "queued") ? readQueueSnapshot(viewer, source) : null;
}

export const NOT_QUEUED: QueuePosition = { reason: null, position: null, isolationMin: null };

export function positionIn(snapshot: QueueSnapshot | null, run: RunRecord): QueuePosition {
  if (snapshot === null || run.state !== "queued") return NOT_QUEUED;
  const { isolationMin } = snapshot;
  const at = snapshot.indexOf.get(run.id) ?? -1;
  const waits = snapshot.waiting[at];
  return waits === undefined
    ? { ...NOT_QUEUED, isolationMin }
    : { reason: reasonOf(run, waits, snapshot), position: at + 1, isolationMin };
}

export function positionOfNew(
  run: RunRecord,
  repo: Pick<RepoRecord, "status">,
  snapshot: QueueSnapshot,
): QueuePosition {
  const { id, repoId, priority, queuedAt, notBefore, isParallel } = run;
  const about = { id, repoId, priority, queuedAt, notBefore, isParallel };
  const waits: WaitingRun = { ...about, repoStatus: repo.status, failedBy: null };
  const before = snapshot.waiting.filter((other) => compareQueueOrder(other, waits) < 0).length;
  // The run may be newer than the queue snapshot, which is not a delay.
  const reason = reasonOf(run, waits, { ...snapshot, now: Math.max(snapshot.now, notBefore) });
  return { reason, position: before + 1, isolationMin: snapshot.isolationMin };
}

/** After a fitting worker refused the run, what it lacks is the waiting reason. */
function reasonOf(run: RunRecord, waits: WaitingRun, snapshot: QueueSnapshot): QueueReason | null {
  const { kind, spec, facts } = raiseIsolation(run, snapshot.isolationMin);
  const reason = queueReasonOf(waits, needsOf(kind, spec), snapshot);
  if (reason !== null || facts.lack === undefined) return reason;
  return facts.lack === "cli" ? "no_worker_with_cli" : "no_worker_with_isolation";
}

/** On a single-node store, this node knows all workers without a query. */
async function connectedWorkers(
  { store, workers }: QueueViewer,
  owner: string,
  repositories: Pick<QueueSource["repositories"], "workers">,
): Promise<readonly WorkerRecord[]> {
  if (!store.fleet.isShared) return workers.records(owner);
  const connected = new Set((await repositories.workers.connections()).map(({ workerId }) => workerId));
  return (await repositories.workers.list()).filter(({ id }) => connected.has(id));
}

/** The run's required level and the operator's minimum: a hint suggests no level below it. */
export interface HintedLevels {
  readonly required: IsolationLevel;
  readonly minimum: IsolationLevel;
}

export function queueHintOf(reason: QueueReason | null, levels: HintedLevels): string | null {
  switch (reason) {
    case "no_worker":
    case "no_worker_with_cli":
    case "no_worker_with_isolation":
      return workerHint(reason, levels);
    case "plan_concurrency":
    case "repo_busy":
    case "repo_paused":
    case "repo_unreachable":
    case "retry_delay":
    case "workers_full":
    case null:
      return null;
  }
}

export interface ConnectedCapacity {
  readonly capacities: readonly WorkerCapacity[];
  readonly isolationMin: IsolationLevel;
}

/** What a run would wait for before it is started, until somebody connects a worker or changes a setting. The best fix comes first. */
export function wouldWait(
  kind: RunKind,
  settings: RepoSettings,
  { capacities, isolationMin: minimum }: ConnectedCapacity,
) {
  const required = atLeast(minimum, settings.isolation.level_required);
  const missing = missingWorkers({ ...needsOf(kind, { settings }), isolation: required }, capacities);
  const reasons = missing.map((reason) => ({ reason, hint: workerHint(reason, { required, minimum }) }));
  const [first] = reasons;
  return first === undefined ? null : { ...first, reasons };
}

function workerHint(reason: WorkerReason, levels: HintedLevels): string {
  switch (reason) {
    case "no_worker":
      return "Connect a worker: the workers page of the dashboard shows the commands.";
    case "no_worker_with_cli":
      return "Install a coding CLI on a worker's machine (`triptych worker doctor` lists detected CLIs), or set `team.members` to an agent that a worker has.";
    case "no_worker_with_isolation":
      return isolationHint(levels);
  }
}

function isolationHint({ required, minimum }: HintedLevels): string {
  const { remedy, lower, consequence } = REMEDIES[required];
  if (lower === null || isBelow(lower, minimum)) return `${remedy}.`;
  return `${remedy}, or set \`isolation.level_required\` to \`${lower}\`${consequence}.`;
}

interface Remedy {
  readonly remedy: string;
  readonly lower: IsolationLevel | null;
  readonly consequence: string;
}

const REMEDIES: Readonly<Record<IsolationLevel, Remedy>> = {
  none: { remedy: "Connect a worker: every worker supports level `none`", lower: null, consequence: "" },
  worktree: { remedy: "Start a worker with `--isolation worktree` or higher", lower: null, consequence: "" },
  sandbox: {
    remedy:
      "No connected worker has a sandbox. Install bubblewrap on a worker's machine (`triptych worker doctor` lists what is missing)",
    lower: "worktree",
    consequence: ", where only file permissions protect the machine",
  },
  container: { remedy: "Start a worker with `--image <reference>`", lower: "sandbox", consequence: "" },
};

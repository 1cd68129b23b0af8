/** What a waiting run waits for, and how many of its account go before it: as its owner sees it. */
import type { QueueReason } from "@triptych/contracts";
import type { ConnectedWorkers } from "./panel.ts";
import type { Books, PanelStore } from "./panel-store.ts";
import { byTurn, kindsOf, needsOf, queueReasonOf, underWayOf, type Offers, type WaitingRun } from "./queue.ts";
import type { RepoRecord, RunRecord } from "./records.ts";
import type { WorkerRecord } from "./workers.ts";

export interface QueuePlace {
  readonly reason: QueueReason | null;
  /** From 1; null beyond the first thousand. */
  readonly position: number | null;
}

export interface QueueViewer {
  readonly store: Pick<PanelStore, "fleet">;
  readonly workers: Pick<ConnectedWorkers, "records">;
  readonly now: () => number;
}

interface Shelf {
  readonly owner: string;
  readonly books: Pick<Books, "queue" | "workers">;
}

/** A queue and those who may take from it, at one moment. */
export interface QueueSight extends Pick<Offers, "hands" | "underWay" | "now"> {
  readonly waiting: readonly WaitingRun[];
}

export async function lookAtQueue(viewer: QueueViewer, { owner, books }: Shelf): Promise<QueueSight> {
  const { plan, waiting, held } = await books.queue.look();
  const hands = kindsOf(await connectedWorkers(viewer, owner, books), held);
  return { waiting, hands, underWay: underWayOf(plan, held), now: viewer.now() };
}

/** By id, for those of the runs that wait; nothing is read where none does. */
export async function queuePlaces(
  viewer: QueueViewer,
  shelf: Shelf,
  runs: readonly RunRecord[],
): Promise<ReadonlyMap<string, QueuePlace>> {
  const queued = runs.filter(({ state }) => state === "queued");
  if (queued.length === 0) return new Map();
  const sight = await lookAtQueue(viewer, shelf);
  const turns = turnsOf(sight.waiting);
  const places = new Map<string, QueuePlace>();
  for (const run of queued) {
    const at = turns.get(run.id) ?? -1;
    const waits = sight.waiting[at];
    if (waits !== undefined) places.set(run.id, { reason: reasonOf(run, waits, sight), position: at + 1 });
  }
  return places;
}

/** Of a run that was made just now, in a queue that was looked at just before. */
export function placeOfNew(
  { id, repoId, priority, queuedAt, notBefore, isParallel, ...run }: RunRecord,
  repo: Pick<RepoRecord, "status">,
  sight: QueueSight,
): QueuePlace {
  const about = { id, repoId, priority, queuedAt, notBefore, isParallel };
  const waits: WaitingRun = { ...about, repoStatus: repo.status, failedBy: null };
  const before = sight.waiting.filter((one) => byTurn(one, waits) < 0).length;
  // What it was made at is a moment after the queue was looked at, and no delay.
  return { reason: reasonOf(run, waits, { ...sight, now: Math.max(sight.now, notBefore) }), position: before + 1 };
}

/** Where a worker seemed fit and has said that it is not, what it lacks is what the run waits for. */
function reasonOf(
  { kind, order, facts }: Pick<RunRecord, "kind" | "order" | "facts">,
  waits: WaitingRun,
  sight: QueueSight,
): QueueReason | null {
  const reason = queueReasonOf(waits, needsOf(kind, order), sight);
  if (reason !== null || facts.lack === undefined) return reason;
  return facts.lack === "cli" ? "no_worker_with_cli" : "no_worker_with_isolation";
}

/** By the queue itself: the store answers the same one until it changes. */
const known = new WeakMap<readonly WaitingRun[], ReadonlyMap<string, number>>();

function turnsOf(waiting: readonly WaitingRun[]): ReadonlyMap<string, number> {
  const turns = known.get(waiting) ?? new Map(waiting.map(({ id }, at) => [id, at]));
  known.set(waiting, turns);
  return turns;
}

/** Where only this node works on the store, it knows them without asking. */
async function connectedWorkers(
  { store, workers }: QueueViewer,
  owner: string,
  books: Pick<Books, "workers">,
): Promise<readonly WorkerRecord[]> {
  if (!store.fleet.isShared) return workers.records(owner);
  const connected = new Set((await books.workers.connections()).map(({ workerId }) => workerId));
  return (await books.workers.list()).filter(({ id }) => connected.has(id));
}

/** What a waiting run waits for, and how many of its account go before it: as its owner sees it. */
import type { IsolationLevel, QueueReason } from "@triptych/contracts";
import { raiseIsolation } from "./isolation.ts";
import type { ConnectedWorkers } from "./panel.ts";
import {
  busyWorkers,
  byTurn,
  kindsOf,
  needsOf,
  queueReasonOf,
  underWayOf,
  type Offers,
  type WaitingRun,
} from "./queue.ts";
import type { RepoRecord, RunRecord } from "./records.ts";
import type { Fleet, QueueBook, QueueView, WorkerBook } from "./worker-repositories.ts";
import type { WorkerRecord } from "./workers.ts";

export interface QueuePlace {
  readonly reason: QueueReason | null;
  /** The operator's minimum, which holds for what is still queued; null: no longer. */
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

interface Shelf {
  readonly owner: string;
  readonly books: {
    readonly queue: Pick<QueueBook, "look">;
    readonly workers: Pick<WorkerBook, "connections" | "list">;
  };
}

/** A queue and those who may take from it, at one moment. */
export interface QueueSight extends Pick<Offers, "hands" | "underWay" | "now"> {
  readonly waiting: readonly WaitingRun[];
  readonly isolationMin: IsolationLevel;
}

export async function lookAtQueue(viewer: QueueViewer, { owner, books }: Shelf): Promise<QueueSight> {
  const view = await books.queue.look();
  const workers = await connectedWorkers(viewer, owner, books);
  const now = viewer.now();
  const known = seen.get(view);
  if (known !== undefined && now >= known.sight.now && now < known.until && isSame(known.workers, workers))
    return known.sight;
  const { plan, waiting, held, checking } = view;
  const sight = {
    waiting,
    isolationMin: viewer.allows.isolationMin,
    hands: kindsOf(workers, busyWorkers(held, checking)),
    underWay: underWayOf(plan, held),
    now,
  };
  seen.set(view, { sight, workers, until: nextTurn(waiting, now) });
  return sight;
}

interface Seen {
  readonly sight: QueueSight;
  readonly workers: readonly WorkerRecord[];
  /** Until the delay of a run is over, the passing of time changes nothing. */
  readonly until: number;
}

/** By the queue itself, which the store answers again until it changes: who reads a list again and again sees the same. */
const seen = new WeakMap<QueueView, Seen>();

function nextTurn(waiting: readonly WaitingRun[], now: number): number {
  return waiting.reduce((next, { notBefore }) => (notBefore > now && notBefore < next ? notBefore : next), Infinity);
}

function isSame(some: readonly WorkerRecord[], others: readonly WorkerRecord[]): boolean {
  return some.length === others.length && some.every((one, place) => one === others[place]);
}

/** The queue that any of these runs stands in; null where none does: then it is not even looked at. */
export async function queueOf(
  viewer: QueueViewer,
  shelf: Shelf,
  runs: readonly RunRecord[],
): Promise<QueueSight | null> {
  return runs.some(({ state }) => state === "queued") ? lookAtQueue(viewer, shelf) : null;
}

export const NOWHERE: QueuePlace = { reason: null, position: null, isolationMin: null };

export function placeIn(sight: QueueSight | null, run: RunRecord): QueuePlace {
  if (sight === null || run.state !== "queued") return NOWHERE;
  const { isolationMin } = sight;
  const at = turnsOf(sight.waiting).get(run.id) ?? -1;
  const waits = sight.waiting[at];
  return waits === undefined
    ? { ...NOWHERE, isolationMin }
    : { reason: reasonOf(run, waits, sight), position: at + 1, isolationMin };
}

/** Of a run that was made just now, in a queue that was looked at just before. */
export function placeOfNew(run: RunRecord, repo: Pick<RepoRecord, "status">, sight: QueueSight): QueuePlace {
  const { id, repoId, priority, queuedAt, notBefore, isParallel } = run;
  const about = { id, repoId, priority, queuedAt, notBefore, isParallel };
  const waits: WaitingRun = { ...about, repoStatus: repo.status, failedBy: null };
  const before = sight.waiting.filter((one) => byTurn(one, waits) < 0).length;
  // What it was made at is a moment after the queue was looked at, and no delay.
  const reason = reasonOf(run, waits, { ...sight, now: Math.max(sight.now, notBefore) });
  return { reason, position: before + 1, isolationMin: sight.isolationMin };
}

/** Where a worker seemed fit and has said that it is not, what it lacks is what the run waits for. */
function reasonOf(run: RunRecord, waits: WaitingRun, sight: QueueSight): QueueReason | null {
  const { kind, order, facts } = raiseIsolation(run, sight.isolationMin);
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
  books: Pick<Shelf["books"], "workers">,
): Promise<readonly WorkerRecord[]> {
  if (!store.fleet.isShared) return workers.records(owner);
  const connected = new Set((await books.workers.connections()).map(({ workerId }) => workerId));
  return (await books.workers.list()).filter(({ id }) => connected.has(id));
}

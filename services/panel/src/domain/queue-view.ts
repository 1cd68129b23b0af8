/** What a waiting run waits for, and how many of its account go before it: as its owner sees it. */
import type { QueueReason } from "@triptych/contracts";
import type { ConnectedWorkers } from "./panel.ts";
import type { Books, PanelStore } from "./panel-store.ts";
import { needsOf, queueReasonOf, underWayOf, type Hand, type WaitingRun } from "./queue.ts";
import type { RunRecord } from "./records.ts";
import type { WorkerRecord } from "./workers.ts";

export interface QueuePlace {
  readonly reason: QueueReason | null;
  /** From 1; null beyond the first thousand. */
  readonly position: number | null;
}

export interface QueueViewer {
  readonly store: Pick<PanelStore, "fleet">;
  readonly workers: Pick<ConnectedWorkers, "present">;
  readonly now: () => number;
}

/** By id, for those of the runs that wait; nothing is read where none does. */
export async function queuePlaces(
  viewer: QueueViewer,
  { owner, books }: { readonly owner: string; readonly books: Pick<Books, "queue" | "workers"> },
  runs: readonly RunRecord[],
): Promise<ReadonlyMap<string, QueuePlace>> {
  const queued = runs.filter(({ state }) => state === "queued");
  if (queued.length === 0) return new Map();
  const { plan, waiting, held } = await books.queue.look();
  const workers = await connectedWorkers(viewer, owner, books);
  const busyOf = (id: string) => held.filter(({ workerId }) => workerId === id).length;
  const hands = workers
    .filter(({ enabled }) => enabled)
    .map(({ id, agents, isolation, slots }): Hand => {
      return { workerId: id, agents, isolation, freeSlots: slots - busyOf(id) };
    });
  const around = { hands, underWay: underWayOf(plan, held), now: viewer.now() };
  const turns = turnsOf(waiting);
  const places = new Map<string, QueuePlace>();
  for (const { id, kind, order } of queued) {
    const at = turns.get(id) ?? -1;
    const waits = waiting[at];
    if (waits === undefined) continue;
    places.set(id, { reason: queueReasonOf(waits, needsOf(kind, order), around), position: at + 1 });
  }
  return places;
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
  if (!store.fleet.isShared) return [...workers.present(owner).values()].map(({ worker }) => worker);
  const connected = new Set((await books.workers.connections()).map(({ workerId }) => workerId));
  return (await books.workers.list()).filter(({ id }) => connected.has(id));
}

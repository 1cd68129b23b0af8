/**
 * Leases what waits to who is free. It never looks by itself: it is woken for an account by whatever may let a run go (a run made,
 * one ended, a worker come or freed, a second gone by), and several wakings while it works are one. Accounts take turns, one lease
 * each, some side by side so that their commits share the disk.
 */
import { atLeast } from "../domain/isolation.ts";
import { giveBack } from "../domain/create-run.ts";
import {
  busyWorkers,
  choosePair,
  countsOf,
  ownersInTurn,
  underWayOf,
  type Hand,
  type RunNeeds,
  type WaitingRun,
} from "../domain/queue.ts";
import type { Live } from "./connection-registry.ts";
import { assignOf, deadlineOf, leaseRun, type Leased } from "./lease-run.ts";
import { tellToStop, type Room } from "./channel-context.ts";

export interface Dispatch {
  wake(owner: string): void;
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

const OWNERS_AT_ONCE = 16;
/** Orders never change, so what they need is kept; more than wait at any time. */
const NEEDS_KEPT = 10_000;

export function createDispatch(room: Omit<Room, "wake">): Dispatch {
  const woken = new Set<string>();
  const needs = new Map<string, RunNeeds>();
  let lastServed: string | null = null;
  let pumping: Promise<void> | null = null;
  let isStopped = false;

  return {
    wake(owner) {
      if (isStopped || room.crew.of(owner).size === 0) return;
      woken.add(owner);
      pumping ??= pump();
    },
    async stop() {
      isStopped = true;
      woken.clear();
      await pumping;
    },
  };

  async function pump(): Promise<void> {
    while (woken.size > 0) {
      const turn = ownersInTurn([...woken], lastServed).slice(0, OWNERS_AT_ONCE);
      for (const owner of turn) woken.delete(owner);
      await Promise.all(turn.map(serve));
      lastServed = turn.at(-1) ?? null;
    }
    // In the same tick as the last look, so that nobody wakes what has just gone to sleep.
    pumping = null;
  }

  async function serve(owner: string): Promise<void> {
    try {
      if ((await leaseNext(owner)) && !isStopped) woken.add(owner);
    } catch (error) {
      room.onTrouble(error, "leasing a run failed; it is tried again within a second");
    }
  }

  /** False when nothing more can be leased to this account's workers now. */
  async function leaseNext(owner: string): Promise<boolean> {
    const now = room.timers.now();
    const rested = [...room.crew.of(owner).values()].filter((live) => live.worker.enabled && live.restsUntil <= now);
    if (rested.length === 0) return false;
    const { queue } = room.store.of(owner);
    const view = await queue.look();
    if (view.waiting.length === 0 || view.status === "suspended") return false;
    const busy = countsOf(busyWorkers(view.held, view.checking));
    const offers = {
      waiting: view.waiting,
      needs: await needsOf(owner, view.waiting),
      hands: rested.map((live) => handOf(live, busy)),
      underWay: underWayOf(view.plan, view.held),
      now,
    };
    const pair = choosePair(offers);
    const live = pair === null ? null : room.crew.find(owner, pair.workerId);
    if (pair === null || live === null) return false;
    const leased = await room.store.change(owner, (books) => leaseRun(room, books, { pair, live, view, now }));
    if (leased !== null) await send(live, leased);
    return leased !== null;
  }

  async function needsOf(owner: string, waiting: readonly WaitingRun[]): Promise<ReadonlyMap<string, RunNeeds>> {
    const missing = waiting.map(({ id }) => id).filter((id) => !needs.has(id));
    if (needs.size + missing.length > NEEDS_KEPT) needs.clear();
    const unknown = needs.size === 0 ? waiting.map(({ id }) => id) : missing;
    if (unknown.length > 0)
      for (const [id, one] of await room.store.of(owner).queue.needsOf(unknown))
        needs.set(id, { ...one, isolation: atLeast(room.isolationMin, one.isolation) });
    return needs;
  }

  /** What cannot be sent goes back at once: nobody has seen it. */
  async function send(live: Live, leased: Leased): Promise<void> {
    const { crew, timers, metrics, store } = room;
    const { run } = leased;
    const now = timers.now();
    const former = crew.holderOf(run.id);
    const last = former?.runs.get(run.id);
    // Who had it in an earlier epoch may not know yet that it is gone.
    if (former !== null && last !== undefined) {
      tellToStop(room, former, { runId: run.id, epoch: last.epoch });
      crew.release(former, run.id);
    }
    const isPresent = crew.find(live.owner, live.worker.id) === live;
    const cid = isPresent ? live.link.command(assignOf(room, live.owner, leased), now) : null;
    if (cid !== null) {
      const { epoch } = run;
      crew.hold(live, run.id, { epoch, deadline: deadlineOf(run), offeredAt: now, isCancelSent: false });
      metrics.assigned(now - run.queuedAt);
      return;
    }
    if (isPresent) metrics.outboxFull();
    live.restsUntil = now + REST_MS;
    await store.change(live.owner, async (books) => {
      const same = await books.runs.find(run.id);
      if (same?.state !== "leased" || same.epoch !== run.epoch) return;
      await giveBack(books, same, now);
    });
  }
}

/** A worker that could not take a run is asked again after this. */
export const REST_MS = 5_000;

function handOf({ worker, refused }: Live, busy: ReadonlyMap<string | null, number>): Hand {
  const { id: workerId, agents, isolation, slots } = worker;
  return { workerId, agents, isolation, freeSlots: slots - (busy.get(workerId) ?? 0), refused };
}

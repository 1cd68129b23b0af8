/**
 * Leases queued runs to free workers. It does not poll: an account is woken when a run is created or ends, a worker connects or frees a
 * slot, and once a second. Wake-ups during a pass are merged. Accounts take turns, one lease each; several lease in parallel so that their
 * commits share one disk sync.
 */
import { atLeast } from "../domain/isolation.ts";
import { requeue } from "../domain/create-run.ts";
import {
  busyWorkers,
  chooseAssignment,
  countsOf,
  roundRobinOwners,
  runningCounts,
  type WorkerCapacity,
  type RunNeeds,
  type WaitingRun,
} from "./rules.ts";
import type { Connection } from "../worker-connections/connection-registry.ts";
import { assignOf, deadlineOf, leaseRun, type LeaseGrant } from "./lease-run.ts";
import { requestCancel, type ChannelContext } from "../worker-connections/channel-context.ts";

export interface Dispatch {
  wake(owner: string): void;
  stop(): Promise<void>;
}

const PARALLEL_OWNERS_MAX = 16;
/** Specs never change, so their needs are cached; larger than any queue. */
const NEEDS_CACHE_MAX = 10_000;

export function createDispatch(context: Omit<ChannelContext, "wake">): Dispatch {
  const woken = new Set<string>();
  const needs = new Map<string, RunNeeds>();
  let lastServed: string | null = null;
  let pumping: Promise<void> | null = null;
  let isStopped = false;

  return {
    wake(owner) {
      if (isStopped || context.connections.of(owner).size === 0) return;
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
      const round = roundRobinOwners([...woken], lastServed).slice(0, PARALLEL_OWNERS_MAX);
      for (const owner of round) woken.delete(owner);
      await Promise.all(round.map(serve));
      lastServed = round.at(-1) ?? null;
    }
    // This happens in the same tick as the last check, so that no wake-up is lost in between.
    pumping = null;
  }

  async function serve(owner: string): Promise<void> {
    try {
      if ((await leaseNext(owner)) && !isStopped) woken.add(owner);
    } catch (error) {
      context.onError(error, "leasing a run failed; retrying within a second");
    }
  }

  /** False when no more runs can be leased to this account's workers now. */
  async function leaseNext(owner: string): Promise<boolean> {
    const now = context.timers.now();
    const rested = [...context.connections.of(owner).values()].filter(
      (connection) => connection.worker.enabled && connection.pausedUntil <= now,
    );
    if (rested.length === 0) return false;
    const { queue } = context.store.of(owner);
    const view = await queue.view();
    if (view.waiting.length === 0 || view.status === "suspended") return false;
    const busy = countsOf(busyWorkers(view.leased, view.checking));
    const offers = {
      waiting: view.waiting,
      needs: await needsOf(owner, view.waiting),
      capacities: rested.map((connection) => capacityOf(connection, busy)),
      underWay: runningCounts(view.plan, view.leased),
      now,
    };
    const pair = chooseAssignment(offers);
    const connection = pair === null ? null : context.connections.find(owner, pair.workerId);
    if (pair === null || connection === null) return false;
    const leased = await context.store.change(owner, (repositories) =>
      leaseRun(context, repositories, { pair, connection, view, now }),
    );
    if (leased !== null) await sendAssignment(context, connection, leased);
    return leased !== null;
  }

  async function needsOf(owner: string, waiting: readonly WaitingRun[]): Promise<ReadonlyMap<string, RunNeeds>> {
    const missing = waiting.map(({ id }) => id).filter((id) => !needs.has(id));
    if (needs.size + missing.length > NEEDS_CACHE_MAX) needs.clear();
    const unknown = needs.size === 0 ? waiting.map(({ id }) => id) : missing;
    if (unknown.length > 0)
      for (const [id, runNeeds] of await context.store.of(owner).queue.needsOf(unknown))
        needs.set(id, { ...runNeeds, isolation: atLeast(context.isolationMin, runNeeds.isolation) });
    return needs;
  }
}

/** Returns an unsendable run immediately: no worker has seen it. */
async function sendAssignment(
  context: Omit<ChannelContext, "wake">,
  connection: Connection,
  leased: LeaseGrant,
): Promise<void> {
  const { connections, timers, metrics, store } = context;
  const { run } = leased;
  const now = timers.now();
  const former = connections.holderOf(run.id);
  const last = former?.runs.get(run.id);
  // The worker of an earlier epoch may not know that it has lost the run.
  if (former !== null && last !== undefined) {
    requestCancel(context, former, { runId: run.id, epoch: last.epoch });
    connections.release(former, run.id);
  }
  const isPresent = connections.find(connection.owner, connection.worker.id) === connection;
  const cid = isPresent ? connection.link.command(assignOf(context, connection.owner, leased), now) : null;
  if (cid !== null) {
    const { epoch } = run;
    connections.hold(connection, run.id, { epoch, deadline: deadlineOf(run), offeredAt: now, isCancelSent: false });
    metrics.assigned(now - run.queuedAt);
    return;
  }
  if (isPresent) metrics.outboxFull();
  connection.pausedUntil = now + REFUSAL_PAUSE_MS;
  await store.change(connection.owner, async (repositories) => {
    const same = await repositories.runs.find(run.id);
    if (same?.state !== "leased" || same.epoch !== run.epoch) return;
    await requeue(repositories, same, now);
  });
}

/** Pause before the next offer to a worker that refused one. */
export const REFUSAL_PAUSE_MS = 5_000;

function capacityOf({ worker, refused }: Connection, busy: ReadonlyMap<string | null, number>): WorkerCapacity {
  const { id: workerId, agents, isolation, slots } = worker;
  return { workerId, agents, isolation, freeSlots: slots - (busy.get(workerId) ?? 0), refused };
}

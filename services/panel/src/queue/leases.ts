/**
 * Expires leases, unanswered offers, unconfirmed cancellations and runs past their deadline, once a second. Each run is read again inside
 * its transaction, so two nodes that sweep at the same time act once.
 */
import { expiredLeaseOf } from "../domain/leases.ts";
import { CANCELLED, requeue, transitionRun } from "../domain/create-run.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { RunRecord } from "../domain/records.ts";
import { isLeased } from "../domain/run-states.ts";
import type { RunKey, LeaseRenewal, Fleet } from "../domain/worker-repositories.ts";
import type { Connection, LiveRun } from "../worker-connections/connection-registry.ts";
import { REFUSAL_PAUSE_MS } from "./dispatch.ts";
import { requestCancel, type ChannelContext } from "../worker-connections/channel-context.ts";

const BATCH_SIZE = 500;
/** With one sweep a second, a cancellation takes effect within ten seconds. */
const CANCEL_TIMEOUT_MS = 9_000;
const ACCEPT_TIMEOUT_MS = 5_000;
/** The worker ends a run at its deadline and has this long to report it. */
const DEADLINE_GRACE_MS = 30_000;

export async function sweepRuns(context: ChannelContext, now: number): Promise<void> {
  const { fleet } = context.store;
  // Cancellations first: a run with a pending one must not be queued again.
  for (const request of await fleet.cancelRequests(BATCH_SIZE)) {
    const connection = context.connections.find(request.owner, request.workerId);
    const leased = connection?.runs.get(request.id);
    if (connection !== null && leased !== undefined)
      requestCancel(context, connection, { runId: request.id, epoch: leased.epoch });
    if (request.isConnected && now - request.requestedAt < CANCEL_TIMEOUT_MS) continue;
    await changeRun(context, request, async (repositories, run) => {
      if (run.cancelRequestedAt === null || !isLeased(run.state)) return;
      await transitionRun(repositories, run, "cancelled", { at: now, result: CANCELLED });
    });
  }
  for (const key of await fleet.lapsed(now, BATCH_SIZE)) {
    await changeRun(context, key, async (repositories, run) => {
      if (await expireLease(repositories, run, now)) context.metrics.leaseLost("lapsed");
    });
  }
}

export async function sweepLeased(context: ChannelContext, now: number): Promise<void> {
  for (const connection of context.connections.all)
    for (const [runId, leased] of connection.runs) {
      if (leased.offeredAt !== null && now - leased.offeredAt >= ACCEPT_TIMEOUT_MS)
        await takeBackOffer(context, connection, { runId, leased, now });
      else if (now - leased.deadline >= DEADLINE_GRACE_MS)
        await endAtDeadline(context, connection, { runId, leased, now });
    }
}

interface ObservedRun {
  readonly runId: string;
  readonly leased: LiveRun;
  readonly now: number;
}

export async function expireLease(repositories: Repositories, run: RunRecord, now: number): Promise<boolean> {
  const lapsed = expiredLeaseOf(run, now);
  if (lapsed === null) return false;
  const { event, notBefore } = lapsed;
  if (run.cancelRequestedAt !== null)
    await transitionRun(repositories, run, "cancelled", { at: now, result: CANCELLED });
  else if (event === "lapsed") await transitionRun(repositories, run, event, { at: now, notBefore });
  else
    await transitionRun(repositories, run, event, {
      at: now,
      result: { code: "worker_lost", message: LEASES_EXPIRED },
    });
  return true;
}

const LEASES_EXPIRED = "Its lease expired on every attempt: the workers stopped sending heartbeats.";

async function takeBackOffer(
  context: ChannelContext,
  connection: Connection,
  { runId, leased, now }: ObservedRun,
): Promise<void> {
  connection.pausedUntil = now + REFUSAL_PAUSE_MS;
  requestCancel(context, connection, { runId, epoch: leased.epoch });
  context.connections.release(connection, runId);
  await returnOffer(context, { owner: connection.owner, id: runId }, { epoch: leased.epoch, now });
}

/** Returns an unanswered offer to the queue without counting an attempt. */
export async function returnOffer(
  context: ChannelContext,
  key: RunKey,
  { epoch, now }: { readonly epoch: number; readonly now: number },
): Promise<void> {
  await changeRun(context, key, async (repositories, run) => {
    if (run.state !== "leased" || run.epoch !== epoch) return;
    context.metrics.leaseLost("silent");
    await requeue(repositories, run, now);
  });
}

async function endAtDeadline(
  context: ChannelContext,
  connection: Connection,
  { runId, leased, now }: ObservedRun,
): Promise<void> {
  requestCancel(context, connection, { runId, epoch: leased.epoch });
  context.connections.release(connection, runId);
  await changeRun(context, { owner: connection.owner, id: runId }, async (repositories, run) => {
    if (!isLeased(run.state) || run.epoch !== leased.epoch) return;
    context.metrics.leaseLost("deadline");
    const { timeout_s } = run.spec.settings.limits;
    const message = `Timeout after ${timeout_s} s: its worker did not stop it.`;
    await transitionRun(repositories, run, "failed", { at: now, result: { code: "timeout", message } });
  });
}

/** An error in one run does not block the others. */
async function changeRun(
  { store, onError }: ChannelContext,
  { owner, id }: RunKey,
  work: (repositories: Repositories, run: RunRecord) => Promise<unknown>,
): Promise<void> {
  try {
    await store.change(owner, async (repositories) => {
      const run = await repositories.runs.find(id);
      if (run !== null) await work(repositories, run);
    });
  } catch (error) {
    onError(error, "expiring a lease failed; retrying within a second");
  }
}

export interface LeaseRenewals {
  keep(beats: readonly LeaseRenewal[]): void;
  stop(): Promise<void>;
}

export function keepLeases(
  { moveLeases }: Pick<Fleet, "moveLeases">,
  onError: (error: unknown, what: string) => void,
): LeaseRenewals {
  let waiting: LeaseRenewal[] = [];
  let writing: Promise<void> | null = null;
  return {
    keep(beats) {
      waiting.push(...beats);
      if (waiting.length > 0) writing ??= write();
    },
    stop: async () => void (await writing),
  };

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      // Not retried: the next heartbeat renews the lease to a later time.
      await moveLeases(now).catch((error: unknown) => onError(error, "moving leases failed"));
    }
    writing = null;
  }
}

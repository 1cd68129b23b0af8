/** Periodic work for all workers, once a second, instead of one timer per worker. */
import { WORKER_CLOSES } from "@triptych/contracts";
import { FORGOTTEN_AFTER_MS } from "../domain/workers.ts";
import { figuresOf, type Connection } from "./connection-registry.ts";
import { dispatchChecks } from "../queue/repo-checks.ts";
import type { Presence } from "./worker-registry.ts";
import type { ChannelContext } from "./channel-context.ts";
import type { Session } from "./session.ts";
import { sweepLeased, sweepRuns } from "../queue/leases.ts";

const HELLO_TIMEOUT_MS = 5_000;
const NOTED_EVERY_MS = 10_000;
/** Batch size for storing worker figures, so that other writers do not wait for a large batch. */
const FIGURES_PER_BATCH = 50;
const NOTED_PER_TICK_MAX = 1_000;
const TIDIED_EVERY_MS = 600_000;
const CALLS_RETENTION_MS = 120_000;

/** Closes connections that are silent, sent no hello in time, or have stopped reading. */
export function checkConnections(sessions: Iterable<Session>, now: number): void {
  for (const { link, isGreeted, openedAt } of sessions) {
    if (!isGreeted && now - openedAt >= HELLO_TIMEOUT_MS) link.close(WORKER_CLOSES.noHello, "no hello within 5 s");
    const fate = link.check(now);
    if (fate === "silent") link.cut();
    else if (fate === "full") link.close(WORKER_CLOSES.outboxFull, "the outbox has been full for 30 s");
  }
}

export interface Housekeeping {
  /** Starts a pass; if one is in progress, another follows it. */
  trigger(now: number): void;
  stop(): Promise<void>;
}

export function createAround(context: ChannelContext, presence: Presence): Housekeeping {
  const { store, connections, onError } = context;
  let looking: Promise<void> | null = null;
  let requestedAt: number | null = null;
  let tidiedAt = -Infinity;
  return {
    trigger(now) {
      requestedAt = now;
      looking ??= runPending();
    },
    async stop() {
      requestedAt = null;
      await looking;
    },
  };

  async function runPending(): Promise<void> {
    for (let now = requestedAt; now !== null; now = requestedAt) {
      requestedAt = null;
      await runOnce(now).catch((error: unknown) => onError(error, "housekeeping tick failed"));
    }
    looking = null;
  }

  async function runOnce(now: number): Promise<void> {
    await sweepLeased(context, now);
    await sweepRuns(context, now);
    for (const owner of await store.fleet.ownersWaiting(now)) context.wake(owner);
    await dispatchChecks(context, now);
    for (const owner of await store.fleet.suspendedOwners())
      for (const { link } of connections.of(owner).values())
        link.close(WORKER_CLOSES.forbidden, "the account is suspended");
    for (const connection of connections.all) presence.probeWhenDue(connection, now);
    await noteFigures(now);
    if (now - tidiedAt < TIDIED_EVERY_MS) return;
    tidiedAt = now;
    await store.fleet.forget(now - FORGOTTEN_AFTER_MS);
    await store.fleet.removeCrossNodeCalls(now - CALLS_RETENTION_MS);
  }

  async function noteFigures(now: number): Promise<void> {
    const due: Connection[] = [];
    for (const connection of connections.all) {
      if (due.length === NOTED_PER_TICK_MAX) break;
      if (now - connection.notedAt >= NOTED_EVERY_MS) due.push(connection);
    }
    for (const connection of due) connection.notedAt = now;
    for (let at = 0; at < due.length; at += FIGURES_PER_BATCH) {
      const some = due.slice(at, at + FIGURES_PER_BATCH);
      await store.fleet.see(
        some.map((connection) => ({
          owner: connection.owner,
          workerId: connection.worker.id,
          ...figuresOf(connection),
        })),
      );
    }
  }
}

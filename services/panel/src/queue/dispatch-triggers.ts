/** Forwards changes made by the API or other nodes to the affected workers of this node. */
import { WORKER_CLOSES } from "@triptych/contracts";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { Connection } from "../worker-connections/connection-registry.ts";
import { whyReplaced } from "../worker-connections/handshake.ts";
import { requestCancel, type ChannelContext } from "../worker-connections/channel-context.ts";

/** States that others move a worker's run into: the worker must stop. States that it reported itself are excluded. */
const TAKEN_AWAY: ReadonlySet<string> = new Set(["queued", "cancelled", "lost", "expired"]);

export function followHints(context: ChannelContext): (hint: ChangeEvent | null) => void {
  const { connections, onError } = context;
  const reportError = (error: unknown) => onError(error, "handling a store change failed");
  return (hint) => {
    if (hint === null) {
      for (const connection of connections.all) compareAll(connection).catch(reportError);
      return;
    }
    // Runs of a repo that is no longer paused may be leased.
    if (hint.type === "repo") context.wake(hint.owner);
    if (hint.type === "run") {
      context.wake(hint.owner);
      const connection = connections.holderOf(hint.id);
      if (connection !== null) compareRun(connection, hint.id).catch(reportError);
    }
    if (hint.type === "worker") {
      const connection = connections.find(hint.owner, hint.id);
      if (connection !== null) compareWorker(connection).catch(reportError);
    }
  };

  async function compareAll(connection: Connection): Promise<void> {
    context.wake(connection.owner);
    await compareWorker(connection);
    for (const runId of connection.runs.keys()) await compareRun(connection, runId);
  }

  async function compareRun(connection: Connection, runId: string): Promise<void> {
    const run = await context.store.of(connection.owner).runs.find(runId);
    const leased = connection.runs.get(runId);
    if (run === null || leased === undefined) return;
    const isOver = run.epoch > leased.epoch || (run.epoch === leased.epoch && TAKEN_AWAY.has(run.state));
    if (isOver || run.cancelRequestedAt !== null) requestCancel(context, connection, { runId, epoch: leased.epoch });
    if (isOver) connections.release(connection, runId);
  }

  async function compareWorker(connection: Connection): Promise<void> {
    const { workers } = context.store.of(connection.owner);
    const worker = await workers.find(connection.worker.id);
    const present = await workers.connectionOf(connection.worker.id);
    if (connections.find(connection.owner, connection.worker.id) !== connection) return;
    if (worker === null) return connection.link.close(WORKER_CLOSES.deleted, "the worker was deleted");
    if (present !== null && present.id !== connection.connectionId)
      return connection.link.close(WORKER_CLOSES.replaced, whyReplaced(connection, present.process));
    const { enabled } = worker;
    const isTurned = connection.worker.enabled !== enabled;
    connection.worker = worker;
    if (isTurned) connection.link.command({ t: "enable", enabled }, context.timers.now());
    if (isTurned && enabled) context.wake(connection.owner);
  }
}

/** Forwards changes made by the API or other nodes to the affected workers of this node. */
import { WORKER_CLOSES } from "@triptych/contracts";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { Connection } from "./connection-registry.ts";
import { whyReplaced } from "./handshake.ts";
import { requestCancel, type ChannelContext } from "./channel-context.ts";

/** States that others move a worker's run into: the worker must stop. Those it reported itself are excluded. */
const TAKEN_AWAY: ReadonlySet<string> = new Set(["queued", "cancelled", "lost", "expired"]);

export function followHints(context: ChannelContext): (hint: ChangeEvent | null) => void {
  const { connections, onError } = context;
  const reportError = (error: unknown) => onError(error, "a change could not be followed");
  return (hint) => {
    if (hint === null) {
      for (const live of connections.all) compareAll(live).catch(reportError);
      return;
    }
    // Runs of a repo that is no longer paused may be leased.
    if (hint.type === "repo") context.wake(hint.owner);
    if (hint.type === "run") {
      context.wake(hint.owner);
      const live = connections.holderOf(hint.id);
      if (live !== null) compareRun(live, hint.id).catch(reportError);
    }
    if (hint.type === "worker") {
      const live = connections.find(hint.owner, hint.id);
      if (live !== null) compareWorker(live).catch(reportError);
    }
  };

  async function compareAll(live: Connection): Promise<void> {
    context.wake(live.owner);
    await compareWorker(live);
    for (const runId of live.runs.keys()) await compareRun(live, runId);
  }

  async function compareRun(live: Connection, runId: string): Promise<void> {
    const run = await context.store.of(live.owner).runs.find(runId);
    const leased = live.runs.get(runId);
    if (run === null || leased === undefined) return;
    const isOver = run.epoch > leased.epoch || (run.epoch === leased.epoch && TAKEN_AWAY.has(run.state));
    if (isOver || run.cancelRequestedAt !== null) requestCancel(context, live, { runId, epoch: leased.epoch });
    if (isOver) connections.release(live, runId);
  }

  async function compareWorker(live: Connection): Promise<void> {
    const { workers } = context.store.of(live.owner);
    const worker = await workers.find(live.worker.id);
    const present = await workers.connectionOf(live.worker.id);
    if (connections.find(live.owner, live.worker.id) !== live) return;
    if (worker === null) return live.link.close(WORKER_CLOSES.deleted, "the worker was deleted");
    if (present !== null && present.id !== live.connectionId)
      return live.link.close(WORKER_CLOSES.replaced, whyReplaced(live, present.process));
    const { enabled } = worker;
    const isTurned = live.worker.enabled !== enabled;
    live.worker = worker;
    if (isTurned) live.link.command({ t: "enable", enabled }, context.timers.now());
    if (isTurned && enabled) context.wake(live.owner);
  }
}

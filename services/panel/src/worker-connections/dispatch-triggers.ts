/** What was changed elsewhere, by the API or by another node, is told to the workers of this node that it concerns. */
import { WORKER_CLOSES } from "@triptych/contracts";
import type { Hint } from "../domain/repositories.ts";
import type { Live } from "./connection-registry.ts";
import { whyReplaced } from "./handshake.ts";
import { tellToStop, type Room } from "./channel-context.ts";

/** States that a run of a worker gets into by somebody else: it is to stop. What it reported itself it knows. */
const TAKEN_AWAY: ReadonlySet<string> = new Set(["queued", "cancelled", "lost", "expired"]);

export function followHints(room: Room): (hint: Hint | null) => void {
  const { crew, onTrouble } = room;
  const inTrouble = (error: unknown) => onTrouble(error, "a change could not be followed");
  return (hint) => {
    if (hint === null) {
      for (const live of crew.all) compareAll(live).catch(inTrouble);
      return;
    }
    // A repo that is no longer paused lets its runs go.
    if (hint.type === "repo") room.wake(hint.owner);
    if (hint.type === "run") {
      room.wake(hint.owner);
      const live = crew.holderOf(hint.id);
      if (live !== null) compareRun(live, hint.id).catch(inTrouble);
    }
    if (hint.type === "worker") {
      const live = crew.find(hint.owner, hint.id);
      if (live !== null) compareWorker(live).catch(inTrouble);
    }
  };

  async function compareAll(live: Live): Promise<void> {
    room.wake(live.owner);
    await compareWorker(live);
    for (const runId of live.runs.keys()) await compareRun(live, runId);
  }

  async function compareRun(live: Live, runId: string): Promise<void> {
    const run = await room.store.of(live.owner).runs.find(runId);
    const held = live.runs.get(runId);
    if (run === null || held === undefined) return;
    const isOver = run.epoch > held.epoch || (run.epoch === held.epoch && TAKEN_AWAY.has(run.state));
    if (isOver || run.cancelRequestedAt !== null) tellToStop(room, live, { runId, epoch: held.epoch });
    if (isOver) crew.release(live, runId);
  }

  async function compareWorker(live: Live): Promise<void> {
    const { workers } = room.store.of(live.owner);
    const worker = await workers.find(live.worker.id);
    const present = await workers.connectionOf(live.worker.id);
    if (crew.find(live.owner, live.worker.id) !== live) return;
    if (worker === null) return live.link.close(WORKER_CLOSES.deleted, "the worker was deleted");
    if (present !== null && present.id !== live.connectionId)
      return live.link.close(WORKER_CLOSES.replaced, whyReplaced(live, present.process));
    const { enabled } = worker;
    const isTurned = live.worker.enabled !== enabled;
    live.worker = worker;
    if (isTurned) live.link.command({ t: "enable", enabled }, room.timers.now());
    if (isTurned && enabled) room.wake(live.owner);
  }
}

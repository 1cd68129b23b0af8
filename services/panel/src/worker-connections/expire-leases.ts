/**
 * Once a second: what time has done to runs. Leases that are over, offers that nobody answered, wishes to cancel that nobody
 * confirmed, runs beyond their own time. Each is looked at again inside its change, so two nodes that sweep at once do it once.
 */
import { lapseOf } from "../domain/leases.ts";
import { CANCELLED, giveBack, moveRun } from "../domain/create-run.ts";
import type { Books } from "../domain/repositories.ts";
import type { RunRecord } from "../domain/records.ts";
import { isHeld } from "../domain/run-states.ts";
import type { RunPlace } from "../domain/worker-repositories.ts";
import type { Live, LiveRun } from "./connection-registry.ts";
import { REST_MS } from "./dispatch.ts";
import { tellToStop, type Room } from "./channel-context.ts";

const AT_ONCE = 500;
/** A look a second: a wish is done within ten seconds of being accepted. */
const CANCEL_WITHIN_MS = 9_000;
const ACCEPT_WITHIN_MS = 5_000;
/** The worker ends a run at its deadline and has this long to say so. */
const DEADLINE_GRACE_MS = 30_000;

export async function sweepRuns(room: Room, now: number): Promise<void> {
  const { fleet } = room.store;
  // Before leases: what was to be cancelled is not to be queued again.
  for (const asked of await fleet.cancelsAsked(AT_ONCE)) {
    const live = room.crew.find(asked.owner, asked.workerId);
    const held = live?.runs.get(asked.id);
    if (live !== null && held !== undefined) tellToStop(room, live, { runId: asked.id, epoch: held.epoch });
    if (asked.isConnected && now - asked.askedAt < CANCEL_WITHIN_MS) continue;
    await changeRun(room, asked, async (books, run) => {
      if (run.cancelRequestedAt === null || !isHeld(run.state)) return;
      await moveRun(books, run, "cancelled", { at: now, result: CANCELLED });
    });
  }
  for (const place of await fleet.lapsed(now, AT_ONCE)) {
    await changeRun(room, place, async (books, run) => {
      if (await lapse(books, run, now)) room.metrics.leaseLost("lapsed");
    });
  }
}

/** Of the runs that workers of this node hold. */
export async function sweepHeld(room: Room, now: number): Promise<void> {
  for (const live of room.crew.all)
    for (const [runId, held] of live.runs) {
      if (held.offeredAt !== null && now - held.offeredAt >= ACCEPT_WITHIN_MS)
        await takeBackOffer(room, live, { runId, held, now });
      else if (now - held.deadline >= DEADLINE_GRACE_MS) await endAtDeadline(room, live, { runId, held, now });
    }
}

interface Looked {
  readonly runId: string;
  readonly held: LiveRun;
  readonly now: number;
}

/** False where its lease lasts. */
export async function lapse(books: Books, run: RunRecord, now: number): Promise<boolean> {
  const lapsed = lapseOf(run, now);
  if (lapsed === null) return false;
  const { event, notBefore } = lapsed;
  if (run.cancelRequestedAt !== null) await moveRun(books, run, "cancelled", { at: now, result: CANCELLED });
  else if (event === "lapsed") await moveRun(books, run, event, { at: now, notBefore });
  else await moveRun(books, run, event, { at: now, result: { code: "worker_lost", message: LOST } });
  return true;
}

const LOST = "Its workers went silent, as often as a run is tried.";

async function takeBackOffer(room: Room, live: Live, { runId, held, now }: Looked): Promise<void> {
  live.restsUntil = now + REST_MS;
  tellToStop(room, live, { runId, epoch: held.epoch });
  room.crew.release(live, runId);
  await returnOffer(room, { owner: live.owner, id: runId }, { epoch: held.epoch, now });
}

/** Nobody took it: it goes back without an attempt counted. */
export async function returnOffer(
  room: Room,
  place: RunPlace,
  { epoch, now }: { readonly epoch: number; readonly now: number },
): Promise<void> {
  await changeRun(room, place, async (books, run) => {
    if (run.state !== "leased" || run.epoch !== epoch) return;
    room.metrics.leaseLost("silent");
    await giveBack(books, run, now);
  });
}

async function endAtDeadline(room: Room, live: Live, { runId, held, now }: Looked): Promise<void> {
  tellToStop(room, live, { runId, epoch: held.epoch });
  room.crew.release(live, runId);
  await changeRun(room, { owner: live.owner, id: runId }, async (books, run) => {
    if (!isHeld(run.state) || run.epoch !== held.epoch) return;
    room.metrics.leaseLost("deadline");
    const { timeout_s } = run.order.settings.limits;
    const message = `It took longer than ${timeout_s} s, and its worker did not end it.`;
    await moveRun(books, run, "failed", { at: now, result: { code: "timeout", message } });
  });
}

/** One run that cannot be dealt with does not hold up the others. */
async function changeRun(
  { store, onTrouble }: Room,
  { owner, id }: RunPlace,
  work: (books: Books, run: RunRecord) => Promise<unknown>,
): Promise<void> {
  try {
    await store.change(owner, async (books) => {
      const run = await books.runs.find(id);
      if (run !== null) await work(books, run);
    });
  } catch (error) {
    onTrouble(error, "a run could not be swept; it is tried again within a second");
  }
}

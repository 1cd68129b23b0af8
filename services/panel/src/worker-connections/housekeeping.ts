/** What is done once a second for everybody at once, instead of a timer for each worker. */
import { WORKER_CLOSES } from "@triptych/contracts";
import { FORGOTTEN_AFTER_MS } from "../domain/workers.ts";
import { figuresOf, type Live } from "./connection-registry.ts";
import { dispatchChecks } from "./dispatch-checks.ts";
import type { Presence } from "./worker-registry.ts";
import type { Room } from "./channel-context.ts";
import type { Session } from "./session.ts";
import { sweepHeld, sweepRuns } from "./expire-leases.ts";

const HELLO_WITHIN_MS = 5_000;
const NOTED_EVERY_MS = 10_000;
/** So many figures of workers are written at once: whoever else writes need not wait for more. */
const NOTED_AT_ONCE = 50;
const NOTED_A_LOOK = 1_000;
const TIDIED_EVERY_MS = 600_000;
const ERRANDS_KEPT_MS = 120_000;

/** At the sockets: who is silent, who has not said hello, who has not read for too long. */
export function lookAtLinks(sessions: Iterable<Session>, now: number): void {
  for (const { link, isGreeted, openedAt } of sessions) {
    if (!isGreeted && now - openedAt >= HELLO_WITHIN_MS) link.close(WORKER_CLOSES.noHello, "no hello within 5 s");
    const fate = link.look(now);
    if (fate === "silent") link.cut();
    else if (fate === "full") link.close(WORKER_CLOSES.outboxFull, "the outbox was full for 30 s");
  }
}

export interface Around {
  /** Looks; asked while a look is under way, it looks once more after it. */
  look(now: number): void;
  stop(): Promise<void>;
}

export function createAround(room: Room, presence: Presence): Around {
  const { store, crew, onTrouble } = room;
  let looking: Promise<void> | null = null;
  let askedAt: number | null = null;
  let tidiedAt = -Infinity;
  return {
    look(now) {
      askedAt = now;
      looking ??= lookOn();
    },
    async stop() {
      askedAt = null;
      await looking;
    },
  };

  async function lookOn(): Promise<void> {
    for (let now = askedAt; now !== null; now = askedAt) {
      askedAt = null;
      await lookOnce(now).catch((error: unknown) => onTrouble(error, "the look of this second failed"));
    }
    looking = null;
  }

  async function lookOnce(now: number): Promise<void> {
    await sweepHeld(room, now);
    await sweepRuns(room, now);
    for (const owner of await store.fleet.ownersWaiting(now)) room.wake(owner);
    await dispatchChecks(room, now);
    for (const owner of await store.fleet.suspendedOwners())
      for (const { link } of crew.of(owner).values()) link.close(WORKER_CLOSES.forbidden, "the account is suspended");
    for (const live of crew.all) presence.probeWhenDue(live, now);
    await noteFigures(now);
    if (now - tidiedAt < TIDIED_EVERY_MS) return;
    tidiedAt = now;
    await store.fleet.forget(now - FORGOTTEN_AFTER_MS);
    await store.fleet.removeErrands(now - ERRANDS_KEPT_MS);
  }

  async function noteFigures(now: number): Promise<void> {
    const due: Live[] = [];
    for (const live of crew.all) {
      if (due.length === NOTED_A_LOOK) break;
      if (now - live.notedAt >= NOTED_EVERY_MS) due.push(live);
    }
    for (const live of due) live.notedAt = now;
    for (let at = 0; at < due.length; at += NOTED_AT_ONCE) {
      const some = due.slice(at, at + NOTED_AT_ONCE);
      await store.fleet.see(some.map((live) => ({ owner: live.owner, workerId: live.worker.id, ...figuresOf(live) })));
    }
  }
}

/**
 * This process among others on one store. Each says every two seconds that it is there; one that was silent for ten is buried by whoever
 * notices first: its connections go, its workers get 45 s to come back elsewhere, and what it had in hand is free. Who was buried by mistake finds out with its
 * next beat, and registers its connections anew.
 */
import { WORKER_CLOSES } from "@triptych/contracts";
import { every } from "../timers.ts";
import { connectionOf, type Live } from "./connection-registry.ts";
import { whyReplaced } from "./handshake.ts";
import type { Room } from "./channel-context.ts";

const BEAT_EVERY_MS = 2_000;
const DEAD_AFTER_MS = 10_000;
const GRACE_MS = 45_000;

/** What a node that died had on its way to a forge has arrived by then. */
const ARRIVED_MS = 2_000;

function untilOf(now: number) {
  return { leases: now + GRACE_MS, effects: now + ARRIVED_MS };
}

export interface Nodes {
  stop(): Promise<void>;
}

/** Where nobody else can be, connections of before this start are all that is left of another. */
export async function joinNodes(room: Room): Promise<Nodes> {
  const { store, timers, node, onTrouble } = room;
  const { fleet } = store;
  const start = timers.now();
  await fleet.graceLeases(start + GRACE_MS);
  const known = await fleet.nodes();
  if (!fleet.isShared) for (const { id } of known) await fleet.bury(id, untilOf(start));
  await fleet.beat(node, start);
  if (!fleet.isShared) return { stop: () => fleet.bury(node, { leases: 0, effects: 0 }) };

  let beating: Promise<void> = Promise.resolve();
  const stopTimer = every(timers, BEAT_EVERY_MS, () => {
    beating = beat().catch((error: unknown) => onTrouble(error, "this node could not say that it is there"));
  });
  return {
    async stop() {
      stopTimer();
      await beating;
      // What it has in hand it brings to its end.
      await fleet.bury(node, { ...untilOf(timers.now()), effects: Number.MAX_SAFE_INTEGER });
    },
  };

  async function beat(): Promise<void> {
    const now = timers.now();
    const wasThere = await fleet.beat(node, now);
    if (!wasThere) for (const live of room.crew.all) await registerAnew(live);
    for (const { id, beatAt } of await fleet.nodes())
      if (id !== node && now - beatAt >= DEAD_AFTER_MS) await fleet.bury(id, untilOf(now));
  }

  async function registerAnew(live: Live): Promise<void> {
    await store.change(live.owner, async ({ workers }) => {
      const present = await workers.connectionOf(live.worker.id);
      if (present === null) return workers.connect(connectionOf(live, node));
      // It went elsewhere meanwhile: that is the newer one.
      if (present.id !== live.connectionId) live.link.close(WORKER_CLOSES.replaced, whyReplaced(live, present.process));
    });
  }
}

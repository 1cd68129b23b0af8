/**
 * This process among others on one store. Each says every two seconds that it is there; one that was silent for ten is buried by whoever
 * notices first: its connections go, its workers get 45 s to come back elsewhere, and what it had in hand is free. Who was buried by mistake finds out with its
 * next beat, and registers its connections anew.
 */
import { WORKER_CLOSES } from "@triptych/contracts";
import { every } from "../timers.ts";
import { connectionOf, type Connection } from "./connection-registry.ts";
import { whyReplaced } from "./handshake.ts";
import type { ChannelContext } from "./channel-context.ts";

const HEARTBEAT_INTERVAL_MS = 2_000;
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
export async function joinNodes(context: ChannelContext): Promise<Nodes> {
  const { store, timers, node, onError } = context;
  const { fleet } = store;
  const start = timers.now();
  await fleet.graceLeases(start + GRACE_MS);
  const registered = await fleet.nodes();
  if (!fleet.isShared) for (const { id } of registered) await fleet.removeNode(id, untilOf(start));
  await fleet.heartbeat(node, start);
  if (!fleet.isShared) return { stop: () => fleet.removeNode(node, { leases: 0, effects: 0 }) };

  let beating: Promise<void> = Promise.resolve();
  const stopTimer = every(timers, HEARTBEAT_INTERVAL_MS, () => {
    beating = heartbeat().catch((error: unknown) => onError(error, "this node could not say that it is there"));
  });
  return {
    async stop() {
      stopTimer();
      await beating;
      // What it has in hand it brings to its end.
      await fleet.removeNode(node, { ...untilOf(timers.now()), effects: Number.MAX_SAFE_INTEGER });
    },
  };

  async function heartbeat(): Promise<void> {
    const now = timers.now();
    const wasThere = await fleet.heartbeat(node, now);
    if (!wasThere) for (const live of context.connections.all) await registerAnew(live);
    for (const { id, heartbeatAt } of await fleet.nodes())
      if (id !== node && now - heartbeatAt >= DEAD_AFTER_MS) await fleet.removeNode(id, untilOf(now));
  }

  async function registerAnew(live: Connection): Promise<void> {
    await store.change(live.owner, async ({ workers }) => {
      const present = await workers.connectionOf(live.worker.id);
      if (present === null) return workers.connect(connectionOf(live, node));
      // It went elsewhere meanwhile: that is the newer one.
      if (present.id !== live.connectionId) live.link.close(WORKER_CLOSES.replaced, whyReplaced(live, present.process));
    });
  }
}

/**
 * Membership of this process in the cluster that shares a store. Each node writes a heartbeat every two seconds. The first node that sees
 * ten seconds of silence removes the silent one: its workers get 45 s to reconnect elsewhere and its effects are released. A node removed
 * by mistake notices at its next heartbeat and registers its connections again.
 */
import { WORKER_CLOSES } from "@triptych/contracts";
import { every } from "../timers.ts";
import { connectionOf, type Connection } from "./connection-registry.ts";
import { whyReplaced } from "./handshake.ts";
import type { ChannelContext } from "./channel-context.ts";

const HEARTBEAT_INTERVAL_MS = 2_000;
const DEAD_AFTER_MS = 10_000;
const GRACE_MS = 45_000;

/** By then, a forge request of the dead node has completed. */
const REQUEST_GRACE_MS = 2_000;

function graceEnds(now: number) {
  return { leases: now + GRACE_MS, effects: now + REQUEST_GRACE_MS };
}

export interface Nodes {
  stop(): Promise<void>;
}

/** On a single-node store, connections from before this start can only be left over from a crash. */
export async function joinNodes(context: ChannelContext): Promise<Nodes> {
  const { store, timers, node, onError } = context;
  const { fleet } = store;
  const start = timers.now();
  await fleet.graceLeases(start + GRACE_MS);
  const registered = await fleet.nodes();
  if (!fleet.isShared) for (const { id } of registered) await fleet.removeNode(id, graceEnds(start));
  await fleet.heartbeat(node, start);
  if (!fleet.isShared) return { stop: () => fleet.removeNode(node, { leases: 0, effects: 0 }) };

  let beating: Promise<void> = Promise.resolve();
  const stopTimer = every(timers, HEARTBEAT_INTERVAL_MS, () => {
    beating = heartbeat().catch((error: unknown) => onError(error, "heartbeat failed"));
  });
  return {
    async stop() {
      stopTimer();
      await beating;
      // The node finishes its effects itself.
      await fleet.removeNode(node, { ...graceEnds(timers.now()), effects: Number.MAX_SAFE_INTEGER });
    },
  };

  async function heartbeat(): Promise<void> {
    const now = timers.now();
    const wasRegistered = await fleet.heartbeat(node, now);
    if (!wasRegistered) for (const connection of context.connections.all) await reregister(connection);
    for (const { id, heartbeatAt } of await fleet.nodes())
      if (id !== node && now - heartbeatAt >= DEAD_AFTER_MS) await fleet.removeNode(id, graceEnds(now));
  }

  async function reregister(connection: Connection): Promise<void> {
    await store.change(connection.owner, async ({ workers }) => {
      const present = await workers.connectionOf(connection.worker.id);
      if (present === null) return workers.connect(connectionOf(connection, node));
      // The worker has reconnected elsewhere in the meantime; the newer connection wins.
      if (present.id !== connection.connectionId)
        connection.link.close(WORKER_CLOSES.replaced, whyReplaced(connection, present.process));
    });
  }
}

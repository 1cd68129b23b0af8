/**
 * Sends a new license key to the connected workers of an account whose outbox has room (section 11). This node counts its own workers
 * immediately and adds the counts that other nodes send in time. Nodes exchange ids only and read the key from the store.
 */
import type { Rotation } from "../domain/panel.ts";
import type { NodeMessage } from "../domain/worker-repositories.ts";
import type { WorkerConnection } from "./link.ts";
import type { ChannelContext } from "./channel-context.ts";

/**
 * Tokens for the next start of this process's embedded workers, in memory only. A worker that missed the broadcast keeps its current key.
 */
export interface AgentTokens {
  get(workerId: string): AgentToken | null;
}

export interface AgentToken {
  readonly worker_id: string;
  readonly agent_token: string;
  readonly generation: number;
}

export interface Broadcast {
  readonly tokens: AgentTokens;
  notify(rotation: Rotation): Promise<number>;
  /** Handles a message of any node, this one included. */
  handle(message: NodeMessage): void;
}

export function createBroadcast(context: ChannelContext): Broadcast {
  const { store, connections, timers, node, newId, metrics, onError, broadcastWaitMs } = context;
  const tokens = new Map<string, AgentToken>();
  const counting = new Map<string, (node: string, count: number) => void>();

  return {
    tokens: { get: (workerId) => tokens.get(workerId) ?? null },
    async notify(rotation) {
      const ownCount = notifyLocalWorkers(rotation);
      if (!store.fleet.isShared || broadcastWaitMs === 0) {
        if (store.fleet.isShared) void askOthers(rotation.owner, newId("ask")).catch(reportError);
        return ownCount;
      }
      return ownCount + (await countOthers(rotation.owner).catch(reportError));
    },
    handle(message) {
      if (message.kind === "told") counting.get(message.ask)?.(message.node, message.count);
      if (message.kind === "rotated" && message.node !== node) void answer(message).catch(reportError);
    },
  };

  function reportError(error: unknown): number {
    onError(error, "broadcasting a key rotation to other nodes failed");
    return 0;
  }

  function notifyLocalWorkers({ owner, licenseKey, generation, rotatedAt }: Rotation): number {
    const now = timers.now();
    const frame = {
      t: "token_rotated",
      license_key: licenseKey,
      generation,
      rotated_at: new Date(rotatedAt).toISOString(),
    } as const;
    const notified: string[] = [];
    const links: WorkerConnection[] = [];
    for (const connection of connections.of(owner).values()) {
      if (connection.link.take(frame, now) === null) {
        metrics.outboxFull();
        continue;
      }
      const { id } = connection.worker;
      notified.push(id);
      links.push(connection.link);
      // Two concurrent rotations may broadcast out of order: the higher generation wins here, as in the workers.
      if (connection.keyGeneration > generation) continue;
      connection.keyGeneration = generation;
      tokens.set(id, { worker_id: id, agent_token: licenseKey, generation });
    }
    flushInBatches(links);
    metrics.notified(notified.length);
    // Other nodes read the key generation there; not awaited.
    if (!store.fleet.isShared) return notified.length;
    store.fleet
      .noteKey({ owner, generation, workerIds: notified })
      .catch((error: unknown) => onError(error, "storing the key generation of workers failed"));
    return notified.length;
  }

  async function askOthers(owner: string, ask: string): Promise<void> {
    await store.fleet.notifyNodes({ kind: "rotated", ask, owner, node });
  }

  async function countOthers(owner: string): Promise<number> {
    const ask = newId("ask");
    const others = new Set((await store.fleet.nodes()).map(({ id }) => id).filter((id) => id !== node));
    if (others.size === 0) return 0;
    const done = Promise.withResolvers<void>();
    const stop = timers.after(broadcastWaitMs, done.resolve);
    let sum = 0;
    counting.set(ask, (from, count) => {
      if (!others.delete(from)) return;
      sum += count;
      if (others.size === 0) done.resolve();
    });
    await askOthers(owner, ask).catch((error: unknown) => {
      done.resolve();
      reportError(error);
    });
    await done.promise;
    stop();
    counting.delete(ask);
    return sum;
  }

  /** Sends the current key: if a later rotation has replaced the requested one, workers need the newer key. */
  async function answer({ ask, owner }: Extract<NodeMessage, { readonly kind: "rotated" }>): Promise<void> {
    if (connections.of(owner).size === 0) return store.fleet.notifyNodes({ kind: "told", ask, node, count: 0 });
    const { sealed, generation, rotatedAt } = await store.of(owner).license.read();
    const licenseKey = context.openKey(sealed, owner);
    const count = notifyLocalWorkers({ owner, licenseKey, generation, rotatedAt: rotatedAt ?? timers.now() });
    await store.fleet.notifyNodes({ kind: "told", ask, node, count });
  }
}

/** About two milliseconds of writing, so that a large account does not block other requests. */
const FLUSH_BATCH_SIZE = 100;

/** Flushes commands that every outbox has already accepted. */
function flushInBatches(links: readonly WorkerConnection[]): void {
  for (const link of links.slice(0, FLUSH_BATCH_SIZE)) link.flush();
  if (links.length > FLUSH_BATCH_SIZE) setImmediate(() => flushInBatches(links.slice(FLUSH_BATCH_SIZE)));
}

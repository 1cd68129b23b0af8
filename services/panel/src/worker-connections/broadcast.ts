/**
 * A new licence key to all workers of an account that have room for it (section 11). The node that answers counts its own at once, asks
 * the others by ids alone, and adds what they say in time: each of them reads the key from the store. Nothing waits for a worker.
 */
import type { Rotation } from "../domain/panel.ts";
import type { NodeMessage } from "../domain/worker-repositories.ts";
import type { WorkerConnection } from "./link.ts";
import type { ChannelContext } from "./channel-context.ts";

/**
 * What the supervisor of this process's own workers gives their next start: kept in memory only. A worker that was not told keeps
 * the key it has.
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
  /** Of another node, or of this one. */
  handle(message: NodeMessage): void;
}

export function createBroadcast(context: ChannelContext): Broadcast {
  const { store, connections, timers, node, newId, metrics, onError, broadcastWaitMs } = context;
  const tokens = new Map<string, AgentToken>();
  const counting = new Map<string, (node: string, count: number) => void>();

  return {
    tokens: { get: (workerId) => tokens.get(workerId) ?? null },
    async notify(rotation) {
      const ownCount = notifyOwn(rotation);
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
    onError(error, "other nodes could not be asked to tell their workers of a new key");
    return 0;
  }

  function notifyOwn({ owner, licenseKey, generation, rotatedAt }: Rotation): number {
    const now = timers.now();
    const frame = {
      t: "token_rotated",
      license_key: licenseKey,
      generation,
      rotated_at: new Date(rotatedAt).toISOString(),
    } as const;
    const notified: string[] = [];
    const links: WorkerConnection[] = [];
    for (const live of connections.of(owner).values()) {
      if (live.link.take(frame, now) === null) {
        metrics.outboxFull();
        continue;
      }
      const { id } = live.worker;
      notified.push(id);
      links.push(live.link);
      // Two rotations at once may tell in the other order: workers ignore the lower one, and so does this.
      if (live.keyGeneration > generation) continue;
      live.keyGeneration = generation;
      tokens.set(id, { worker_id: id, agent_token: licenseKey, generation });
    }
    flushInBatches(links);
    metrics.notified(notified.length);
    // Other nodes read there what the status says of our workers; nobody waits for it.
    if (!store.fleet.isShared) return notified.length;
    store.fleet
      .noteKey({ owner, generation, workerIds: notified })
      .catch((error: unknown) => onError(error, "who has the new key could not be noted"));
    return notified.length;
  }

  async function askOthers(owner: string, ask: string): Promise<void> {
    await store.fleet.say({ kind: "rotated", ask, owner, node });
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

  /** The key of this moment: a later rotation than the one asked about is the better one to tell. */
  async function answer({ ask, owner }: Extract<NodeMessage, { readonly kind: "rotated" }>): Promise<void> {
    if (connections.of(owner).size === 0) return store.fleet.say({ kind: "told", ask, node, count: 0 });
    const { sealed, generation, rotatedAt } = await store.of(owner).license.read();
    const licenseKey = context.openKey(sealed, owner);
    const count = notifyOwn({ owner, licenseKey, generation, rotatedAt: rotatedAt ?? timers.now() });
    await store.fleet.say({ kind: "told", ask, node, count });
  }
}

/** Two milliseconds of writing: who has thousands of workers keeps nobody else from an answer, nor himself from his own. */
const WRITTEN_AT_ONCE = 100;

/** What every outbox has taken already. */
function flushInBatches(links: readonly WorkerConnection[]): void {
  for (const link of links.slice(0, WRITTEN_AT_ONCE)) link.flush();
  if (links.length > WRITTEN_AT_ONCE) setImmediate(() => flushInBatches(links.slice(WRITTEN_AT_ONCE)));
}

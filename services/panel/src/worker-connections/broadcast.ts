/**
 * A new licence key to all workers of an account that have room for it (section 11). The node that answers counts its own at once, asks
 * the others by ids alone, and adds what they say in time: each of them reads the key from the store. Nothing waits for a worker.
 */
import type { Rotation } from "../domain/panel.ts";
import type { NodeWord } from "../domain/worker-repositories.ts";
import type { Link } from "./link.ts";
import type { Room } from "./channel-context.ts";

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
  tell(rotation: Rotation): Promise<number>;
  /** Of another node, or of this one. */
  hear(word: NodeWord): void;
}

export function createBroadcast(room: Room): Broadcast {
  const { store, crew, timers, node, newId, metrics, onTrouble, broadcastWaitMs } = room;
  const tokens = new Map<string, AgentToken>();
  const counting = new Map<string, (node: string, count: number) => void>();

  return {
    tokens: { get: (workerId) => tokens.get(workerId) ?? null },
    async tell(rotation) {
      const told = tellOwn(rotation);
      if (!store.fleet.isShared || broadcastWaitMs === 0) {
        if (store.fleet.isShared) void askOthers(rotation.owner, newId("ask")).catch(inTrouble);
        return told;
      }
      return told + (await countOthers(rotation.owner).catch(inTrouble));
    },
    hear(word) {
      if (word.kind === "told") counting.get(word.ask)?.(word.node, word.count);
      if (word.kind === "rotated" && word.node !== node) void answer(word).catch(inTrouble);
    },
  };

  function inTrouble(error: unknown): number {
    onTrouble(error, "other nodes could not be asked to tell their workers of a new key");
    return 0;
  }

  function tellOwn({ owner, licenseKey, generation, rotatedAt }: Rotation): number {
    const now = timers.now();
    const frame = {
      t: "token_rotated",
      license_key: licenseKey,
      generation,
      rotated_at: new Date(rotatedAt).toISOString(),
    } as const;
    const told: string[] = [];
    const links: Link[] = [];
    for (const live of crew.of(owner).values()) {
      if (live.link.take(frame, now) === null) {
        metrics.outboxFull();
        continue;
      }
      const { id } = live.worker;
      told.push(id);
      links.push(live.link);
      // Two rotations at once may tell in the other order: workers ignore the lower one, and so does this.
      if (live.keyGeneration > generation) continue;
      live.keyGeneration = generation;
      tokens.set(id, { worker_id: id, agent_token: licenseKey, generation });
    }
    flushInTurns(links);
    metrics.notified(told.length);
    // Other nodes read there what the status says of our workers; nobody waits for it.
    if (!store.fleet.isShared) return told.length;
    store.fleet
      .noteKey({ owner, generation, workerIds: told })
      .catch((error: unknown) => onTrouble(error, "who has the new key could not be noted"));
    return told.length;
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
      inTrouble(error);
    });
    await done.promise;
    stop();
    counting.delete(ask);
    return sum;
  }

  /** The key of this moment: a later rotation than the one asked about is the better one to tell. */
  async function answer({ ask, owner }: Extract<NodeWord, { readonly kind: "rotated" }>): Promise<void> {
    if (crew.of(owner).size === 0) return store.fleet.say({ kind: "told", ask, node, count: 0 });
    const { sealed, generation, rotatedAt } = await store.of(owner).license.read();
    const licenseKey = room.openKey(sealed, owner);
    const count = tellOwn({ owner, licenseKey, generation, rotatedAt: rotatedAt ?? timers.now() });
    await store.fleet.say({ kind: "told", ask, node, count });
  }
}

/** Two milliseconds of writing: who has thousands of workers keeps nobody else from an answer, nor himself from his own. */
const WRITTEN_AT_ONCE = 100;

/** What every outbox has taken already. */
function flushInTurns(links: readonly Link[]): void {
  for (const link of links.slice(0, WRITTEN_AT_ONCE)) link.flush();
  if (links.length > WRITTEN_AT_ONCE) setImmediate(() => flushInTurns(links.slice(WRITTEN_AT_ONCE)));
}

/**
 * What can only be done on the node that a worker is connected to, asked from any node: the errand is a row, and what nodes say to each
 * other is its id. Where the worker is here, it is done here.
 */
import type { ProbeTarget } from "../domain/panel.ts";
import type { NodeWord } from "../domain/worker-repositories.ts";
import type { ProbeRecord } from "../domain/workers.ts";
import type { Live } from "./connection-registry.ts";
import type { Presence } from "./worker-registry.ts";
import type { Room } from "./channel-context.ts";

export interface Errands {
  probe(owner: string, workerId: string, pair: ProbeTarget): Promise<ProbeRecord | null>;
  refreshModels(owner: string, workerIds: readonly string[], cli: string): Promise<void>;
  hear(word: NodeWord): void;
}

type Asked = ({ readonly kind: "probe" } & ProbeTarget) | { readonly kind: "models"; readonly cli: string };

/** Longer than a worker has for it: then its node is gone, or has lost it. */
const PROBE_WITHIN_MS = 34_000;
const MODELS_WITHIN_MS = 3_000;

export function createErrands(room: Room, presence: Presence): Errands {
  const { store, crew, timers, newId, onTrouble } = room;
  const waiting = new Map<string, () => void>();

  return {
    async probe(owner, workerId, pair) {
      const live = crew.find(owner, workerId);
      if (live !== null) return presence.probe(live, pair);
      const answer = await send(owner, { workerId, asked: { kind: "probe", ...pair }, withinMs: PROBE_WITHIN_MS });
      return (answer ?? null) as ProbeRecord | null;
    },
    async refreshModels(owner, workerIds, cli) {
      await Promise.all(
        workerIds.map(async (workerId) => {
          const live = crew.find(owner, workerId);
          if (live !== null) return presence.askModels(live, cli);
          await send(owner, { workerId, asked: { kind: "models", cli }, withinMs: MODELS_WITHIN_MS });
        }),
      );
    },
    hear(word) {
      if (word.kind === "errand_done") waiting.get(word.id)?.();
      if (word.kind === "errand")
        perform(word).catch((error: unknown) => onTrouble(error, "what another node asked for could not be done"));
    },
  };

  /** Undefined where nobody did it in time. */
  async function send(
    owner: string,
    { workerId, asked, withinMs }: { readonly workerId: string; readonly asked: Asked; readonly withinMs: number },
  ): Promise<unknown> {
    if (!store.fleet.isShared) return undefined;
    const [id, at] = [newId("ern"), timers.now()];
    await store.change(owner, ({ workers }) => workers.addErrand({ id, workerId, asked, answer: undefined, at }));
    const done = new Promise<void>((resolve) => {
      const stop = timers.after(withinMs, resolve);
      waiting.set(id, () => {
        stop();
        resolve();
      });
    });
    await store.fleet.say({ kind: "errand", id, owner });
    await done;
    waiting.delete(id);
    return (await store.of(owner).workers.findErrand(id))?.answer;
  }

  async function perform({ id, owner }: { readonly id: string; readonly owner: string }): Promise<void> {
    if (crew.of(owner).size === 0) return;
    const errand = await store.of(owner).workers.findErrand(id);
    const live = errand === null ? null : crew.find(owner, errand.workerId);
    if (errand === null || live === null) return;
    // Written by `send`, of this or of another node of the same program.
    const answer = await answerOf(live, errand.asked as Asked);
    await store.change(owner, ({ workers }) => workers.answerErrand(id, answer));
    await store.fleet.say({ kind: "errand_done", id, owner });
  }

  async function answerOf(live: Live, asked: Asked): Promise<unknown> {
    if (asked.kind === "probe") return presence.probe(live, { cli: asked.cli, model: asked.model });
    await presence.askModels(live, asked.cli);
    return null;
  }
}

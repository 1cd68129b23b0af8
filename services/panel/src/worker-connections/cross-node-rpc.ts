/**
 * Calls that only the node of a worker's connection can run, available from any node. The call is stored as a row and nodes exchange only
 * its id. A call to a local worker runs directly.
 */
import type { ProbeTarget } from "../domain/panel.ts";
import type { NodeMessage } from "../domain/worker-repositories.ts";
import type { ProbeRecord } from "../domain/workers.ts";
import type { Connection } from "./connection-registry.ts";
import type { Presence } from "./worker-registry.ts";
import type { ChannelContext } from "./channel-context.ts";

export interface CrossNodeCalls {
  probe(owner: string, workerId: string, pair: ProbeTarget): Promise<ProbeRecord | null>;
  refreshModels(owner: string, workerIds: readonly string[], cli: string): Promise<void>;
  handle(message: NodeMessage): void;
}

type CallRequest = ({ readonly kind: "probe" } & ProbeTarget) | { readonly kind: "models"; readonly cli: string };

/** Longer than the worker's own timeout: after this, the worker's node has crashed or lost the call. */
const PROBE_TIMEOUT_MS = 34_000;
const MODELS_TIMEOUT_MS = 3_000;

export function createCrossNodeCalls(context: ChannelContext, presence: Presence): CrossNodeCalls {
  const { store, connections, timers, newId, onError } = context;
  const waiting = new Map<string, () => void>();

  return {
    async probe(owner, workerId, pair) {
      const connection = connections.find(owner, workerId);
      if (connection !== null) return presence.probe(connection, pair);
      const answer = await send(owner, { workerId, request: { kind: "probe", ...pair }, withinMs: PROBE_TIMEOUT_MS });
      return (answer ?? null) as ProbeRecord | null;
    },
    async refreshModels(owner, workerIds, cli) {
      await Promise.all(
        workerIds.map(async (workerId) => {
          const connection = connections.find(owner, workerId);
          if (connection !== null) return presence.askModels(connection, cli);
          await send(owner, { workerId, request: { kind: "models", cli }, withinMs: MODELS_TIMEOUT_MS });
        }),
      );
    },
    handle(message) {
      if (message.kind === "errand_done") waiting.get(message.id)?.();
      if (message.kind === "errand")
        perform(message).catch((error: unknown) => onError(error, "cross-node request failed"));
    },
  };

  async function send(
    owner: string,
    {
      workerId,
      request,
      withinMs,
    }: { readonly workerId: string; readonly request: CallRequest; readonly withinMs: number },
  ): Promise<unknown> {
    if (!store.fleet.isShared) return undefined;
    const [id, at] = [newId("ern"), timers.now()];
    await store.change(owner, ({ workers }) =>
      workers.addCrossNodeCall({ id, workerId, request, answer: undefined, at }),
    );
    const done = new Promise<void>((resolve) => {
      const stop = timers.after(withinMs, resolve);
      waiting.set(id, () => {
        stop();
        resolve();
      });
    });
    await store.fleet.notifyNodes({ kind: "errand", id, owner });
    await done;
    waiting.delete(id);
    return (await store.of(owner).workers.findCrossNodeCall(id))?.answer;
  }

  async function perform({ id, owner }: { readonly id: string; readonly owner: string }): Promise<void> {
    if (connections.of(owner).size === 0) return;
    const call = await store.of(owner).workers.findCrossNodeCall(id);
    const connection = call === null ? null : connections.find(owner, call.workerId);
    if (call === null || connection === null) return;
    // Written by `send` of this program, on this node or another.
    const answer = await answerOf(connection, call.request as CallRequest);
    await store.change(owner, ({ workers }) => workers.answerCrossNodeCall(id, answer));
    await store.fleet.notifyNodes({ kind: "errand_done", id, owner });
  }

  async function answerOf(connection: Connection, request: CallRequest): Promise<unknown> {
    if (request.kind === "probe") return presence.probe(connection, { cli: request.cli, model: request.model });
    await presence.askModels(connection, request.cli);
    return null;
  }
}

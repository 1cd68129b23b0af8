/** Probes of worker pairs and queries for an agent's models; stores the replies. */
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { WorkerFrame } from "@triptych/contracts";
import type { ProbeTarget } from "../domain/panel.ts";
import { defaultPairOf, type ProbeErrorCode, type ProbeRecord, type WorkerAgent } from "../domain/workers.ts";
import type { Connection } from "./connection-registry.ts";
import type { ChannelContext } from "./channel-context.ts";
import type { CommandFrame } from "./link.ts";
import type { Timers } from "../timers.ts";

const PROBE_S = 30;
/** The worker's own timeout ends before ours. */
const PROBE_TIMEOUT_MS = PROBE_S * 1000 + 2_000;
const MODELS_TIMEOUT_MS = 3_000;
const PROBED_EVERY_MS = 6 * 3_600_000;

const probeError = Type.Object({ code: Type.String({ maxLength: 60 }), message: Type.String() });
const probed = Compile(
  Type.Object({
    ok: Type.Boolean(),
    latency_ms: Type.Integer({ minimum: 0 }),
    error: Type.Optional(Type.Union([probeError, Type.Null()])),
  }),
);
const models = Compile(
  Type.Object({ models: Type.Array(Type.Object({ id: Type.String({ maxLength: 200 }) }), { maxItems: 1_000 }) }),
);

export interface Presence {
  probe(connection: Connection, pair: ProbeTarget): Promise<ProbeRecord>;
  askModels(connection: Connection, cli: string): Promise<void>;
  /** Probes the default pair of an idle worker at connect and every six hours. */
  probeWhenDue(connection: Connection, now: number): void;
}

export function createPresence({ store, timers, onError }: ChannelContext, asks: PendingReplies): Presence {
  /** Identical probes in progress share one result. */
  const probing = new Map<string, Promise<ProbeRecord>>();

  const presence: Presence = {
    probe(connection, pair) {
      const name = `${connection.connectionId} ${pair.cli} ${pair.model}`;
      const shared = probing.get(name) ?? probeNow(connection, pair).finally(() => probing.delete(name));
      probing.set(name, shared);
      return shared;
    },
    async askModels(connection, cli) {
      const reply = await asks.ask(connection, { t: "models", cli }, MODELS_TIMEOUT_MS);
      if (reply?.ok !== true || !models.Check(reply.data)) return;
      connection.modelsAt.set(cli, timers.now());
      const modelIds = reply.data.models.map(({ id }) => id);
      await store.change(connection.owner, async ({ workers }) => {
        const worker = await workers.find(connection.worker.id);
        if (worker === null) return;
        const agents = worker.agents.map((agent): WorkerAgent =>
          agent.cli === cli ? { ...agent, models: modelIds } : agent,
        );
        await workers.save({ ...worker, agents });
      });
    },
    probeWhenDue(connection, now) {
      const pair = defaultPairOf(connection.worker.agents);
      if (
        pair === null ||
        !connection.worker.enabled ||
        connection.runs.size > 0 ||
        now - connection.probedAt < PROBED_EVERY_MS
      )
        return;
      connection.probedAt = now;
      const target = { cli: pair.cli, model: pair.model ?? "" };
      probeUnlessRecent(connection, target, now).catch((error: unknown) => onError(error, "probing a worker failed"));
    },
  };
  return presence;

  /** Skips a recent probe when a worker reconnects: each probe is a paid prompt. */
  async function probeUnlessRecent(connection: Connection, pair: ProbeTarget, now: number): Promise<void> {
    const last = (await store.of(connection.owner).workers.probes(connection.worker.id)).find(
      ({ cli, model }) => cli === pair.cli && model === pair.model,
    );
    connection.lastProbe = last ?? null;
    if (last === undefined || now - last.checkedAt >= PROBED_EVERY_MS) await presence.probe(connection, pair);
    else connection.probedAt = last.checkedAt;
  }

  async function probeNow(connection: Connection, pair: ProbeTarget): Promise<ProbeRecord> {
    const startedAt = timers.now();
    const reply = await asks.ask(connection, { t: "probe", ...pair, timeout_s: PROBE_S }, PROBE_TIMEOUT_MS);
    const [workerId, checkedAt] = [connection.worker.id, timers.now()];
    const record = { workerId, ...pair, checkedAt, ...resultOf(reply, checkedAt - startedAt) };
    const own = defaultPairOf(connection.worker.agents);
    if (own?.cli === pair.cli && (own.model ?? "") === pair.model) connection.lastProbe = record;
    await store.change(connection.owner, async ({ workers }) => {
      if ((await workers.find(workerId)) !== null) await workers.keepProbe(record);
    });
    return record;
  }
}

function resultOf(reply: Reply | null, waitedMs: number): Pick<ProbeRecord, "ok" | "latencyMs" | "error"> {
  if (reply === null) return failed("timeout", "The worker did not respond in time.", waitedMs);
  if (!reply.ok) return failed(codeOf(reply.error.code), reply.error.message, waitedMs);
  if (!probed.Check(reply.data)) return failed("network", "The worker sent an invalid response.", waitedMs);
  const { ok, latency_ms: latencyMs, error } = reply.data;
  if (ok) return { ok, latencyMs, error: null };
  return failed(codeOf(error?.code), error?.message ?? "", latencyMs);
}

function failed(
  code: ProbeErrorCode,
  message: string,
  latencyMs: number,
): Pick<ProbeRecord, "ok" | "latencyMs" | "error"> {
  return { ok: false, latencyMs, error: { code, message: message.slice(0, 1_000) } };
}

const CODES: readonly ProbeErrorCode[] = [
  "timeout",
  "auth",
  "model_not_found",
  "network",
  "cli_missing",
  "rate_limited",
];

/** Maps unknown error codes of a worker to a transport error. */
function codeOf(code: string | undefined): ProbeErrorCode {
  return CODES.find((listed) => listed === code) ?? "network";
}

export type Reply = Extract<WorkerFrame, { readonly t: "reply" }>;

export interface PendingReplies {
  ask(connection: Connection, frame: CommandFrame, withinMs: number): Promise<Reply | null>;
  replied(connection: Connection, reply: Reply): void;
  left(connection: Connection): void;
}

interface Open {
  readonly connection: Connection;
  readonly answer: (reply: Reply | null) => void;
}

export function createAsks(timers: Timers): PendingReplies {
  const open = new Map<string, Open>();
  const nameOf = ({ connectionId }: Connection, cid: string) => `${connectionId} ${cid}`;
  return {
    ask(connection, frame, withinMs) {
      const cid = connection.link.command(frame, timers.now());
      if (cid === null) return Promise.resolve(null);
      const name = nameOf(connection, cid);
      return new Promise((resolve) => {
        const stop = timers.after(withinMs, () => answer(null));
        const answer = (reply: Reply | null) => {
          stop();
          open.delete(name);
          resolve(reply);
        };
        open.set(name, { connection, answer });
      });
    },
    replied: (connection, reply) => open.get(nameOf(connection, reply.cid))?.answer(reply),
    left(gone) {
      for (const { connection, answer } of open.values()) if (connection === gone) answer(null);
    },
  };
}

/** Workers as their owner sees them, and what is done with them. */
import { WORKER_SUBPROTOCOL, type IsolationLevel, type ProbeResult, type Worker } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import type { Answering, CarefulHandler } from "@triptych/server";
import { isBelow } from "../domain/isolation.ts";
import { giveBack } from "../domain/create-run.ts";
import type { Books } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { found, Refusal } from "../domain/domain-error.ts";
import { standingsOf, type WorkerStanding } from "../domain/worker-status.ts";
import { defaultPairOf, OUTBOX_COMMANDS, type ProbeRecord, type WorkerRecord } from "../domain/workers.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { changing, refusing } from "./transactional.ts";
import { timeOf } from "./response-mappers.ts";

/** What comes here was not upgraded: a good key on a plain request. */
export function connectWorkerHandler(): CarefulHandler<typeof contract.connectWorker, Caller> {
  return {
    careful(_exchange, faults) {
      const message = `This is a WebSocket: upgrade with the subprotocol ${WORKER_SUBPROTOCOL}.`;
      faults.add({ path: "header:Upgrade", reason: "required", message });
      faults.refuse();
    },
  };
}

export function workerStatusHandler(panel: Panel): Answering<typeof contract.workerStatus, Caller> {
  return ({ caller }) =>
    refusing(panel, async () => {
      mayRead(caller);
      const [owner, now] = [caller.account.id, panel.now()];
      const books = panel.store.of(owner);
      const seen = { workers: await books.workers.list(), present: panel.workers.present(owner), now };
      const workers = (await standingsOf(books, seen)).map((standing) =>
        workerShape(standing, panel.allows.isolationMin),
      );
      const connected = workers.filter((worker) => worker.connected);
      const { waiting } = await books.queue.look();
      const oldest = Math.min(now, ...waiting.map(({ queuedAt }) => queuedAt));
      const summary = {
        connected: connected.length,
        slots: connected.reduce((sum, { slots }) => sum + slots.total, 0),
        busy: workers.reduce((sum, { slots }) => sum + slots.busy, 0),
        queued: waiting.length,
        oldest_queued_s: Math.floor((now - oldest) / 1000),
      };
      return { workers, summary };
    });
}

const MODELS_KEPT_MS = 600_000;

/** What workers told lately is enough; it is asked for again when it is older than ten minutes, or on demand. */
export function listWorkerModelsHandler(panel: Panel): Answering<typeof contract.listWorkerModels, Caller> {
  return ({ caller, query: { cli, refresh = false } }) =>
    refusing(panel, async () => {
      mayRead(caller);
      const [owner, now] = [caller.account.id, panel.now()];
      const books = panel.store.of(owner);
      const offering = async () => {
        const connected = new Map((await books.workers.connections()).map((one) => [one.workerId, one]));
        const workers = (await books.workers.list()).filter(({ agents }) => agents.some((agent) => agent.cli === cli));
        return workers.flatMap((worker) => {
          const connection = connected.get(worker.id);
          if (connection === undefined) return [];
          const toldAt = panel.workers.present(owner).get(worker.id)?.modelsAt.get(cli) ?? connection.openedAt;
          return [{ worker, toldAt }];
        });
      };
      const known = await offering();
      const old = known.filter(({ toldAt }) => refresh || now - toldAt > MODELS_KEPT_MS);
      const ids = old.map(({ worker }) => worker.id);
      if (ids.length > 0) await panel.workers.refreshModels(owner, ids, cli);
      const told = ids.length > 0 ? await offering() : known;
      return {
        cli,
        models: modelsOf(
          cli,
          told.map(({ worker }) => worker),
        ),
        workers: told.length,
        as_of: timeOf(Math.min(panel.now(), ...told.map(({ toldAt }) => toldAt))),
      };
    });
}

function modelsOf(cli: string, workers: readonly WorkerRecord[]) {
  const byId = new Map<string, { id: string; workers: string[]; source: "cli"; default: boolean }>();
  for (const { id: workerId, agents } of workers)
    for (const [index, id] of (agents.find((agent) => agent.cli === cli)?.models ?? []).entries()) {
      const known = byId.get(id) ?? { id, workers: [], source: "cli", default: false };
      byId.set(id, { ...known, workers: [...known.workers, workerId], default: known.default || index === 0 });
    }
  return [...byId.values()];
}

export function probeWorkerHandler(panel: Panel): Answering<typeof contract.probeWorker, Caller> {
  return ({ caller, body: { cli, model, worker_id } }) =>
    refusing(panel, async (): Promise<ProbeResult> => {
      const owner = caller.account.id;
      const { workers } = panel.store.of(owner);
      const named = worker_id === undefined ? null : found(await workers.find(worker_id), "worker");
      mayWrite(caller);
      const connected = new Set((await workers.connections()).map(({ workerId }) => workerId));
      if (connected.size === 0) throw new Refusal("no_worker_connected", { retryAt: panel.now() + BACK_MS });
      const has = ({ agents }: WorkerRecord) => agents.some((agent) => agent.cli === cli);
      const candidates = named === null ? await workers.list() : [named];
      const chosen = candidates.find((worker) => connected.has(worker.id) && has(worker)) ?? null;
      if (chosen !== null) {
        const record = await panel.workers.probe(owner, chosen.id, { cli, model });
        if (record !== null) return { ...probeShape(record), worker_id: chosen.id };
      }
      const missing = named !== null && has(named) ? NOT_REACHED : NO_AGENT;
      const checked_at = timeOf(panel.now());
      return { cli, model, worker_id: named?.id ?? null, ok: false, latency_ms: 0, error: missing, checked_at };
    });
}

/** The longest that a worker waits before it connects again. */
const BACK_MS = 30_000;

const NO_AGENT = { code: "cli_missing", message: "No connected worker has this agent." } as const;
const NOT_REACHED = { code: "network", message: "The worker is not connected." } as const;

export function updateWorkerHandler(panel: Panel): Answering<typeof contract.updateWorker, Caller> {
  return (exchange) =>
    changing(panel, exchange, async (books) => {
      const { caller, params, body } = exchange;
      const worker = found(await books.workers.find(params.id), "worker");
      mayWrite(caller);
      const changed = { ...worker, enabled: body.enabled };
      await books.workers.save(changed);
      if (!body.enabled && body.drain === false) await releaseRuns(books, worker.id, panel.now());
      const seen = { workers: [changed], present: panel.workers.present(caller.account.id), now: panel.now() };
      const [standing] = await standingsOf(books, seen);
      return { status: 200, body: standing && workerShape(standing, panel.allows.isolationMin) };
    });
}

export function deleteWorkerHandler(panel: Panel): Answering<typeof contract.deleteWorker, Caller> {
  return (exchange) =>
    changing(panel, exchange, async (books) => {
      const { caller, params } = exchange;
      found(await books.workers.find(params.id), "worker");
      mayWrite(caller);
      await releaseRuns(books, params.id, panel.now());
      await books.workers.remove(params.id);
      return { status: 204 };
    });
}

/** Nobody is to blame: the attempt is not counted. What the worker still says of them is not heard any more. */
async function releaseRuns(books: Books, workerId: string, at: number): Promise<void> {
  for (const held of await books.queue.held()) {
    const run = held.workerId === workerId ? await books.runs.find(held.id) : null;
    if (run !== null) await giveBack(books, run, at);
  }
}

function workerShape(standing: WorkerStanding, minimum: IsolationLevel): Worker {
  const { worker, isConnected, health, hasPresentKey, runs, probes } = standing;
  const { id, name, enabled, agents, slots, isolation, os, version, embedded, figures } = worker;
  const pair = defaultPairOf(agents);
  return {
    id,
    name,
    enabled,
    connected: isConnected,
    health,
    cli: pair?.cli ?? null,
    model: pair?.model ?? null,
    agents: agents.map(({ cli, version, adapter, models }) => ({ cli, version, adapter, models: [...models] })),
    slots: { total: slots, busy: runs.length },
    runs: [...runs],
    isolation,
    warnings: warningsOf(isolation, minimum),
    os,
    version,
    last_seen_at: timeOf(figures.seenAt),
    rtt_ms: figures.rttMs,
    outbox: { pending: isConnected ? figures.outboxPending : 0, limit: OUTBOX_COMMANDS },
    key_current: hasPresentKey,
    embedded,
    probes: probes.map(probeShape),
  };
}

function warningsOf(level: IsolationLevel, minimum: IsolationLevel): Worker["warnings"] {
  return [
    ...(isBelow(level, "sandbox") ? (["no_sandbox"] as const) : []),
    ...(isBelow(level, minimum) ? (["isolation_below_minimum"] as const) : []),
  ];
}

function probeShape({ cli, model, ok, latencyMs, error, checkedAt }: ProbeRecord): Worker["probes"][number] {
  return { cli, model, ok, latency_ms: Math.round(latencyMs), error, checked_at: timeOf(checkedAt) };
}

import { WORKER_SUBPROTOCOL, type IsolationLevel, type ProbeResult, type Worker } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import type { RequestHandler, ValidatingHandler } from "@triptych/server";
import { isBelow } from "../domain/isolation.ts";
import { requeue } from "../domain/create-run.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { orNotFound, DomainError } from "../domain/domain-error.ts";
import { workerStatusesOf, type WorkerStatus } from "../domain/worker-status.ts";
import { defaultPairOf, OUTBOX_COMMANDS, type ProbeRecord, type WorkerRecord } from "../domain/workers.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { inTransaction, mapDomainErrors } from "./transactional.ts";
import { timeOf } from "./response-mappers.ts";

/** Reached only by a plain request with a valid key, without an upgrade. */
export function connectWorkerHandler(): ValidatingHandler<typeof contract.connectWorker, Caller> {
  return {
    handle(_context, errors) {
      const message = `This endpoint is a WebSocket: upgrade with the subprotocol ${WORKER_SUBPROTOCOL}.`;
      errors.add({ path: "header:Upgrade", reason: "required", message });
      errors.refuse();
    },
  };
}

export function workerStatusHandler(panel: Panel): RequestHandler<typeof contract.workerStatus, Caller> {
  return ({ caller }) =>
    mapDomainErrors(panel, async () => {
      mayRead(caller);
      const [owner, now] = [caller.account.id, panel.now()];
      const repositories = panel.store.of(owner);
      const seen = { workers: await repositories.workers.list(), present: panel.workers.present(owner), now };
      const workers = (await workerStatusesOf(repositories, seen)).map((status) =>
        workerShape(status, panel.allows.isolationMin),
      );
      const connected = workers.filter((worker) => worker.connected);
      const { waiting } = await repositories.queue.view();
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

const MODELS_TTL_MS = 600_000;

/** Returns stored models; queries workers when they are older than ten minutes, or on demand. */
export function listWorkerModelsHandler(panel: Panel): RequestHandler<typeof contract.listWorkerModels, Caller> {
  return ({ caller, query: { cli, refresh = false } }) =>
    mapDomainErrors(panel, async () => {
      mayRead(caller);
      const [owner, now] = [caller.account.id, panel.now()];
      const repositories = panel.store.of(owner);
      const offering = async () => {
        const connected = new Map(
          (await repositories.workers.connections()).map((connection) => [connection.workerId, connection]),
        );
        const workers = (await repositories.workers.list()).filter(({ agents }) =>
          agents.some((agent) => agent.cli === cli),
        );
        return workers.flatMap((worker) => {
          const connection = connected.get(worker.id);
          if (connection === undefined) return [];
          const reportedAt = panel.workers.present(owner).get(worker.id)?.modelsAt.get(cli) ?? connection.openedAt;
          return [{ worker, reportedAt }];
        });
      };
      const reported = await offering();
      const old = reported.filter(({ reportedAt }) => refresh || now - reportedAt > MODELS_TTL_MS);
      const ids = old.map(({ worker }) => worker.id);
      if (ids.length > 0) await panel.workers.refreshModels(owner, ids, cli);
      const refreshed = ids.length > 0 ? await offering() : reported;
      return {
        cli,
        models: modelsOf(
          cli,
          refreshed.map(({ worker }) => worker),
        ),
        workers: refreshed.length,
        as_of: timeOf(Math.min(panel.now(), ...refreshed.map(({ reportedAt }) => reportedAt))),
      };
    });
}

function modelsOf(cli: string, workers: readonly WorkerRecord[]) {
  const byId = new Map<string, { id: string; workers: string[]; source: "cli"; default: boolean }>();
  for (const { id: workerId, agents } of workers)
    for (const [index, id] of (agents.find((agent) => agent.cli === cli)?.models ?? []).entries()) {
      const model = byId.get(id) ?? { id, workers: [], source: "cli", default: false };
      byId.set(id, { ...model, workers: [...model.workers, workerId], default: model.default || index === 0 });
    }
  return [...byId.values()];
}

export function probeWorkerHandler(panel: Panel): RequestHandler<typeof contract.probeWorker, Caller> {
  return ({ caller, body: { cli, model, worker_id } }) =>
    mapDomainErrors(panel, async (): Promise<ProbeResult> => {
      const owner = caller.account.id;
      const { workers } = panel.store.of(owner);
      const named = worker_id === undefined ? null : orNotFound(await workers.find(worker_id), "worker");
      mayWrite(caller);
      const connected = new Set((await workers.connections()).map(({ workerId }) => workerId));
      if (connected.size === 0)
        throw new DomainError("no_worker_connected", { retryAt: panel.now() + RECONNECT_DELAY_MAX_MS });
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

/** The longest reconnect delay of a worker. */
const RECONNECT_DELAY_MAX_MS = 30_000;

const NO_AGENT = { code: "cli_missing", message: "No connected worker has this agent." } as const;
const NOT_REACHED = { code: "network", message: "The worker is not connected." } as const;

export function updateWorkerHandler(panel: Panel): RequestHandler<typeof contract.updateWorker, Caller> {
  return (context) =>
    inTransaction(panel, context, async (repositories) => {
      const { caller, params, body } = context;
      const worker = orNotFound(await repositories.workers.find(params.id), "worker");
      mayWrite(caller);
      const changed = { ...worker, enabled: body.enabled };
      await repositories.workers.save(changed);
      if (!body.enabled && body.drain === false) await releaseRuns(repositories, worker.id, panel.now());
      const seen = { workers: [changed], present: panel.workers.present(caller.account.id), now: panel.now() };
      const [status] = await workerStatusesOf(repositories, seen);
      return { status: 200, body: status && workerShape(status, panel.allows.isolationMin) };
    });
}

export function deleteWorkerHandler(panel: Panel): RequestHandler<typeof contract.deleteWorker, Caller> {
  return (context) =>
    inTransaction(panel, context, async (repositories) => {
      const { caller, params } = context;
      orNotFound(await repositories.workers.find(params.id), "worker");
      mayWrite(caller);
      await releaseRuns(repositories, params.id, panel.now());
      await repositories.workers.remove(params.id);
      return { status: 204 };
    });
}

/** Requeues without counting an attempt. Later reports of the worker are ignored. */
async function releaseRuns(repositories: Repositories, workerId: string, at: number): Promise<void> {
  for (const leased of await repositories.queue.leased()) {
    const run = leased.workerId === workerId ? await repositories.runs.find(leased.id) : null;
    if (run !== null) await requeue(repositories, run, at);
  }
}

function workerShape(status: WorkerStatus, minimum: IsolationLevel): Worker {
  const { worker, isConnected, health, hasPresentKey, runs, probes } = status;
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

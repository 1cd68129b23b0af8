/**
 * The worker channel of this node: connections, dispatch and reports. Store notifications wake it, and it also polls once a second, so a
 * lost notification costs a second and never a run. Disposal closes all connections with 1012; their runs continue and resume on the next
 * connection.
 */
import { WORKER_CLOSES, type WorkerFrame } from "@triptych/contracts";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { WebSocket } from "ws";
import type { ConnectedWorkers } from "../domain/panel.ts";
import { healthOf, type WorkerHealth } from "../domain/workers.ts";
import { every } from "../timers.ts";
import { createPresence, createAsks, type PendingReplies } from "./worker-registry.ts";
import { createBroadcast, type AgentTokens } from "./broadcast.ts";
import { createChannelMetrics } from "./channel-metrics.ts";
import {
  createConnectionRegistry,
  figuresOf,
  type ConnectionRegistry,
  type Connection,
} from "./connection-registry.ts";
import { createDispatch } from "../queue/dispatch.ts";
import { createCrossNodeCalls } from "./cross-node-rpc.ts";
import { followHints } from "../queue/dispatch-triggers.ts";
import type { WorkerCredentials } from "./handshake.ts";
import { keepLeases, returnOffer, type LeaseRenewals } from "../queue/leases.ts";
import { ingestEvents } from "./ingest-events.ts";
import { createAround, checkConnections } from "./housekeeping.ts";
import { joinNodes } from "./cluster-membership.ts";
import { createReports, type Reports } from "./reports.ts";
import { requestCancel, type ChannelParts, type ChannelContext } from "./channel-context.ts";
import { takeChecked } from "../queue/repo-checks.ts";
import { openSession, type Session } from "./session.ts";
import { upgradeOn } from "./upgrade.ts";

export interface Channel extends AsyncDisposable {
  readonly workers: ConnectedWorkers;
  readonly tokens: AgentTokens;
  /** Handles upgrades of this server and adds the channel's metrics to its registry. */
  serve(fastify: FastifyInstance, registry: Registry): void;
}

const TICK_INTERVAL_MS = 1_000;
/** Timeout for a worker's close frame. */
const CLOSE_TIMEOUT_MS = 1_000;

export async function openChannel(parts: ChannelParts): Promise<Channel> {
  const { store, timers, onError } = parts;
  const connections = createConnectionRegistry();
  const sessions = new Set<Session>();
  const metrics = createChannelMetrics({
    health: () => healthsOf(connections, timers.now()),
    async oldestQueuedMs() {
      const queuedAt = await store.fleet.oldestQueued();
      return queuedAt === null ? 0 : timers.now() - queuedAt;
    },
  });
  const base = { ...parts, connections, metrics };
  const dispatch = createDispatch(base);
  const context: ChannelContext = { ...base, wake: (owner) => dispatch.wake(owner) };
  const asks = createAsks(timers);
  const presence = createPresence(context, asks);
  const crossNodeCalls = createCrossNodeCalls(context, presence);
  const broadcast = createBroadcast(context);
  const reports = createReports(context);
  const leases = keepLeases(store.fleet, onError);
  const handleFrame = frameHandler(context, { reports, leases, asks });
  const around = createAround(context, presence);
  let resolveAllClosed = () => {};
  /** Writes of disconnects in progress. */
  const leaving = new Set<Promise<void>>();

  await using opened = new AsyncDisposableStack();
  const nodes = await joinNodes(context);
  opened.defer(() => nodes.stop());
  opened.defer(async () => void (await Promise.all([...leaving, leases.stop(), around.stop(), dispatch.stop()])));
  opened.defer(closeSessions);
  opened.defer(await store.listen(followHints(context)));
  opened.defer(
    await store.fleet.subscribe((message) => {
      broadcast.handle(message);
      crossNodeCalls.handle(message);
    }),
  );
  opened.defer(every(timers, TICK_INTERVAL_MS, tick));
  const open = opened.move();
  let stopping: Promise<void> | null = null;

  return {
    tokens: broadcast.tokens,
    workers: {
      records: (owner) => Array.from(connections.of(owner).values(), ({ worker }) => worker),
      present: (owner) => new Map([...connections.of(owner)].map(([id, connection]) => [id, presentOf(connection)])),
      notifyRotation: (rotation) => broadcast.notify(rotation),
      probe: (owner, workerId, pair) => crossNodeCalls.probe(owner, workerId, pair),
      refreshModels: (owner, workerIds, cli) => crossNodeCalls.refreshModels(owner, workerIds, cli),
    },
    serve(fastify, registry) {
      metrics.showIn(registry);
      const stopServing = upgradeOn(fastify, { admit, opened: enter, onError });
      open.defer(stopServing);
    },
    [Symbol.asyncDispose]: () => (stopping ??= open.disposeAsync()),
  };

  async function admit(licenseKey: string): Promise<WorkerCredentials | null> {
    const keyHash = parts.hash(licenseKey);
    const account = await store.system.byLicense(keyHash);
    return account === null ? null : { owner: account.id, keyHash };
  }

  function enter(pass: WorkerCredentials, socket: WebSocket): void {
    sessions.add(openSession(context, pass, socket, { entered, left, onFrame: handleFrame }));
  }

  function entered(connection: Connection): void {
    context.wake(connection.owner);
    presence.probeWhenDue(connection, timers.now());
  }

  function left(connection: Connection | null, session: Session): void {
    sessions.delete(session);
    if (sessions.size === 0) resolveAllClosed();
    if (connection === null) return;
    asks.left(connection);
    const offered = [...connection.runs].filter(([, { offeredAt }]) => offeredAt !== null);
    connections.remove(connection);
    const work = returnUnansweredOffers(
      context,
      connection,
      offered.map(([id, { epoch }]) => ({ id, epoch })),
    )
      .catch((error: unknown) => onError(error, "cleanup after worker disconnect failed"))
      .finally(() => leaving.delete(work));
    leaving.add(work);
  }

  function tick(): void {
    const now = timers.now();
    checkConnections(sessions, now);
    around.trigger(now);
  }

  async function closeSessions(): Promise<void> {
    for (const { link } of sessions) link.close(WORKER_CLOSES.restart, "the panel is restarting");
    if (sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      const stop = timers.after(CLOSE_TIMEOUT_MS, resolve);
      resolveAllClosed = () => {
        stop();
        resolve();
      };
    });
    for (const { link } of sessions) link.cut();
  }
}

/** Unanswered offers go back to the queue immediately: the worker has probably not seen them. */
async function returnUnansweredOffers(
  context: ChannelContext,
  connection: Connection,
  offered: readonly { readonly id: string; readonly epoch: number }[],
): Promise<void> {
  const { owner, worker, connectionId } = connection;
  await context.store.fleet.disconnect([{ owner, id: connectionId }]);
  await context.store.fleet.see([{ owner, workerId: worker.id, ...figuresOf(connection) }]);
  for (const { id, epoch } of offered) await returnOffer(context, { owner, id }, { epoch, now: context.timers.now() });
}

interface FrameHandlers {
  readonly reports: Reports;
  readonly leases: LeaseRenewals;
  readonly asks: PendingReplies;
}

type HandleFrame = (connection: Connection, frame: WorkerFrame) => Promise<void>;

function frameHandler(context: ChannelContext, { reports, leases, asks }: FrameHandlers): HandleFrame {
  return async (connection, frame) => {
    switch (frame.t) {
      case "hello":
        return;
      case "hb":
        return handleHeartbeat(connection, frame);
      case "ack":
        return connection.link.acknowledge(frame.cid);
      case "accept":
        return reports.accept(connection, frame);
      case "refuse":
        return reports.refuse(connection, frame);
      case "state":
        return reports.report(connection, frame);
      case "events":
        return ingestEvents(context, connection, frame);
      case "checked":
        return takeChecked(context, connection, frame);
      case "reply":
        return asks.replied(connection, frame);
    }
  };

  function handleHeartbeat(
    connection: Connection,
    { holding, disk_free_mb }: Extract<WorkerFrame, { readonly t: "hb" }>,
  ): void {
    connection.diskFreeMb = disk_free_mb;
    const owned = {
      owner: connection.owner,
      workerId: connection.worker.id,
      leaseUntil: context.timers.now() + context.leaseMs,
    };
    leases.keep(holding.map(({ run_id: runId, epoch }) => ({ ...owned, runId, epoch })));
    // Repeat the cancel for a run that another worker owns: the first one may have been lost.
    for (const { run_id: runId, epoch } of holding) {
      const holder = context.connections.holderOf(runId);
      if (holder !== null && (holder !== connection || (holder.runs.get(runId)?.epoch ?? epoch) > epoch))
        requestCancel(context, connection, { runId, epoch });
    }
  }
}

function presentOf(connection: Connection) {
  return {
    worker: { ...connection.worker, figures: figuresOf(connection) },
    keyGeneration: connection.keyGeneration,
    modelsAt: connection.modelsAt,
  };
}

function healthsOf({ all }: ConnectionRegistry, now: number): Readonly<Record<WorkerHealth, number>> {
  const counts = { disabled: 0, offline: 0, stale: 0, degraded: 0, online: 0 };
  for (const connection of all) {
    const probes = connection.lastProbe === null ? [] : [connection.lastProbe];
    const { worker } = presentOf(connection);
    counts[healthOf({ worker, isConnected: true, probes, now })] += 1;
  }
  return counts;
}

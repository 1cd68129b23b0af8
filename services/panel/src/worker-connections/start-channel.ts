/**
 * The worker channel: who is connected to this node, what they are given, and what they say. Hints of the store wake it, and once a
 * second it looks for itself, so that a lost hint costs a second and never a run. Its disposal says goodbye to all workers (1012);
 * the runs they hold go on, and are resumed where they connect next.
 */
import { WORKER_CLOSES, type WorkerFrame } from "@triptych/contracts";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { WebSocket } from "ws";
import type { ConnectedWorkers } from "../domain/panel.ts";
import { healthOf, type WorkerHealth } from "../domain/workers.ts";
import { every } from "../timers.ts";
import { createAsks } from "./pending-replies.ts";
import { createBroadcast, type AgentTokens } from "./broadcast.ts";
import { createChannelMetrics } from "./channel-metrics.ts";
import { createCrew, figuresOf, type Crew, type Live } from "./connection-registry.ts";
import { createDispatch } from "./dispatch.ts";
import { createErrands } from "./cross-node-rpc.ts";
import { followHints } from "./dispatch-triggers.ts";
import type { Pass } from "./handshake.ts";
import { keepLeases } from "./lease-renewal.ts";
import { takeEvents } from "./ingest-events.ts";
import { createAround, lookAtLinks } from "./housekeeping.ts";
import { joinNodes } from "./cluster-membership.ts";
import { createPresence } from "./worker-registry.ts";
import { createReports } from "./reports.ts";
import { tellToStop, type ChannelParts, type Room } from "./channel-context.ts";
import { takeChecked } from "./take-checked.ts";
import { openSession, type Session } from "./session.ts";
import { returnOffer } from "./expire-leases.ts";
import { upgradeOn } from "./upgrade.ts";

export interface Channel extends AsyncDisposable {
  readonly workers: ConnectedWorkers;
  /** Which key the workers that this process starts itself are to be given. */
  readonly tokens: AgentTokens;
  /** Takes upgrades of this server from now on, and shows its figures among its metrics. */
  serve(fastify: FastifyInstance, registry: Registry): void;
}

const LOOK_EVERY_MS = 1_000;
/** A worker that does not answer the goodbye is not waited for. */
const GOODBYE_MS = 1_000;

export async function openChannel(parts: ChannelParts): Promise<Channel> {
  const { store, timers, onTrouble } = parts;
  const crew = createCrew();
  const sessions = new Set<Session>();
  const metrics = createChannelMetrics({
    health: () => healthsOf(crew, timers.now()),
    async oldestQueuedMs() {
      const queuedAt = await store.fleet.oldestQueued();
      return queuedAt === null ? 0 : timers.now() - queuedAt;
    },
  });
  const base = { ...parts, crew, metrics };
  const dispatch = createDispatch(base);
  const room: Room = { ...base, wake: (owner) => dispatch.wake(owner) };
  const asks = createAsks(timers);
  const presence = createPresence(room, asks);
  const errands = createErrands(room, presence);
  const broadcast = createBroadcast(room);
  const reports = createReports(room);
  const leases = keepLeases(store.fleet, onTrouble);
  const around = createAround(room, presence);
  let allLeft = () => {};
  /** What disconnecting still has to write. */
  const leaving = new Set<Promise<void>>();

  await using opened = new AsyncDisposableStack();
  const nodes = await joinNodes(room);
  opened.defer(() => nodes.stop());
  opened.defer(async () => void (await Promise.all([...leaving, leases.stop(), around.stop(), dispatch.stop()])));
  opened.defer(closeSessions);
  opened.defer(await store.listen(followHints(room)));
  opened.defer(
    await store.fleet.hear((word) => {
      broadcast.hear(word);
      errands.hear(word);
    }),
  );
  opened.defer(every(timers, LOOK_EVERY_MS, look));
  const open = opened.move();
  let stopping: Promise<void> | null = null;

  return {
    tokens: broadcast.tokens,
    workers: {
      records: (owner) => Array.from(crew.of(owner).values(), ({ worker }) => worker),
      present: (owner) => new Map([...crew.of(owner)].map(([id, live]) => [id, presentOf(live)])),
      tellRotation: (rotation) => broadcast.tell(rotation),
      probe: (owner, workerId, pair) => errands.probe(owner, workerId, pair),
      refreshModels: (owner, workerIds, cli) => errands.refreshModels(owner, workerIds, cli),
    },
    serve(fastify, registry) {
      metrics.showIn(registry);
      const stopServing = upgradeOn(fastify, { admit, opened: enter, onTrouble });
      open.defer(stopServing);
    },
    [Symbol.asyncDispose]: () => (stopping ??= open.disposeAsync()),
  };

  async function admit(licenseKey: string): Promise<Pass | null> {
    const keyHash = parts.hash(licenseKey);
    const account = await store.doors.byLicense(keyHash);
    return account === null ? null : { owner: account.id, keyHash };
  }

  function enter(pass: Pass, socket: WebSocket): void {
    sessions.add(openSession(room, pass, socket, { entered, left, heard }));
  }

  function entered(live: Live): void {
    room.wake(live.owner);
    presence.probeWhenDue(live, timers.now());
  }

  function left(live: Live | null, session: Session): void {
    sessions.delete(session);
    if (sessions.size === 0) allLeft();
    if (live === null) return;
    asks.left(live);
    const offered = [...live.runs].filter(([, { offeredAt }]) => offeredAt !== null);
    crew.remove(live);
    const work = goodbye(
      live,
      offered.map(([id, { epoch }]) => ({ id, epoch })),
    )
      .catch((error: unknown) => onTrouble(error, "what a worker left behind could not be put away"))
      .finally(() => leaving.delete(work));
    leaving.add(work);
  }

  /** Offers that it has not answered go back at once: it will hardly have seen them. */
  async function goodbye(
    live: Live,
    offered: readonly { readonly id: string; readonly epoch: number }[],
  ): Promise<void> {
    const { owner, worker, connectionId } = live;
    await store.fleet.disconnect([{ owner, id: connectionId }]);
    await store.fleet.see([{ owner, workerId: worker.id, ...figuresOf(live) }]);
    for (const { id, epoch } of offered) await returnOffer(room, { owner, id }, { epoch, now: timers.now() });
  }

  async function heard(live: Live, frame: WorkerFrame): Promise<void> {
    switch (frame.t) {
      case "hello":
        return;
      case "hb":
        return beat(live, frame);
      case "ack":
        return live.link.acknowledge(frame.cid);
      case "accept":
        return reports.accept(live, frame);
      case "refuse":
        return reports.refuse(live, frame);
      case "state":
        return reports.report(live, frame);
      case "events":
        return takeEvents(room, live, frame);
      case "checked":
        return takeChecked(room, live, frame);
      case "reply":
        return asks.replied(live, frame);
    }
  }

  function beat(live: Live, { holding, disk_free_mb }: Extract<WorkerFrame, { readonly t: "hb" }>): void {
    live.diskFreeMb = disk_free_mb;
    const place = { owner: live.owner, workerId: live.worker.id, leaseUntil: timers.now() + parts.leaseMs };
    leases.keep(holding.map(({ run_id: runId, epoch }) => ({ ...place, runId, epoch })));
    // One that somebody else has by now is told so: its own hello or an earlier word may have been lost.
    for (const { run_id: runId, epoch } of holding) {
      const holder = crew.holderOf(runId);
      if (holder !== null && (holder !== live || (holder.runs.get(runId)?.epoch ?? epoch) > epoch))
        tellToStop(room, live, { runId, epoch });
    }
  }

  function look(): void {
    const now = timers.now();
    lookAtLinks(sessions, now);
    around.look(now);
  }

  async function closeSessions(): Promise<void> {
    for (const { link } of sessions) link.close(WORKER_CLOSES.restart, "the panel restarts");
    if (sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      const stop = timers.after(GOODBYE_MS, resolve);
      allLeft = () => {
        stop();
        resolve();
      };
    });
    for (const { link } of sessions) link.cut();
  }
}

function presentOf(live: Live) {
  return {
    worker: { ...live.worker, figures: figuresOf(live) },
    keyGeneration: live.keyGeneration,
    modelsAt: live.modelsAt,
  };
}

function healthsOf({ all }: Crew, now: number): Readonly<Record<WorkerHealth, number>> {
  const counts = { disabled: 0, offline: 0, stale: 0, degraded: 0, online: 0 };
  for (const live of all) {
    const probes = live.lastProbe === null ? [] : [live.lastProbe];
    const { worker } = presentOf(live);
    counts[healthOf({ worker, isConnected: true, probes, now })] += 1;
  }
  return counts;
}

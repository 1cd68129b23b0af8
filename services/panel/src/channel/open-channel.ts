/**
 * The worker channel: who is connected to this node, what they are given, and what they say. Hints of the store wake it, and once a
 * second it looks for itself, so that a lost hint costs a second and never a run. Its disposal says goodbye to all workers (1012);
 * the runs they hold go on, and are resumed where they connect next.
 */
import { WORKER_CLOSES, type WorkerFrame } from "@triptych/contracts";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { Hint } from "../domain/panel-store.ts";
import type { ConnectedWorkers } from "../domain/panel.ts";
import { createChannelMetrics } from "./channel-metrics.ts";
import { createCrew, type Live } from "./crew.ts";
import { createDispatch } from "./dispatch.ts";
import { keepLeases } from "./leases-kept.ts";
import { takeEvents } from "./listen-in.ts";
import { createReports } from "./reports.ts";
import { tellToStop, type ChannelParts, type Room } from "./room.ts";
import { openSession, type Session } from "./session.ts";
import { upgradeOn } from "./upgrade.ts";

export interface Channel extends AsyncDisposable {
  readonly workers: ConnectedWorkers;
  /** Takes upgrades of this server from now on. */
  serve(fastify: FastifyInstance, registry: Registry): void;
}

const LOOK_EVERY_MS = 1_000;
const HELLO_WITHIN_MS = 5_000;

export async function openChannel(parts: ChannelParts): Promise<Channel> {
  const { store, timers, onTrouble } = parts;
  const crew = createCrew();
  const sessions = new Set<Session>();
  const metrics = createChannelMetrics({
    health: () => ({ disabled: 0, offline: 0, stale: 0, degraded: 0, online: crew.all.size }),
    oldestQueuedMs: () => 0,
  });
  const base = { ...parts, crew, metrics, node: parts.newId("nod") };
  const dispatch = createDispatch(base);
  const room: Room = { ...base, wake: (owner) => dispatch.wake(owner) };
  const reports = createReports(room);
  const leases = keepLeases(store.fleet, onTrouble);
  const stopListening = await store.listen((hint) => follow(hint));
  let stopServing = () => {};
  let stopLooking = timers.after(LOOK_EVERY_MS, look);
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;

  return {
    workers: {
      count: (owner) => crew.of(owner).size,
      isConnected: (owner, workerId) => crew.find(owner, workerId) !== null,
      tellRotation: () => Promise.resolve(0),
    },
    serve(fastify, registry) {
      metrics.showIn(registry);
      stopServing = upgradeOn(fastify, { admit, opened, onTrouble });
    },
    async [Symbol.asyncDispose]() {
      if (isStopped) return;
      isStopped = true;
      stopServing();
      stopLooking();
      for (const { link } of sessions) link.close(WORKER_CLOSES.restart, "the panel restarts");
      await stopListening();
      await Promise.all([dispatch.stop(), leases.stop(), looking]);
      for (const { link } of sessions) link.cut();
    },
  };

  async function admit(licenseKey: string) {
    const keyHash = parts.hash(licenseKey);
    const account = await store.doors.byLicense(keyHash);
    return account === null ? null : { owner: account.id, keyHash };
  }

  function opened(pass: Parameters<typeof openSession>[1], socket: Parameters<typeof openSession>[2]): void {
    const session = openSession(room, pass, socket, { entered, left, heard });
    sessions.add(session);
  }

  function entered(live: Live): void {
    room.wake(live.owner);
  }

  function left(live: Live | null, session: Session): void {
    sessions.delete(session);
    if (live === null) return;
    crew.remove(live);
    const gone = [{ owner: live.owner, id: live.connectionId }];
    void store.fleet.disconnect(gone).catch((error: unknown) => onTrouble(error, "a connection could not be removed"));
  }

  function heard(live: Live, frame: WorkerFrame): Promise<void> {
    switch (frame.t) {
      case "hello":
        return Promise.resolve();
      case "hb":
        beat(live, frame);
        return Promise.resolve();
      case "ack":
        live.link.acknowledge(frame.cid);
        return Promise.resolve();
      case "accept":
        return reports.accept(live, frame);
      case "refuse":
        return reports.refuse(live, frame);
      case "state":
        return reports.report(live, frame);
      case "events":
        return takeEvents(room, live, frame);
      case "reply":
        return Promise.resolve();
    }
  }

  function beat(live: Live, { holding, disk_free_mb }: Extract<WorkerFrame, { readonly t: "hb" }>): void {
    live.diskFreeMb = disk_free_mb;
    const leaseUntil = timers.now() + parts.leaseMs;
    const place = { owner: live.owner, workerId: live.worker.id, leaseUntil };
    leases.keep(holding.map(({ run_id: runId, epoch }) => ({ ...place, runId, epoch })));
  }

  function follow(hint: Hint | null): void {
    if (hint?.type !== "run") return;
    room.wake(hint.owner);
    const live = crew.holderOf(hint.id);
    if (live !== null)
      void compare(live, hint.id).catch((error: unknown) => onTrouble(error, "a run could not be read"));
  }

  /** What the panel did to a run that a worker of this node holds is told to that worker. */
  async function compare(live: Live, runId: string): Promise<void> {
    const held = live.runs.get(runId);
    const run = await store.of(live.owner).runs.find(runId);
    if (run === null || held === undefined) return;
    const isOver = run.epoch !== held.epoch || ["queued", "cancelled", "lost", "expired"].includes(run.state);
    if (isOver || run.cancelRequestedAt !== null) tellToStop(room, live, { runId, epoch: held.epoch });
    if (isOver) crew.release(live, runId);
  }

  function look(): void {
    if (isStopped) return;
    stopLooking = timers.after(LOOK_EVERY_MS, look);
    const now = timers.now();
    for (const session of sessions) {
      const { link, isGreeted, openedAt } = session;
      if (!isGreeted && now - openedAt >= HELLO_WITHIN_MS) link.close(WORKER_CLOSES.noHello, "no hello within 5 s");
      const fate = link.look(now);
      if (fate === "silent") link.cut();
      else if (fate === "full") link.close(WORKER_CLOSES.outboxFull, "the outbox was full for 30 s");
    }
    looking = sweep(now).catch((error: unknown) => onTrouble(error, "the look of this second failed"));
  }

  async function sweep(now: number): Promise<void> {
    for (const owner of await store.fleet.ownersWaiting(now)) room.wake(owner);
  }
}

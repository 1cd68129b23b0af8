/** The workers connected to this node, by account and worker id, and the worker of each leased run. */
import type { ConnectionRecord, ProbeRecord, WorkerFigures, WorkerRecord } from "../domain/workers.ts";
import type { WorkerConnection } from "./link.ts";

export interface Connection {
  readonly owner: string;
  readonly connectionId: string;
  readonly openedAt: number;
  /** Process id as the worker reports it; null where it reports none. */
  readonly process: string | null;
  readonly link: WorkerConnection;
  /** The record from hello, with later changes. */
  worker: WorkerRecord;
  keyGeneration: number;
  diskFreeMb: number | null;
  /** Gets no offer before this time: it has just refused one. */
  restsUntil: number;
  /** When its figures were last stored, and when its default pair was last probed. */
  notedAt: number;
  probedAt: number;
  /** Last probe of its default pair. */
  lastProbe: ProbeRecord | null;
  /** When the models of a command-line agent were last reported; the time of hello where not queried since. */
  readonly modelsAt: Map<string, number>;
  /** Whether it accepts repo checks. */
  readonly canCheck: boolean;
  readonly runs: Map<string, LiveRun>;
  /** Runs that it refused as impossible; not offered again on this connection. */
  readonly refused: Set<string>;
}

/** A run that this worker holds. */
export interface LiveRun {
  readonly epoch: number;
  /** The run's own deadline: the panel ends the run when the worker has not. */
  readonly deadline: number;
  /** When it was offered; null once the worker has accepted. */
  offeredAt: number | null;
  isCancelSent: boolean;
}

export interface ConnectionRegistry {
  readonly all: ReadonlySet<Connection>;
  of(owner: string): ReadonlyMap<string, Connection>;
  find(owner: string, workerId: string | null): Connection | null;
  holderOf(runId: string): Connection | null;
  /** Returns the connection that this one replaces. */
  add(live: Connection): Connection | null;
  /** False where a newer connection has already replaced this one. */
  remove(live: Connection): boolean;
  hold(live: Connection, runId: string, run: LiveRun): void;
  release(live: Connection, runId: string): void;
}

const NOBODY: ReadonlyMap<string, Connection> = new Map();

export function createConnectionRegistry(): ConnectionRegistry {
  const all = new Set<Connection>();
  const byOwner = new Map<string, Map<string, Connection>>();
  const holders = new Map<string, Connection>();

  const release = (live: Connection, runId: string) => {
    live.runs.delete(runId);
    if (holders.get(runId) === live) holders.delete(runId);
  };
  const drop = (live: Connection) => {
    all.delete(live);
    for (const runId of live.runs.keys()) release(live, runId);
  };
  return {
    all,
    of: (owner) => byOwner.get(owner) ?? NOBODY,
    find: (owner, workerId) => (workerId === null ? null : (byOwner.get(owner)?.get(workerId) ?? null)),
    holderOf: (runId) => holders.get(runId) ?? null,
    add(live) {
      const mine = byOwner.get(live.owner) ?? new Map<string, Connection>();
      byOwner.set(live.owner, mine);
      const older = mine.get(live.worker.id) ?? null;
      if (older !== null) drop(older);
      mine.set(live.worker.id, live);
      all.add(live);
      return older;
    },
    remove(live) {
      drop(live);
      const mine = byOwner.get(live.owner);
      if (mine?.get(live.worker.id) !== live) return false;
      mine.delete(live.worker.id);
      if (mine.size === 0) byOwner.delete(live.owner);
      return true;
    },
    hold(live, runId, run) {
      live.runs.set(runId, run);
      holders.set(runId, live);
    },
    release,
  };
}

/** The current figures. */
export function figuresOf({ link, diskFreeMb, keyGeneration }: Connection): WorkerFigures {
  return { seenAt: link.seenAt, rttMs: link.rttMs, outboxPending: link.pending, diskFreeMb, keyGeneration };
}

export function connectionOf(live: Connection, node: string): ConnectionRecord {
  const { connectionId: id, process, keyGeneration, openedAt, worker } = live;
  return { id, workerId: worker.id, node, process, keyGeneration, openedAt };
}

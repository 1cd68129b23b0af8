/** The workers that are connected to this node, by account and by id; and, by run, which of them has it. */
import type { ConnectionRecord, ProbeRecord, WorkerFigures, WorkerRecord } from "../domain/workers.ts";
import type { WorkerConnection } from "./link.ts";

export interface Connection {
  readonly owner: string;
  readonly connectionId: string;
  readonly openedAt: number;
  /** Of the worker's process, as it says; null where it says none. */
  readonly process: string | null;
  readonly link: WorkerConnection;
  /** As it was at hello, and as it was changed since. */
  worker: WorkerRecord;
  keyGeneration: number;
  diskFreeMb: number | null;
  /** Offered nothing before this: it has just refused. */
  restsUntil: number;
  /** When its figures were last written down, and when its default pair was last probed. */
  notedAt: number;
  probedAt: number;
  /** Of its default pair. */
  lastProbe: ProbeRecord | null;
  /** When it last told the models of a command-line agent; at hello where it was not asked since. */
  readonly modelsAt: Map<string, number>;
  /** It takes checks of repos. */
  readonly canCheck: boolean;
  readonly runs: Map<string, LiveRun>;
  /** Runs that it has said it cannot do at all: they are for others, or for what it can after it has come anew. */
  readonly refused: Set<string>;
}

/** A run as this worker has it. */
export interface LiveRun {
  readonly epoch: number;
  /** Of the run itself: then the panel ends it when the worker has not. */
  readonly deadline: number;
  /** Until the worker accepts; null afterwards. */
  offeredAt: number | null;
  isCancelSent: boolean;
}

export interface ConnectionRegistry {
  readonly all: ReadonlySet<Connection>;
  of(owner: string): ReadonlyMap<string, Connection>;
  find(owner: string, workerId: string | null): Connection | null;
  holderOf(runId: string): Connection | null;
  /** Answers the one whose place it takes. */
  add(live: Connection): Connection | null;
  /** False where a newer connection has its place already. */
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

/** Of this moment. */
export function figuresOf({ link, diskFreeMb, keyGeneration }: Connection): WorkerFigures {
  return { seenAt: link.seenAt, rttMs: link.rttMs, outboxPending: link.pending, diskFreeMb, keyGeneration };
}

export function connectionOf(live: Connection, node: string): ConnectionRecord {
  const { connectionId: id, process, keyGeneration, openedAt, worker } = live;
  return { id, workerId: worker.id, node, process, keyGeneration, openedAt };
}

/** The workers connected to this node, by account and worker id, and the worker of each leased run. */
import type { ConnectionRecord, ProbeRecord, WorkerFigures, WorkerRecord } from "../domain/workers.ts";
import type { WorkerConnection } from "./link.ts";

export interface Connection {
  readonly owner: string;
  readonly connectionId: string;
  readonly openedAt: number;
  /** Process id as the worker reports it; null if it reports none. */
  readonly process: string | null;
  readonly link: WorkerConnection;
  worker: WorkerRecord;
  keyGeneration: number;
  diskFreeMb: number | null;
  /** The worker gets no offer before this time, because it has just refused one. */
  pausedUntil: number;
  /** When its figures were last stored, and when its default pair was last probed. */
  notedAt: number;
  probedAt: number;
  lastProbe: ProbeRecord | null;
  /** When the models of a command-line agent were last reported; the time of hello where not queried since. */
  readonly modelsAt: Map<string, number>;
  readonly canCheck: boolean;
  readonly runs: Map<string, LiveRun>;
  /** Runs that it refused as impossible; not offered again on this connection. */
  readonly refused: Set<string>;
}

export interface LiveRun {
  readonly epoch: number;
  /** Deadline of the run. The panel ends the run if the worker has not. */
  readonly deadline: number;
  /** When the run was offered; null once the worker has accepted it. */
  offeredAt: number | null;
  isCancelSent: boolean;
}

export interface ConnectionRegistry {
  readonly all: ReadonlySet<Connection>;
  of(owner: string): ReadonlyMap<string, Connection>;
  find(owner: string, workerId: string | null): Connection | null;
  holderOf(runId: string): Connection | null;
  add(connection: Connection): Connection | null;
  /** False if a newer connection has already replaced this one. */
  remove(connection: Connection): boolean;
  hold(connection: Connection, runId: string, run: LiveRun): void;
  release(connection: Connection, runId: string): void;
}

const NO_CONNECTIONS: ReadonlyMap<string, Connection> = new Map();

export function createConnectionRegistry(): ConnectionRegistry {
  const all = new Set<Connection>();
  const byOwner = new Map<string, Map<string, Connection>>();
  const holders = new Map<string, Connection>();

  const release = (connection: Connection, runId: string) => {
    connection.runs.delete(runId);
    if (holders.get(runId) === connection) holders.delete(runId);
  };
  const drop = (connection: Connection) => {
    all.delete(connection);
    for (const runId of connection.runs.keys()) release(connection, runId);
  };
  return {
    all,
    of: (owner) => byOwner.get(owner) ?? NO_CONNECTIONS,
    find: (owner, workerId) => (workerId === null ? null : (byOwner.get(owner)?.get(workerId) ?? null)),
    holderOf: (runId) => holders.get(runId) ?? null,
    add(connection) {
      const mine = byOwner.get(connection.owner) ?? new Map<string, Connection>();
      byOwner.set(connection.owner, mine);
      const older = mine.get(connection.worker.id) ?? null;
      if (older !== null) drop(older);
      mine.set(connection.worker.id, connection);
      all.add(connection);
      return older;
    },
    remove(connection) {
      drop(connection);
      const mine = byOwner.get(connection.owner);
      if (mine?.get(connection.worker.id) !== connection) return false;
      mine.delete(connection.worker.id);
      if (mine.size === 0) byOwner.delete(connection.owner);
      return true;
    },
    hold(connection, runId, run) {
      connection.runs.set(runId, run);
      holders.set(runId, connection);
    },
    release,
  };
}

export function figuresOf({ link, diskFreeMb, keyGeneration }: Connection): WorkerFigures {
  return { seenAt: link.seenAt, rttMs: link.rttMs, outboxPending: link.pending, diskFreeMb, keyGeneration };
}

export function connectionOf(connection: Connection, node: string): ConnectionRecord {
  const { connectionId: id, process, keyGeneration, openedAt, worker } = connection;
  return { id, workerId: worker.id, node, process, keyGeneration, openedAt };
}

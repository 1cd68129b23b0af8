/** Repository of the workers of one account, and the fleet: queries across accounts for sweepers and nodes. */
import type { ConnectionRecord, ProbeRecord, WorkerFigures, WorkerRecord } from "./workers.ts";

export interface WorkerRepository {
  find(id: string): Promise<WorkerRecord | null>;
  list(): Promise<readonly WorkerRecord[]>;
  save(worker: WorkerRecord): Promise<void>;
  remove(id: string): Promise<boolean>;
  connections(): Promise<readonly ConnectionRecord[]>;
  countConnected(): Promise<number>;
  connectionOf(id: string): Promise<ConnectionRecord | null>;
  /** Replaces another connection of the same worker. */
  connect(connection: ConnectionRecord): Promise<void>;
  probes(workerId?: string): Promise<readonly ProbeRecord[]>;
  keepProbe(probe: ProbeRecord): Promise<void>;
  addCrossNodeCall(call: CrossNodeCall): Promise<void>;
  findCrossNodeCall(id: string): Promise<CrossNodeCall | null>;
  answerCrossNodeCall(id: string, answer: unknown): Promise<void>;
}

/** Served by the node of the worker's connection; `answer` is undefined while pending. */
export interface CrossNodeCall {
  readonly id: string;
  readonly workerId: string;
  readonly request: unknown;
  readonly answer: unknown;
  readonly at: number;
}

export interface CheckPlace {
  readonly owner: string;
  readonly repoId: string;
}

export interface RunKey {
  readonly owner: string;
  readonly id: string;
}

export interface LeaseRenewal {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
  readonly workerId: string;
  readonly leaseUntil: number;
}

export interface ConnectedFigures extends WorkerFigures {
  readonly owner: string;
  readonly workerId: string;
}

export interface Fleet {
  /** Whether other nodes may use this store. */
  readonly isShared: boolean;
  ownersWaiting(now: number): Promise<readonly string[]>;
  pendingChecks(owners: readonly string[], limit: number): Promise<readonly CheckPlace[]>;
  overdueChecks(now: number, limit: number): Promise<readonly CheckPlace[]>;
  /** When the oldest queued run was queued; null without one. */
  oldestQueued(): Promise<number | null>;
  lapsed(now: number, most: number): Promise<readonly RunKey[]>;
  cancelRequests(most: number): Promise<readonly CancelRequest[]>;
  suspendedOwners(): Promise<readonly string[]>;
  /** Renews leases where worker and epoch still match. Never shortens a lease. */
  moveLeases(beats: readonly LeaseRenewal[]): Promise<void>;
  /** Extends the leases of these workers' runs (null: of all) to at least `until`. */
  graceLeases(until: number): Promise<void>;
  see(sights: readonly ConnectedFigures[]): Promise<void>;
  /** Ignores connections that are no longer current. */
  disconnect(connections: readonly { readonly owner: string; readonly id: string }[]): Promise<void>;
  noteKey(keyHolders: {
    readonly owner: string;
    readonly generation: number;
    readonly workerIds: readonly string[];
  }): Promise<void>;
  /** Removes disconnected workers that were last seen before this time. */
  forget(seenBefore: number): Promise<number>;
  removeCrossNodeCalls(before: number): Promise<void>;
  /** False for an unknown node: a new one, or one that another node removed. */
  heartbeat(node: string, at: number): Promise<boolean>;
  nodes(): Promise<readonly { readonly id: string; readonly heartbeatAt: number }[]>;
  /** Idempotent. Removes the node's connections, extends its workers' leases and shortens its effect leases. */
  removeNode(node: string, until: { readonly leases: number; readonly effects: number }): Promise<void>;
  /** Sends IDs and counts to all nodes, this one included. Best effort. */
  notifyNodes(message: NodeMessage): Promise<void>;
  subscribe(wake: (message: NodeMessage) => void): Promise<() => Promise<void>>;
}

export interface CancelRequest extends RunKey {
  readonly workerId: string | null;
  readonly requestedAt: number;
  readonly isConnected: boolean;
}

export type NodeMessage =
  | { readonly kind: "rotated"; readonly ask: string; readonly owner: string; readonly node: string }
  | { readonly kind: "told"; readonly ask: string; readonly node: string; readonly count: number }
  | { readonly kind: "errand" | "errand_done"; readonly id: string; readonly owner: string };

/**
 * What the panel must remember of workers and of the queue: books of one account, and the fleet, whose verbs go over all accounts
 * because they serve the sweepers and the nodes.
 */
import type { PlanId } from "@triptych/contracts";
import type { RunNeeds, WaitingRun } from "./queue.ts";
import type { AccountRecord } from "./records.ts";
import type { ConnectionRecord, ProbeRecord, WorkerFigures, WorkerRecord } from "./workers.ts";

export interface WorkerRepository {
  find(id: string): Promise<WorkerRecord | null>;
  list(): Promise<readonly WorkerRecord[]>;
  /** Makes it or replaces it. */
  save(worker: WorkerRecord): Promise<void>;
  /** With its connection and its probes. */
  remove(id: string): Promise<boolean>;
  connections(): Promise<readonly ConnectionRecord[]>;
  countConnected(): Promise<number>;
  connectionOf(id: string): Promise<ConnectionRecord | null>;
  /** In the place of another connection of the same worker. */
  connect(connection: ConnectionRecord): Promise<void>;
  /** Of one worker, or of all. */
  probes(workerId?: string): Promise<readonly ProbeRecord[]>;
  keepProbe(probe: ProbeRecord): Promise<void>;
  addCrossNodeCall(call: CrossNodeCall): Promise<void>;
  findCrossNodeCall(id: string): Promise<CrossNodeCall | null>;
  answerCrossNodeCall(id: string, answer: unknown): Promise<void>;
}

/** Asked of the node that the worker is connected to; `answer` is undefined until it has one. */
export interface CrossNodeCall {
  readonly id: string;
  readonly workerId: string;
  readonly request: unknown;
  readonly answer: unknown;
  readonly at: number;
}

export interface QueueRepository {
  /** Runs that wait, in the order of their turn, the first thousand; and those that workers hold. */
  view(): Promise<QueueView>;
  /** Runs that workers hold, or that one of them does. */
  leased(workerId?: string): Promise<readonly LeasedRun[]>;
  needsOf(ids: readonly string[]): Promise<ReadonlyMap<string, RunNeeds>>;
  /** False where this report of this epoch is known. */
  noteReport(report: { readonly runId: string; readonly epoch: number; readonly mid: string }): Promise<boolean>;
  knowsReport(report: { readonly runId: string; readonly epoch: number; readonly mid: string }): Promise<boolean>;
}

export interface QueueView {
  readonly plan: PlanId;
  readonly status: AccountRecord["status"];
  /** In the order in which they are offered. */
  readonly waiting: readonly WaitingRun[];
  readonly leased: readonly LeasedRun[];
  /** Workers that check a repo, each as often as it does. */
  readonly checking: readonly (string | null)[];
}

export interface LeasedRun {
  readonly id: string;
  readonly repoId: string;
  readonly workerId: string | null;
}

export interface CheckPlace {
  readonly owner: string;
  readonly repoId: string;
}

export interface RunKey {
  readonly owner: string;
  readonly id: string;
}

/** A holder's word that it still holds a run. */
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

/** Of all accounts. */
export interface Fleet {
  /** Whether other nodes may work on this store. */
  readonly isShared: boolean;
  /** Accounts with runs that may be leased now. */
  ownersWaiting(now: number): Promise<readonly string[]>;
  /** Checks of these accounts that no worker has, oldest request first. */
  pendingChecks(owners: readonly string[], limit: number): Promise<readonly CheckPlace[]>;
  /** Running checks beyond their deadline. */
  overdueChecks(now: number, limit: number): Promise<readonly CheckPlace[]>;
  /** Since when the run waits that waits longest; null when none does. */
  oldestQueued(): Promise<number | null>;
  lapsed(now: number, most: number): Promise<readonly RunKey[]>;
  /** Held runs that somebody asked to cancel. */
  cancelRequests(most: number): Promise<readonly CancelRequest[]>;
  suspendedOwners(): Promise<readonly string[]>;
  /** Of held runs, where worker and epoch are still theirs. No lease ever gets shorter. */
  moveLeases(beats: readonly LeaseRenewal[]): Promise<void>;
  /** No lease of these workers' runs, or of all when null, ends before `until`. */
  graceLeases(until: number): Promise<void>;
  see(sights: readonly ConnectedFigures[]): Promise<void>;
  /** Connections that are still the present ones of their workers. */
  disconnect(connections: readonly { readonly owner: string; readonly id: string }[]): Promise<void>;
  /** The worker holds the key of this generation now. */
  noteKey(keyHolders: {
    readonly owner: string;
    readonly generation: number;
    readonly workerIds: readonly string[];
  }): Promise<void>;
  /** Removes workers that were not seen since then and are not connected. */
  forget(seenBefore: number): Promise<number>;
  removeCrossNodeCalls(before: number): Promise<void>;
  /** False where the node was not known: it is new, or was given up by another. */
  heartbeat(node: string, at: number): Promise<boolean>;
  nodes(): Promise<readonly { readonly id: string; readonly heartbeatAt: number }[]>;
  /** Once, whoever calls it first: the node's connections go, no lease of its workers ends before then, and none of its effects lasts longer. */
  removeNode(node: string, until: { readonly leases: number; readonly effects: number }): Promise<void>;
  /** To all nodes, this one among them. Ids and counts only. Best effort. */
  say(message: NodeMessage): Promise<void>;
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

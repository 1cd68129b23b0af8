import type { IsolationLevel } from "@triptych/contracts";
import type { Encryption } from "@triptych/encryption";
import type { PanelStore } from "./repositories.ts";
import type { StatementKeys } from "./statement-keys.ts";
import type { ProbeRecord, WorkerRecord } from "./workers.ts";

export interface Panel {
  readonly store: PanelStore;
  readonly seal: Encryption;
  readonly statementKeys: StatementKeys;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly workers: ConnectedWorkers;
  readonly now: () => number;
  readonly random: (count: number) => Uint8Array;
  readonly newId: (prefix: string) => string;
  readonly url: () => string;
  readonly allows: {
    readonly localRepo: (path: string) => boolean;
    readonly privateHosts: boolean;
    readonly isolationMin: IsolationLevel;
  };
}

/** Keys and tokens have high entropy, so SHA-256 is enough at rest. */
export interface Secrets {
  hash(secret: string): string;
  mintAccessToken(): string;
}

/** Slow by design; runs on another thread with limited concurrency. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** A null hash takes as long and returns false, so that timing does not reveal missing accounts. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export interface Rotation {
  readonly owner: string;
  readonly licenseKey: string;
  readonly generation: number;
  readonly rotatedAt: number;
}

/** Calls that only connected workers can serve. The store knows the connections; without a channel no worker is reachable. */
export interface ConnectedWorkers {
  records(owner: string): readonly WorkerRecord[];
  present(owner: string): ReadonlyMap<string, ConnectedWorker>;
  /** Queues `token_rotated` in every outbox of the account with room; returns how many accepted it. Never waits for a worker. */
  notifyRotation(rotation: Rotation): Promise<number>;
  /** Sends a small prompt to a worker's agent on any node and stores the result. Null if the worker is unreachable. */
  probe(owner: string, workerId: string, pair: ProbeTarget): Promise<ProbeRecord | null>;
  /** Asks these workers for the models of an agent, for at most 3 s, and stores the replies. */
  refreshModels(owner: string, workerIds: readonly string[], cli: string): Promise<void>;
}

export interface ConnectedWorker {
  readonly worker: WorkerRecord;
  readonly keyGeneration: number;
  /** When it last reported the models of each agent. */
  readonly modelsAt: ReadonlyMap<string, number>;
}

export interface ProbeTarget {
  readonly cli: string;
  readonly model: string;
}

export const NO_WORKERS: ConnectedWorkers = {
  records: () => [],
  present: () => new Map(),
  notifyRotation: () => Promise.resolve(0),
  probe: () => Promise.resolve(null),
  refreshModels: () => Promise.resolve(),
};

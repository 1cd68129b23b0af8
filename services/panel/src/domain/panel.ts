/** What the handlers are given: the store, the clock, the sources of ids and secrets, and the seams of what is still to be built. */
import type { IsolationLevel } from "@triptych/contracts";
import type { Encryption } from "@triptych/encryption";
import type { PanelStore } from "./repositories.ts";
import type { ProbeRecord, WorkerRecord } from "./workers.ts";

export interface Panel {
  readonly store: PanelStore;
  readonly seal: Encryption;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly workers: ConnectedWorkers;
  readonly now: () => number;
  readonly random: (count: number) => Uint8Array;
  readonly newId: (prefix: string) => string;
  readonly url: () => string;
  readonly allows: {
    /** Whether a repository at this path of our own disk may be added. */
    readonly localRepo: (path: string) => boolean;
    readonly privateHosts: boolean;
    /** The operator's least isolation: no run of any account is created below it. */
    readonly isolationMin: IsolationLevel;
  };
}

/** Keys and tokens: high-entropy, so their SHA-256 is enough at rest. */
export interface Secrets {
  hash(secret: string): string;
  mintAccessToken(): string;
}

/** Slow by design, on another thread, few at a time. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Against null it takes as long and answers false: who is not there is not told apart. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export interface Rotation {
  readonly owner: string;
  readonly licenseKey: string;
  readonly generation: number;
  readonly rotatedAt: number;
}

/** What only the workers themselves can do; who is connected where, the store knows. Without a channel nobody is reached. */
export interface ConnectedWorkers {
  /** Those connected to this node, without their figures. */
  records(owner: string): readonly WorkerRecord[];
  /** Those connected to this node, as they are at this moment. */
  present(owner: string): ReadonlyMap<string, ConnectedWorker>;
  /** Puts `token_rotated` in every outbox of the account that has room; answers how many took it. Never waits for a worker. */
  notifyRotation(rotation: Rotation): Promise<number>;
  /** One tiny prompt of a worker's agent, on whichever node it is connected; the result is kept. Null where it cannot be asked. */
  probe(owner: string, workerId: string, pair: ProbeTarget): Promise<ProbeRecord | null>;
  /** Asks these workers which models an agent has, waits 3 s at most, and keeps what came. */
  refreshModels(owner: string, workerIds: readonly string[], cli: string): Promise<void>;
}

export interface ConnectedWorker {
  readonly worker: WorkerRecord;
  readonly keyGeneration: number;
  /** When it last told the models of an agent, by the agent. */
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

/** What the handlers are given: the store, the clock, the sources of ids and secrets, and the seams of what is still to be built. */
import type { Seal } from "./seal.ts";
import type { PanelStore } from "./panel-store.ts";

export interface Panel {
  readonly store: PanelStore;
  readonly seal: Seal;
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
  verify(password: string, known: string | null): Promise<boolean>;
}

export interface Rotation {
  readonly owner: string;
  readonly licenseKey: string;
  readonly generation: number;
  readonly rotatedAt: number;
}

/**
 * Workers that are connected to this panel. The worker channel will be one implementation; until it is there, nobody is connected,
 * and that is what this says.
 */
export interface ConnectedWorkers {
  count(owner: string): number;
  /** Whether the worker that holds the run can be asked to stop it. */
  isConnected(owner: string, workerId: string | null): boolean;
  /** Puts `token_rotated` in every outbox of the account that has room; answers how many took it. Never waits for a worker. */
  tellRotation(rotation: Rotation): Promise<number>;
}

export const NOBODY_CONNECTED: ConnectedWorkers = {
  count: () => 0,
  isConnected: () => false,
  tellRotation: () => Promise.resolve(0),
};

/** Time and randomness of the connection. */
import { setTimeout } from "node:timers/promises";

export interface Clock {
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Resolves after the delay, or when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: Math.random,
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};

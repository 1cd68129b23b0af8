/** Time and chance as the channel needs them. */
import { setTimeout } from "node:timers/promises";

export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Resolves after so long, or as soon as the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: Math.random,
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};

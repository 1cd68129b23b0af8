/** The clock of this process. */
import { setTimeout as pause } from "node:timers/promises";
import type { Timers } from "./effects.ts";

export const systemTimers: Timers = {
  every(ms, act) {
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  },
  /** Ends early, without a fault, where nobody waits any more. */
  wait: (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}),
};

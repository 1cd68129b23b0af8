/** Clock and timers of background work, injected so that tests control time. */
export interface Timers {
  now(): number;
  /** Calls `act` once after `ms` unless cancelled by the returned function. */
  after(ms: number, act: () => void): () => void;
}

/** The timers alone, for callers that get the time separately. */
export type Alarms = Pick<Timers, "after">;

export const systemTimers: Timers = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Calls `act` periodically until the returned function is called, which `act` may do itself. */
export function every(alarms: Alarms, ms: number, act: () => void): () => void {
  let stop = alarms.after(ms, next);
  return () => stop();

  function next(): void {
    stop = alarms.after(ms, next);
    act();
  }
}

/** Resolves early, without an error, on abort. */
export function wait(alarms: Alarms, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stop = alarms.after(ms, end);
    signal.addEventListener("abort", end);
  });
}

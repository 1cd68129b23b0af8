/** The clock of all that works beside the requests: given, so that a test moves it by hand. */
export interface Timers {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `act` once after so many milliseconds, unless the answered function is called before. */
  after(ms: number, act: () => void): () => void;
}

/** For who is told the time apart. */
export type Alarms = Pick<Timers, "after">;

export const systemTimers: Timers = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Runs `act` again and again until the answered function is called, which `act` itself may do. */
export function every(alarms: Alarms, ms: number, act: () => void): () => void {
  let stop = alarms.after(ms, next);
  return () => stop();

  function next(): void {
    stop = alarms.after(ms, next);
    act();
  }
}

/** Ends early, without a fault, where nobody waits any more. */
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

/** The clock of the channel: given, so that a test moves it by hand. */
export interface Timers {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `act` once after so many milliseconds, unless the answered function is called before. */
  after(ms: number, act: () => void): () => void;
}

export const systemTimers: Timers = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

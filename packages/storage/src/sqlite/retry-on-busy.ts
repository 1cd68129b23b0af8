/**
 * Waits for another process that is writing, by retrying every 2 ms. SQLite's own busy handler backs off to 100 ms and
 * can miss every gap. Blocks the thread, so use it on the writer thread only.
 */
import { SqliteError } from "../errors.ts";

const RETRY_INTERVAL_MS = 2;

/** SQLITE_BUSY, SQLITE_BUSY_RECOVERY, SQLITE_BUSY_SNAPSHOT. */
const BUSY = [5, 261, 517];

export function retryWhileBusy<T>(limitMs: number, work: () => T): T {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const busy = error instanceof SqliteError && BUSY.includes(error.errcode);
      if (!busy || Date.now() >= until) throw error;
    }
    Atomics.wait(pause, 0, 0, RETRY_INTERVAL_MS);
  }
}

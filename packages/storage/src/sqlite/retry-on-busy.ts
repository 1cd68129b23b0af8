/**
 * Waiting for another process that is writing to the same file. SQLite's own waiting backs off to 100 ms between looks and can
 * miss every gap of a process that commits without pause; looking every 2 ms meets one. Blocks its thread: for the writer's.
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

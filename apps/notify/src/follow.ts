/**
 * Follows the panel's changes: reads the object of each notification, and scans after each connection and every minute.
 */
import type { ChangeNotice } from "@triptych/client";
import type { Log } from "./log.ts";
import type { PanelReader } from "./panel-reader.ts";

export interface FollowOptions {
  readonly reader: PanelReader;
  /** Opens the change stream once. `onOpen` is called when the panel has accepted the connection. */
  readonly openChanges: (onOpen: () => void, signal: AbortSignal) => AsyncIterable<ChangeNotice>;
  /** One sentence, without secrets. */
  readonly reasonOf: (error: unknown) => string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Resolves after the given milliseconds, or when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const SCAN_MS = 60_000;
/** Changes within this time are read in one batch. */
const BATCH_MS = 250;
const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 60_000;
/** Above this number, a scan needs fewer requests than reading each run. */
const RUNS_MAX = 100;

/** Resolves when the signal aborts. */
export async function follow(options: FollowOptions): Promise<void> {
  const { reader, openChanges, reasonOf, log, signal, wait } = options;
  const changedRuns = new Set<string>();
  let scanIsDue = true;
  let workersChanged = false;
  let wake = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => wake.resolve(), { once: true });
  await Promise.all([listen(), scanRegularly(), read()]);

  async function listen(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const onOpen = () => {
          failures = 0;
          log("following changes of the panel");
          // Changes before this connection were not received.
          note(() => (scanIsDue = true));
        };
        for await (const notice of openChanges(onOpen, signal)) noteChange(notice);
      } catch (error) {
        if (!signal.aborted) log("event stream closed; retrying", { reason: reasonOf(error) });
      }
      await wait(delayAfter(failures), signal);
    }
  }

  function noteChange({ type, id }: ChangeNotice): void {
    if (type === "run") note(() => changedRuns.add(id));
    if (type === "worker") note(() => (workersChanged = true));
  }

  function note(change: () => void): void {
    change();
    wake.resolve();
  }

  async function scanRegularly(): Promise<void> {
    while (!signal.aborted) {
      await wait(SCAN_MS, signal);
      note(() => (scanIsDue = true));
    }
  }

  async function read(): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        await readChanges();
        failures = 0;
        if (!hasChanges()) await wake.promise;
        wake = Promise.withResolvers();
        await wait(BATCH_MS, signal);
      } catch (error) {
        // The scan finds the changes whose read failed.
        scanIsDue = true;
        failures += 1;
        log("reading the panel failed; retrying", { reason: reasonOf(error) });
        await wait(delayAfter(failures), signal);
      }
    }
  }

  function hasChanges(): boolean {
    return scanIsDue || workersChanged || changedRuns.size > 0;
  }

  async function readChanges(): Promise<void> {
    const runs = [...changedRuns];
    changedRuns.clear();
    const isScan = scanIsDue || runs.length > RUNS_MAX;
    const hasWorkerChanges = workersChanged;
    [scanIsDue, workersChanged] = [false, false];
    if (isScan) return await reader.scan();
    for (const id of runs) await reader.readRun(id);
    if (hasWorkerChanges) await reader.readWorkers();
  }
}

function delayAfter(failures: number): number {
  return Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
}

/**
 * Startup checks. Before listening, the end of the ledger is checked, and a small file completely. A worker thread
 * checks the rest while the rail accepts charges; if a check fails, writes stop.
 */
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { StoreLocation } from "@triptych/storage";
import type { Logger } from "pino";
import type { IntegrityRecord } from "./domain/integrity.ts";
import type { Ledger } from "./domain/ledger.ts";
import { isCheckedAtStart, quickCheck } from "./store/check-file.ts";
import type { CheckRequest, CheckResult } from "./store/check-thread.ts";
import { railStore } from "./store/migrations.ts";

export interface LedgerCheckOptions {
  readonly place: StoreLocation;
  readonly ledger: Pick<Ledger, "recentIssues">;
  readonly integrity: IntegrityRecord;
  readonly logger: Logger;
}

export interface LedgerCheck {
  continue(delayMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Startup work needs the CPU first. */
const DELAY_MS = 1_000;

const REMEDY =
  "stop the rail, keep its files, run `triptych rail audit`, and restore the last good backup into an empty folder";

export async function checkLedger({ place, ledger, integrity, logger }: LedgerCheckOptions): Promise<LedgerCheck> {
  const file = place.databaseUrl === undefined ? railStore.fileIn(place.dataFolder) : null;
  const isSmall = file !== null && (await isCheckedAtStart(file));
  const report = (issues: readonly string[]) => {
    if (issues.length === 0) return;
    integrity.failed(issues);
    logger.fatal({ issues: issues.slice(0, 20) }, `ledger damaged; nothing is charged: ${REMEDY}`);
  };
  report(isSmall ? quickCheck(file) : []);
  if (integrity.issue() === null) report(await ledger.recentIssues().catch((error: unknown) => [String(error)]));

  const stopped = new AbortController();
  let thread: Worker | null = null;
  return {
    async continue(delayMs = DELAY_MS) {
      if (integrity.issue() !== null) return;
      const startedAt = performance.now();
      try {
        await setTimeout(delayMs, undefined, { signal: stopped.signal, ref: false });
        thread = startThread({ ...railStore.addressOf(place), file: isSmall ? null : file });
        const [{ issues, entries }] = (await once(thread, "message", { signal: stopped.signal })) as [CheckResult];
        report(issues);
        integrity.finished();
        if (issues.length === 0)
          logger.info({ entries, ms: Math.round(performance.now() - startedAt) }, "ledger checked");
      } catch (error) {
        // A check that could not run does not mean that the ledger is damaged; it stays unchecked until `triptych rail
        // audit`.
        if (!stopped.signal.aborted) logger.error({ err: error }, "ledger check failed to run");
      }
    },
    async stop() {
      stopped.abort();
      await thread?.terminate();
    },
  };
}

function startThread(workerData: CheckRequest): Worker {
  const thread = new Worker(new URL("./store/check-thread.ts", import.meta.url), { name: "ledger-check", workerData });
  thread.unref();
  return thread;
}

/** Worker thread for the full checks, so that the event loop stays free. */
/* oxlint-disable unicorn/require-post-message-target-origin -- that is a rule for windows; threads have no origin */
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "@triptych/storage";
import { quickCheck } from "./check-file.ts";
import { RAIL_MIGRATIONS } from "./migrations.ts";
import { openLedger } from "./open-ledger.ts";
import type { RailTables } from "./tables.ts";

export interface CheckRequest {
  readonly url: string;
  readonly schema: string;
  /** Null if already checked, or not a file. */
  readonly file: string | null;
}

export interface CheckResult {
  readonly issues: readonly string[];
  readonly entries: number;
}

async function check({ file, ...address }: CheckRequest): Promise<CheckResult> {
  const damaged = file === null ? [] : quickCheck(file);
  if (damaged.length > 0) return { issues: damaged, entries: 0 };
  await using database = await openDatabase<RailTables>({ ...address, migrations: RAIL_MIGRATIONS, readOnly: true });
  const { violations, entries } = await openLedger(database).audit();
  return {
    issues: violations.map(({ invariant, subject, message }) => `${invariant} ${subject}: ${message}`),
    entries,
  };
}

// The parent thread is the only sender. Do not use top-level await: V8 aborts the process if a waiting module is
// terminated.
check(workerData as CheckRequest).then(
  (result) => parentPort?.postMessage(result),
  (error: unknown) => {
    setImmediate(() => {
      throw error;
    });
  },
);

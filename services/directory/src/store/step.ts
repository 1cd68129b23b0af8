/**
 * A staging works in steps: one bounded transaction each, and each one checks that the turn is still its own. On a slow or busy
 * machine a step would hold the only writer for too long, so its size follows the time that the steps before it took. A step that
 * was rolled back because it took too long is repeated with fewer rows: nothing of it was stored.
 */
import { storeTrouble, type Transaction } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

/** Rows that one step touches at most: some tens of milliseconds of a free machine. */
export const STEP_ROWS_MAX = 2000;
const STEP_ROWS_MIN = 50;
/** The usage records of a running service wait for as long. */
const SLOW_STEP_MS = 500;
const FAST_STEP_MS = 100;
/** Of one step, the smallest included: the store gives up on each after 4 to 5 s. */
const ATTEMPTS_MAX = 10;

/** Runs one bounded step of the staging, or throws `PublicationLost`. `run` may touch so many rows, and may be repeated. */
export type Step = <T>(run: (tx: Transaction<DirectoryTables>, rows: number) => Promise<T>) => Promise<T>;

/** The smallest step takes too long, several times. */
export class StagingTooSlow extends Error {
  override readonly name = "StagingTooSlow";

  constructor(cause: unknown) {
    super(
      "The machine is too slow or too busy: the store gave up on a step of this import several times. Nothing was published. " +
        "Try again when the machine has less to do.",
      { cause },
    );
  }
}

type Once = <T>(run: (tx: Transaction<DirectoryTables>) => Promise<T>) => Promise<T>;

/** `once` runs one transaction. */
export function createStep(once: Once): Step {
  let rows = STEP_ROWS_MAX;
  return async (run) => {
    for (let attempt = 1; ; attempt++) {
      const start = performance.now();
      try {
        const limit = rows;
        const result = await once((tx) => run(tx, limit));
        rows = nextSize(rows, performance.now() - start);
        return result;
      } catch (error) {
        if (storeTrouble(error) !== "overloaded") throw error;
        if (attempt === ATTEMPTS_MAX) throw new StagingTooSlow(error);
        rows = Math.max(STEP_ROWS_MIN, Math.floor(rows / 4));
      }
    }
  };
}

function nextSize(rows: number, tookMs: number): number {
  if (tookMs > SLOW_STEP_MS) return Math.max(STEP_ROWS_MIN, Math.floor(rows / 2));
  return tookMs < FAST_STEP_MS ? Math.min(STEP_ROWS_MAX, rows * 2) : rows;
}

/** Repeats a statement that touches at most `rows` rows until it finds fewer. */
export async function everyRow(
  step: Step,
  run: (tx: Transaction<DirectoryTables>, rows: number) => Promise<{ readonly numAffectedRows?: bigint }>,
): Promise<void> {
  for (;;) {
    const isLast = await step(async (tx, rows) => {
      const { numAffectedRows = 0n } = await run(tx, rows);
      return numAffectedRows < BigInt(rows);
    });
    if (isLast) return;
  }
}

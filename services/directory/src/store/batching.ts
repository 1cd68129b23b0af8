/**
 * A staging runs in bounded transactions (steps), each of which verifies the lock. The step size adapts to previous
 * durations, so that a slow machine does not block the only writer for long. A step that times out is retried with
 * fewer rows.
 */
import { classifyStorageError, type Transaction } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

/** Lengths to which lists are padded. */
const SHORT = 16;
const STRIDE = 256;
/** Maximum rows per step: tens of milliseconds on an idle machine. */
export const STEP_ROWS_MAX = 2000;
const STEP_ROWS_MIN = 50;
/** Usage records of a running service have to wait for a step this long. */
const SLOW_STEP_MS = 500;
const FAST_STEP_MS = 100;
/** Attempts per step; the store times out after 4 to 5 s each. */
const ATTEMPTS_MAX = 10;

/** Runs one bounded step, or throws `PublishLockLostError`. `run` may touch up to `rows` rows and may be repeated. */
export type Step = <T>(run: (tx: Transaction<DirectoryTables>, rows: number) => Promise<T>) => Promise<T>;

export class StagingTooSlow extends Error {
  override readonly name = "StagingTooSlow";

  constructor(cause: unknown) {
    super("Import timed out: the machine is too slow or too busy. Nothing was published. Try again under less load.", {
      cause,
    });
  }
}

type Once = <T>(run: (tx: Transaction<DirectoryTables>) => Promise<T>) => Promise<T>;

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
        if (classifyStorageError(error) !== "overloaded") throw error;
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

/** Repeats a statement limited to `rows` rows until it finds fewer. */
export async function inBatches(
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

/**
 * Pads lists for `in (…)` to a few lengths by repeating the last value. Statements are prepared and cached per number
 * of parameters: arbitrary lengths would leave hundreds of large statements in the cache.
 */
export function padInList<Value>(values: readonly Value[]): readonly Value[] {
  const last = values.at(-1);
  if (last === undefined) return values;
  const length = values.length <= SHORT ? SHORT : Math.ceil(values.length / STRIDE) * STRIDE;
  return values.length === length ? values : [...values, ...Array<Value>(length - values.length).fill(last)];
}

/**
 * Writes rows behind, in ordered batches, one at a time. A failed batch stays first and is retried with backoff, so
 * `write` must be idempotent per batch.
 */
import type { MeterLag } from "./meter.ts";
import type { UsageRow } from "./usage.ts";

export interface WriteBehindBuffer {
  add(row: UsageRow): void;
  /** Resolves when all earlier rows are written. If writing fails, rejects and keeps the rows. */
  flush(): Promise<void>;
  readonly waiting: number;
  lag(): MeterLag;
  close(): Promise<void>;
}

export interface RowWriterOptions {
  /** `again`: the same rows were tried before, with a failed or unknown result. */
  readonly write: (rows: readonly UsageRow[], attempt: { readonly again: boolean }) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Delay from the first row of a batch. A crash may lose 50 ms; the rest allows for a late timer and the disk. Not
 * shorter, because commits are expensive.
 */
const WAIT_MS = 30;

/** About half a megabyte per message to the writer; larger batches would block other writers. */
const BATCH_ROWS = 2000;

const RETRY_MS = { first: 100, last: 5000 };

export function createWriteBehindBuffer({ write, onError }: RowWriterOptions): WriteBehindBuffer {
  let rows: UsageRow[] = [];
  /** Arrival of the first row outside any batch. */
  let since: number | null = null;
  /** When the first unwritten row arrived. After a batch, this may be too early, but never too late. */
  let oldest = 0;
  let added = 0;
  let written = 0;
  let retryMs = 0;
  /** Size of the failed first batch, which is retried unchanged, without rows queued since. */
  let failed: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  return {
    add(row) {
      if (closing !== undefined) throw new Error("the meter is closed: settle requests before closing it");
      if (rows.length === 0) oldest = performance.now();
      rows.push(row);
      added += 1;
      since ??= performance.now();
      if (writing === undefined) schedule();
    },
    flush: () => flush(),
    get waiting() {
      return rows.length;
    },
    lag: () => ({ rows: rows.length, oldestMs: rows.length === 0 ? 0 : performance.now() - oldest }),
    close() {
      closing ??= flush().finally(() => clearTimeout(timer));
      return closing;
    },
  };

  async function flush(goal = added): Promise<void> {
    if (written >= goal) return;
    await writeBatch();
    await flush(goal);
  }

  /** Concurrent callers share the batch being written. */
  function writeBatch(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeFirst().finally(() => {
      writing = undefined;
      if (rows.length > 0) schedule();
    });
    return writing;
  }

  async function writeFirst(): Promise<void> {
    const batch = rows.slice(0, failed ?? BATCH_ROWS);
    // Remaining rows must not wait longer than new ones.
    const began = performance.now();
    since = batch.length < rows.length ? began : null;
    try {
      await write(batch, { again: failed !== null });
    } catch (error) {
      failed = batch.length;
      retryMs = Math.min(RETRY_MS.last, Math.max(RETRY_MS.first, retryMs * 2));
      throw error;
    }
    // The arrival of rows left behind by a full or repeated batch is unknown, but not before the former oldest.
    if (failed === null && batch.length < BATCH_ROWS) oldest = began;
    rows = rows.slice(batch.length);
    written += batch.length;
    failed = null;
    retryMs = 0;
  }

  function schedule(): void {
    if (closing !== undefined) return;
    const waited = since === null ? 0 : performance.now() - since;
    timer ??= setTimeout(() => void writeBatch().catch(onError), Math.max(WAIT_MS - waited, retryMs, 0)).unref();
  }
}

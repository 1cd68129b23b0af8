/**
 * Writes rows behind: those that come within a short wait are written together, one batch at a time, in their order. A batch that
 * fails stays in front and is tried again, ever more slowly; `write` must therefore do nothing for a batch it has stored before.
 */
import type { UsageRow } from "./usage.ts";

export interface WriteBehindBuffer {
  add(row: UsageRow): void;
  /** Resolves when all rows added before are written; rejects when they cannot be now, and keeps them. */
  flush(): Promise<void>;
  /** Rows not yet written. */
  readonly waiting: number;
  /** Writes what waits, then takes no more. */
  close(): Promise<void>;
}

export interface RowWriterOptions {
  /** `again`: the very same rows were tried before, and failed or were thought to. */
  readonly write: (rows: readonly UsageRow[], attempt: { readonly again: boolean }) => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Of the 50 ms that a crash may lose, from when the first row of a batch came; the rest is for a timer that is late and for the disk. Every
 * commit costs, so not less.
 */
const WAIT_MS = 30;

/** One message to the writer of about half a megabyte; more would hold other writers up. */
const BATCH_ROWS = 2000;

const RETRY_MS = { first: 100, last: 5000 };

export function createRowWriter({ write, onFault }: RowWriterOptions): WriteBehindBuffer {
  let rows: UsageRow[] = [];
  /** When the first row came that is in no batch yet. */
  let since: number | null = null;
  let added = 0;
  let written = 0;
  let retryMs = 0;
  /** Size of the batch in front that failed: it comes again as it was, without what has joined the queue since. */
  let failed: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  return {
    add(row) {
      if (closing !== undefined) throw new Error("the meter is closed: settle requests before closing it");
      rows.push(row);
      added += 1;
      since ??= performance.now();
      if (writing === undefined) schedule();
    },
    flush: () => flush(),
    get waiting() {
      return rows.length;
    },
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

  /** Whoever asks while a batch is being written shares it. */
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
    // What is left waits no longer than what comes now.
    since = batch.length < rows.length ? performance.now() : null;
    try {
      await write(batch, { again: failed !== null });
    } catch (fault) {
      failed = batch.length;
      retryMs = Math.min(RETRY_MS.last, Math.max(RETRY_MS.first, retryMs * 2));
      throw fault;
    }
    rows = rows.slice(batch.length);
    written += batch.length;
    failed = null;
    retryMs = 0;
  }

  function schedule(): void {
    if (closing !== undefined) return;
    const waited = since === null ? 0 : performance.now() - since;
    timer ??= setTimeout(() => void writeBatch().catch(onFault), Math.max(WAIT_MS - waited, retryMs, 0)).unref();
  }
}

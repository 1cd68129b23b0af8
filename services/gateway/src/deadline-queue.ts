/**
 * Times out requests. All requests of a queue have the same timeout, so they expire in order and share one timer. A timer per request would
 * burden every decision and almost never fire.
 */
import type { Timers } from "@triptych/billing-client";

export interface DeadlineQueue extends Disposable {
  begin(giveUp: (why: Error) => void): () => void;
}

export interface DeadlineQueueOptions {
  readonly milliseconds: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly timers: Timers;
}

interface Waiting {
  readonly until: number;
  readonly giveUp: (why: Error) => void;
}

export function createDeadlineQueue({ milliseconds, now, timers }: DeadlineQueueOptions): DeadlineQueue {
  // Sets iterate in insertion order.
  const waiting = new Set<Waiting>();
  let cancel: (() => void) | null = null;

  return {
    begin(giveUp) {
      const mine = { until: now() + milliseconds, giveUp };
      waiting.add(mine);
      cancel ??= timers.after(milliseconds, expireDue);
      return () => void waiting.delete(mine);
    },
    [Symbol.dispose]() {
      cancel?.();
      waiting.clear();
    },
  };

  function expireDue(): void {
    cancel = null;
    for (const entry of waiting) {
      const left = entry.until - now();
      if (left > 0) {
        cancel = timers.after(left, expireDue);
        return;
      }
      waiting.delete(entry);
      entry.giveUp(new DOMException(`Timeout: no response within ${milliseconds} ms.`, "TimeoutError"));
    }
  }
}

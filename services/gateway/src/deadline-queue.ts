/**
 * Gives up exchanges that take too long. All of one patience have the same time, so the first that began is the first that is overdue,
 * and one timer does for all of them: a timer for each would cost every decision, to go off for none.
 */
import type { Timers } from "@triptych/client/billing";

export interface DeadlineQueue extends Disposable {
  /** Calls `giveUp` when the time is over; answers how to say that the exchange has ended before. */
  begin(giveUp: (why: Error) => void): () => void;
}

export interface DeadlineQueueOptions {
  readonly milliseconds: number;
  /** Milliseconds of a clock that only rises. */
  readonly now: () => number;
  readonly timers: Timers;
}

interface Waiting {
  readonly until: number;
  readonly giveUp: (why: Error) => void;
}

export function createDeadlineQueue({ milliseconds, now, timers }: DeadlineQueueOptions): DeadlineQueue {
  // Sets keep the order of insertion.
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
      entry.giveUp(new DOMException(`There was no answer within ${milliseconds} ms.`, "TimeoutError"));
    }
  }
}

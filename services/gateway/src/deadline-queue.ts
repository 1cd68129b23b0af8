/**
 * Gives up exchanges that take too long. All of one patience have the same time, so the first that began is the first that is overdue,
 * and one timer does for all of them: a timer for each would cost every decision, to go off for none.
 */
import type { Timers } from "@triptych/client/billing";

export interface Patience extends Disposable {
  /** Calls `giveUp` when the time is over; answers how to say that the exchange has ended before. */
  begin(giveUp: (why: Error) => void): () => void;
}

export interface PatienceOptions {
  readonly milliseconds: number;
  /** Milliseconds of a clock that only rises. */
  readonly now: () => number;
  readonly timers: Timers;
}

interface Waiting {
  readonly until: number;
  readonly giveUp: (why: Error) => void;
}

export function createPatience({ milliseconds, now, timers }: PatienceOptions): Patience {
  // Sets keep the order of insertion.
  const waiting = new Set<Waiting>();
  let cancel: (() => void) | null = null;

  return {
    begin(giveUp) {
      const mine = { until: now() + milliseconds, giveUp };
      waiting.add(mine);
      cancel ??= timers.after(milliseconds, look);
      return () => void waiting.delete(mine);
    },
    [Symbol.dispose]() {
      cancel?.();
      waiting.clear();
    },
  };

  function look(): void {
    cancel = null;
    for (const one of waiting) {
      const left = one.until - now();
      if (left > 0) {
        cancel = timers.after(left, look);
        return;
      }
      waiting.delete(one);
      one.giveUp(new DOMException(`There was no answer within ${milliseconds} ms.`, "TimeoutError"));
    }
  }
}

/** A clock that stands until a test moves it; what is due then happens in its order. */
import type { Timers } from "../../src/timers.ts";

export interface Clock extends Timers {
  /** Moves on in steps, so that what plans itself again is due again. */
  advance(ms: number): void;
}

export function createClock(start = Date.parse("2026-11-22T10:00:00Z")): Clock {
  let now = start;
  const due = new Set<{ readonly at: number; readonly act: () => void }>();
  return {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      due.add(timer);
      return () => void due.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        due.delete(next);
        now = Math.max(now, next.at);
        next.act();
      }
      now = end;
    },
  };
}

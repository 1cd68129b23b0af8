/** A manual clock; due timers run in order. */
import type { Timers } from "../../src/timers.ts";

export interface Clock extends Timers {
  /** Advances in steps, so that repeated timers run repeatedly. */
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

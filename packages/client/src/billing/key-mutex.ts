/**
 * Calls of one client key that run on this gateway at once: the first one acts, the others wait for what becomes of it. When it was
 * delivered they get its answer as a replay; when it came to nothing, the one that waits longest acts next.
 */
import type { Timers } from "./transport.ts";

/** What a waiting call is told: act yourself, take this answer, the key means another request, or it took too long. */
export type MutexResult<A> =
  | { readonly kind: "act"; readonly run: Run<A> }
  | { readonly kind: "replay"; readonly answer: A }
  | { readonly kind: "other_request" }
  | { readonly kind: "too_long" };

/** The call that acts ends its run once. */
export interface Run<A> {
  delivered(answer: A): void;
  /** Nothing was delivered: the next one may act. */
  failed(): void;
}

export interface KeyMutex<A> {
  enter(name: string, request: string): Promise<MutexResult<A>>;
  readonly size: number;
}

interface Running<A> {
  readonly request: string;
  readonly waiters: Set<(result: MutexResult<A>) => void>;
}

export function createRunningKeys<A>(timers: Timers, timeoutMs: number): KeyMutex<A> {
  const running = new Map<string, Running<A>>();

  return {
    enter(name, request) {
      const first = running.get(name);
      if (first === undefined) {
        const mine: Running<A> = { request, waiters: new Set() };
        running.set(name, mine);
        return Promise.resolve({ kind: "act", run: runOf(name, mine) });
      }
      if (first.request !== request) return Promise.resolve({ kind: "other_request" });
      return new Promise((resolve) => {
        const cancel = timers.after(timeoutMs, () => settle({ kind: "too_long" }));
        first.waiters.add(settle);

        function settle(result: MutexResult<A>): void {
          cancel();
          first?.waiters.delete(settle);
          resolve(result);
        }
      });
    },
    get size() {
      return running.size;
    },
  };

  function runOf(name: string, mine: Running<A>): Run<A> {
    let isOver = false;
    return {
      delivered(answer) {
        if (isOver) return;
        isOver = true;
        running.delete(name);
        for (const settle of mine.waiters) settle({ kind: "replay", answer });
      },
      failed() {
        if (isOver) return;
        isOver = true;
        const [next] = mine.waiters;
        if (next === undefined) running.delete(name);
        else next({ kind: "act", run: runOf(name, mine) });
      },
    };
  }
}

/**
 * Serializes concurrent calls with the same idempotency key: the first runs, the others wait. If its response is
 * delivered, they get it as a replay. If it fails, the call that has waited longest runs next.
 */
import type { Timers } from "./transport.ts";

/**
 * Result for a waiting call: it runs, replays a response, or fails because the key was used for another request or the
 * wait timed out.
 */
export type MutexResult<A> =
  | { readonly kind: "act"; readonly run: Run<A> }
  | { readonly kind: "replay"; readonly answer: A }
  | { readonly kind: "other_request" }
  | { readonly kind: "too_long" };

export interface Run<A> {
  delivered(answer: A): void;
  /** Call if nothing was delivered: the next waiting call runs. */
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

export function createKeyMutex<A>(timers: Timers, timeoutMs: number): KeyMutex<A> {
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

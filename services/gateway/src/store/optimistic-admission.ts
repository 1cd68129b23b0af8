/**
 * The last known usage of each wallet's window, which lets calls proceed before they are counted. It is a guess: other gateways count in
 * the same window. Below half usage it is rarely wrong; after a wrong guess, or without data, calls wait again.
 */
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";

export interface OptimisticAdmissionOptions {
  /** Older results are ignored. */
  readonly freshMs: number;
  readonly now: () => number;
}

interface WindowState {
  remaining: number;
  at: number;
  /** Requested slots that `remaining` does not include yet. */
  pending: number;
}

/** Cached wallets; the oldest entry is evicted first. */
const WALLETS = 10_000;

type Take = MinuteWindow["take"];

/** Wraps `take` and records its results. */
export function withOptimisticAdmission(
  take: Take,
  { freshMs, now }: OptimisticAdmissionOptions,
): Pick<MinuteWindow, "take" | "isRoomy"> {
  const states = new Map<string, WindowState>();

  return {
    async take(wallet, limit) {
      const state = states.get(wallet) ?? firstOf(wallet);
      state.pending++;
      try {
        const taken = await take(wallet, limit);
        state.remaining = taken.remaining;
        state.at = now();
        return taken;
      } catch (error) {
        state.remaining = 0;
        throw error;
      } finally {
        state.pending--;
      }
    },
    isRoomy(wallet, limit) {
      const state = states.get(wallet);
      if (state === undefined || now() - state.at >= freshMs) return false;
      return state.remaining - state.pending >= limit / 2;
    },
  };

  function firstOf(wallet: string): WindowState {
    const state = { remaining: 0, at: 0, pending: 0 };
    states.set(wallet, state);
    const [oldest] = states.keys();
    if (states.size > WALLETS && oldest !== undefined) states.delete(oldest);
    return state;
  }
}

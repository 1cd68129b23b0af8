/**
 * What was last heard of the minutes of wallets, for calls that need not wait for their place before they go on. It is only a guess: other
 * gateways take places of the same minute. Of a minute that was half empty it is rarely wrong; as soon as it was, or as nothing was heard,
 * calls wait again.
 */
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";

export interface OptimisticAdmissionOptions {
  /** What was heard earlier says nothing any more. */
  readonly freshMs: number;
  readonly now: () => number;
}

interface WindowState {
  remaining: number;
  at: number;
  /** Places that are asked for, and that `remaining` does not count yet. */
  pending: number;
}

/** Wallets remembered at most; the one heard of first goes first. */
const WALLETS = 10_000;

type Take = MinuteWindow["take"];

/** `take` with an ear on it. */
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

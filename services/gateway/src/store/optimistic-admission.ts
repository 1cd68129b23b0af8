/**
 * What was last heard of the minutes of wallets, for calls that need not wait for their place before they go on. It is only a guess: other
 * gateways take places of the same minute. Of a minute that was half empty it is rarely wrong; as soon as it was, or as nothing was heard,
 * calls wait again.
 */
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";

export interface OutlookOptions {
  /** What was heard earlier says nothing any more. */
  readonly freshMs: number;
  readonly now: () => number;
}

interface Heard {
  remaining: number;
  at: number;
  /** Places that are asked for, and that `remaining` does not count yet. */
  asked: number;
}

/** Wallets remembered at most; the one heard of first goes first. */
const WALLETS = 10_000;

type Take = MinuteWindow["take"];

/** `take` with an ear on it. */
export function withOutlook(take: Take, { freshMs, now }: OutlookOptions): Pick<MinuteWindow, "take" | "isRoomy"> {
  const known = new Map<string, Heard>();

  return {
    async take(wallet, limit) {
      const heard = known.get(wallet) ?? firstOf(wallet);
      heard.asked++;
      try {
        const taken = await take(wallet, limit);
        heard.remaining = taken.remaining;
        heard.at = now();
        return taken;
      } catch (error) {
        heard.remaining = 0;
        throw error;
      } finally {
        heard.asked--;
      }
    },
    isRoomy(wallet, limit) {
      const heard = known.get(wallet);
      if (heard === undefined || now() - heard.at >= freshMs) return false;
      return heard.remaining - heard.asked >= limit / 2;
    },
  };

  function firstOf(wallet: string): Heard {
    const heard = { remaining: 0, at: 0, asked: 0 };
    known.set(wallet, heard);
    const [oldest] = known.keys();
    if (known.size > WALLETS && oldest !== undefined) known.delete(oldest);
    return heard;
  }
}

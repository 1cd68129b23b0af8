/**
 * How much at once: of one wallet so many calls in flight, of all wallets together so many, and of one wallet so many decisions in any
 * span of a minute. What is too much is refused at once: a queue would only make everybody wait, and those at its end for nothing.
 */

/** At most `limit` accepted in any span of a minute. */
export interface MinuteWindow {
  take(
    wallet: string,
    limit: number,
  ): Promise<{ readonly accepted: boolean; readonly remaining: number; readonly resetMs: number }>;
  /** How it stands, counting nothing. */
  peek(wallet: string, limit: number): Promise<{ readonly remaining: number; readonly resetMs: number }>;
  /** Whether a place is as good as had, by what was last heard; never where places are had at once. */
  isRoomy(wallet: string, limit: number): boolean;
}

export interface TrafficOptions {
  readonly window: MinuteWindow;
  readonly perMinute: number;
  readonly perWallet: number;
  readonly inAll: number;
}

export interface ConcurrencyLimiter {
  readonly perMinute: number;
  readonly perWallet: number;
  /** A place for a call of anybody; null when all are taken. It is given back once. */
  enter(): (() => void) | null;
  /** A place among those of this wallet; null when all are taken. */
  enterOf(wallet: string): (() => void) | null;
  /** Counts a decision of the wallet if the minute has room. */
  count(wallet: string): Promise<Counted>;
  /** Whether a call of the wallet may go ahead while its place is still being counted: the minute has room as far as is known. */
  isRoomy(wallet: string): boolean;
  /** What is left of the wallet's minute, for a call that is none of its decisions. */
  peek(wallet: string): Promise<RateLimitStatus>;
  readonly inFlight: number;
}

export interface RateLimitStatus {
  readonly remaining: number;
  /** Until one more is accepted than now; 0 when none has been counted. */
  readonly resetSeconds: number;
}

export interface Counted extends RateLimitStatus {
  readonly isAccepted: boolean;
}

export function createTraffic({ window, perMinute, perWallet, inAll }: TrafficOptions): ConcurrencyLimiter {
  const ofWallets = new Map<string, number>();
  let inFlight = 0;

  return {
    perMinute,
    perWallet,
    enter() {
      if (inFlight >= inAll) return null;
      inFlight++;
      return once(() => void inFlight--);
    },
    enterOf(wallet) {
      const mine = ofWallets.get(wallet) ?? 0;
      if (mine >= perWallet) return null;
      ofWallets.set(wallet, mine + 1);
      return once(() => leave(wallet));
    },
    async count(wallet) {
      const { accepted, remaining, resetMs } = await window.take(wallet, perMinute);
      return { isAccepted: accepted, remaining, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
    },
    isRoomy: (wallet) => window.isRoomy(wallet, perMinute),
    async peek(wallet) {
      const { remaining, resetMs } = await window.peek(wallet, perMinute);
      return { remaining, resetSeconds: Math.ceil(resetMs / 1000) };
    },
    get inFlight() {
      return inFlight;
    },
  };

  function leave(wallet: string): void {
    const left = (ofWallets.get(wallet) ?? 1) - 1;
    if (left > 0) ofWallets.set(wallet, left);
    else ofWallets.delete(wallet);
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/**
 * Limits concurrent calls per wallet and in total, and decisions per wallet in any 60-second window. Excess calls are
 * rejected immediately: a queue would delay every call and still reject the last ones.
 */

/** Accepts at most `limit` in any 60-second window. */
export interface MinuteWindow {
  take(
    wallet: string,
    limit: number,
  ): Promise<{ readonly accepted: boolean; readonly remaining: number; readonly resetMs: number }>;
  peek(wallet: string, limit: number): Promise<{ readonly remaining: number; readonly resetMs: number }>;
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
  /** Takes a slot of the total; null if all are taken. Call the returned function once to release it. */
  enter(): (() => void) | null;
  /** Takes a slot of this wallet; null if all are taken. */
  enterOf(wallet: string): (() => void) | null;
  /** Counts a decision of the wallet if its window has capacity. */
  count(wallet: string): Promise<Counted>;
  peek(wallet: string): Promise<RateLimitStatus>;
  readonly inFlight: number;
}

export interface RateLimitStatus {
  readonly remaining: number;
  /** Seconds until the window frees a slot; 0 if nothing is counted. */
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

/**
 * Reconnect backoff. Three tries within two seconds cover a panel restart. Later delays are random, up to the outage's duration and at
 * most 30 s: a thousand workers return spread out.
 */
export interface RetryState {
  readonly tries: number;
  /** Milliseconds since the first of them. */
  readonly lasted: number;
}

const QUICK_TRIES = 3;
/** All three within two seconds. */
const QUICK_MS = 650;
const LONGEST_MS = 30_000;

export function waitBefore({ tries, lasted }: RetryState, random: number): number {
  if (tries < QUICK_TRIES) return Math.round(QUICK_MS * random);
  return Math.round(Math.min(LONGEST_MS, Math.max(QUICK_MS, lasted)) * random);
}

/** A rejected key or a full account needs a person, so retries are slow. */
export const REFUSED_WAIT_MS = 60_000;

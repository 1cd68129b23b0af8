/**
 * When a lost connection is tried again. Three tries come within two seconds, because most of what breaks is a panel that restarts;
 * after them each wait is random and no longer than the trouble has lasted so far, at most half a minute: a thousand workers that
 * lost the same panel come back spread out, and the longer it was away the wider.
 */
export interface RetryState {
  /** Tries so far that ended without a connection that lasted. */
  readonly tries: number;
  /** Milliseconds since the first of them. */
  readonly lasted: number;
}

const QUICK_TRIES = 3;
/** Three of them are two seconds at most. */
const QUICK_MS = 650;
const LONGEST_MS = 30_000;

/** `random`: from 0 up to 1. */
export function waitBefore({ tries, lasted }: RetryState, random: number): number {
  if (tries < QUICK_TRIES) return Math.round(QUICK_MS * random);
  return Math.round(Math.min(LONGEST_MS, Math.max(QUICK_MS, lasted)) * random);
}

/** A key that is refused, or an account without room: only a person can change that, so nobody is pressed. */
export const REFUSED_WAIT_MS = 60_000;

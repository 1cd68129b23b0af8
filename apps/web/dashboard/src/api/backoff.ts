/** Exponential backoff with jitter, at most 30 s, so that many tabs do not reconnect together. */
const DELAY_MIN_MS = 500;
const DELAY_MAX_MS = 30_000;

/** @param failures consecutive failures, from 1. @param random from 0 to 1. */
export function pauseMs(failures: number, random: number): number {
  const most = Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(most * (0.5 + random / 2));
}

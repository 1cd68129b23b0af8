/** How long to wait before the next try: twice as long each time, 30 s at most, at random, so that many tabs do not come back at once. */
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** @param failures how many tries failed in a row, from 1. @param random from 0 to 1. */
export function pauseMs(failures: number, random: number): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(most * (0.5 + random / 2));
}

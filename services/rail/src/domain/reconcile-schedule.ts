/**
 * Schedule of provider checks for a payment without events: events get lost, money must not. After 5 minutes, then at
 * doubling intervals, last after 3 days. Checkouts end within one day.
 */
const FIRST_MS = 5 * 60_000;
const LAST_MS = 3 * 24 * 3_600_000;

/** The first check after `now`, or null after the last. A rail that was down checks once on return and continues. */
export function nextCheck(createdAt: number, now: number): number | null {
  for (let interval = FIRST_MS, after = interval; after < LAST_MS; interval *= 2, after += interval)
    if (createdAt + after > now) return createdAt + after;
  return createdAt + LAST_MS > now ? createdAt + LAST_MS : null;
}

/**
 * After a provider failure: retry soon, even after the last scheduled check. An outage must not cost the final check.
 */
export function checkAfterFailure(now: number): number {
  return now + FIRST_MS;
}

/**
 * When to ask a provider about a payment of which nothing was heard: events get lost, money must not. After 5 minutes, then after
 * intervals that double, a last time after 3 days; checkouts end within one.
 */
const FIRST_MS = 5 * 60_000;
const LAST_MS = 3 * 24 * 3_600_000;

/** The first time after `now`, or null when the last one has passed. A rail that was down asks once when it is back, and goes on. */
export function nextCheck(createdAt: number, now: number): number | null {
  for (let interval = FIRST_MS, after = interval; after < LAST_MS; interval *= 2, after += interval)
    if (createdAt + after > now) return createdAt + after;
  return createdAt + LAST_MS > now ? createdAt + LAST_MS : null;
}

/** The provider did not answer: soon again, however many times were used up. Its outage must not cost the last look. */
export function checkAfterFailure(now: number): number {
  return now + FIRST_MS;
}

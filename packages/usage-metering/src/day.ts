/**
 * UTC calendar days as stored and returned: `2026-11-20`. They sort as text, and a month is a prefix of seven
 * characters.
 */
export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function untilMidnight(at: number): number {
  return DAY_MS - (((at % DAY_MS) + DAY_MS) % DAY_MS);
}

/** First and last possible day of a month, as text bounds: as text, `-31` works for every month. */
export function monthBounds(dayOrMonth: string): readonly [string, string] {
  const month = dayOrMonth.slice(0, 7);
  return [`${month}-01`, `${month}-31`];
}

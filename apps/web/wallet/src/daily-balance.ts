/** The balance at the end of each of the last UTC days, from the last entry of each day with movements. */
const DAY_MS = 86_400_000;

interface LastEntry {
  readonly created_at: string;
  readonly balance_after_micro: number;
}

export interface DailyBalance {
  /** UTC day, such as `2026-11-27`. */
  readonly day: string;
  /** Null before the first entry. */
  readonly micro: number | null;
}

export function lastDays(now: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * DAY_MS));
}

/**
 * Oldest first. Asks for one entry per day with movements, newest first.
 * @param lastEntry the newest entry before a time; null without one
 */
export async function dailyBalances(
  lastEntry: (before: string) => Promise<LastEntry | null>,
  { now, days }: { readonly now: number; readonly days: number },
): Promise<readonly DailyBalance[]> {
  const balances: DailyBalance[] = [];
  let last: LastEntry | null | undefined;
  for (const day of lastDays(now, days).toReversed()) {
    const end = new Date(Date.parse(day) + DAY_MS).toISOString();
    if (last === undefined || (last !== null && last.created_at >= end)) last = await lastEntry(end);
    balances.push({ day, micro: last?.balance_after_micro ?? null });
  }
  return balances.reverse();
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

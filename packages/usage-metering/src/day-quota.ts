/**
 * Usage and reservations per key and UTC day, in memory. Requests reserve items before sending them, so that concurrent
 * requests never exceed the cap. Two days are stored, because a request may cross midnight.
 */

export interface DayCount {
  used: number;
  reserved: number;
}

export interface DayQuota {
  /** The counter of a key and day; all callers share it while the day is stored. */
  countOf(keyId: string, day: string): DayCount;
}

const DAYS_MAX = 2;

export function createDayQuota(): DayQuota {
  const days = new Map<string, Map<string, DayCount>>();

  return {
    countOf(keyId, day) {
      const keys = days.get(day) ?? begin(day);
      let count = keys.get(keyId);
      if (count === undefined) keys.set(keyId, (count = { used: 0, reserved: 0 }));
      return count;
    },
  };

  function begin(day: string): Map<string, DayCount> {
    const keys = new Map<string, DayCount>();
    days.set(day, keys);
    const oldest = [...days.keys()].toSorted().slice(0, -DAYS_MAX);
    for (const past of oldest) if (past !== day) days.delete(past);
    return keys;
  }
}

export function remainingItems({ used, reserved }: DayCount, cap: number | null): number | null {
  return cap === null ? null : Math.max(0, cap - used - reserved);
}

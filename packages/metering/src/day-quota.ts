/**
 * What each key has used and reserved of its UTC day, in memory. A request reserves before it sends and gives back what it did not
 * send, so requests that run together never pass the cap together. Two days are held, because a request admitted before midnight
 * may end after it; what belongs to an older day no longer matters to anybody.
 */

/** Items of one key and day. */
export interface DayCount {
  /** Sent and settled. */
  used: number;
  /** Held back by requests that are under way. */
  reserved: number;
}

export interface DayQuota {
  /** The count of a key's day: the same for all who ask while the day is held. */
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

/** What a cap leaves of a day; null without cap. */
export function remainingItems({ used, reserved }: DayCount, cap: number | null): number | null {
  return cap === null ? null : Math.max(0, cap - used - reserved);
}

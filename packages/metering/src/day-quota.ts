/**
 * What each key has used and reserved of its UTC day, in memory. A request reserves before it sends and gives back what it did not
 * send, so requests that run together never pass the cap together. Two days are held, because a request admitted before midnight
 * may end after it; what belongs to an older day no longer matters to anybody.
 */

export interface DayQuota {
  /** Reserves up to `wanted` of what the cap leaves; a null cap leaves everything and reserves nothing. */
  reserve(claim: Claim): Grant;
  /** Gives back items that a reservation held. */
  release(keyId: string, day: string, items: number): void;
  /** Ends a reservation of `held` items, of which `items` were sent. */
  settle(keyId: string, day: string, ended: { readonly held: number; readonly items: number }): void;
  /** Adds what the store knows of a day. */
  load(keyId: string, day: string, used: number): void;
}

export interface Claim {
  readonly keyId: string;
  readonly day: string;
  readonly cap: number | null;
  readonly wanted: number;
}

export interface Grant {
  readonly granted: number;
  /** Items held back from others until `settle`. */
  readonly held: number;
  /** Items sent and settled before. */
  readonly used: number;
  /** What was left before this grant; null without cap. */
  readonly left: number | null;
}

interface Count {
  used: number;
  reserved: number;
}

const DAYS_HELD = 2;

export function createDayQuota(): DayQuota {
  const days = new Map<string, Map<string, Count>>();

  return {
    reserve({ keyId, day, cap, wanted }) {
      const count = countOf(keyId, day);
      const { used } = count;
      if (cap === null) return { granted: wanted, held: 0, used, left: null };

      const left = Math.max(0, cap - used - count.reserved);
      const granted = Math.min(wanted, left);
      count.reserved += granted;
      return { granted, held: granted, used, left };
    },
    release(keyId, day, items) {
      const count = days.get(day)?.get(keyId);
      if (count !== undefined) count.reserved -= items;
    },
    settle(keyId, day, { held, items }) {
      const count = days.get(day)?.get(keyId);
      if (count === undefined) return;
      count.reserved -= held;
      count.used += items;
    },
    load(keyId, day, used) {
      countOf(keyId, day).used += used;
    },
  };

  function countOf(keyId: string, day: string): Count {
    const keys = days.get(day) ?? begin(day);
    let count = keys.get(keyId);
    if (count === undefined) keys.set(keyId, (count = { used: 0, reserved: 0 }));
    return count;
  }

  function begin(day: string): Map<string, Count> {
    const keys = new Map<string, Count>();
    days.set(day, keys);
    const oldest = [...days.keys()].toSorted().slice(0, -DAYS_HELD);
    for (const past of oldest) if (past !== day) days.delete(past);
    return keys;
  }
}

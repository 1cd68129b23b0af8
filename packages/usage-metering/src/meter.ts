/**
 * `admit` checks the window and reserves items. `settle` releases unsent items and books one row; every admitted
 * request must be settled exactly once.
 */
import { untilMidnight } from "./day.ts";
import type { MeteredKey } from "./plan.ts";
import type { DayUsage } from "./usage.ts";

/** Value of `wanted` for all remaining items of the day. */
export const ALL_ITEMS = Number.MAX_SAFE_INTEGER;

export interface Meter {
  admit(key: MeteredKey, items: number): Promise<Admission>;
  /**
   * Releases the reservation beyond `items` early: a long stream that was granted the rest of the day must not block
   * other requests until it ends.
   */
  shrinkReservation(reservation: Reservation, items: number): Promise<void>;
  /** Resolves when the row is booked: in memory (embedded) or in the database. Repeated calls have no effect. */
  settle(reservation: Reservation, outcome: Outcome): Promise<void>;
  /**
   * Days with usage from `from` to `to` (`YYYY-MM-DD`, inclusive), ascending; includes everything settled before the
   * call.
   */
  usage(keyId: string, from: string, to: string): Promise<readonly DayUsage[]>;
  /** What is settled but not yet in the store. */
  lag(): MeterLag;
  flush(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface MeterLag {
  readonly rows: number;
  /** Age of the oldest row; 0 without rows. */
  readonly oldestMs: number;
}

export type Admission =
  /** Proceed, and send at most `reservation.granted` items. */
  | { readonly verdict: "accepted"; readonly reservation: Reservation; readonly rateLimit: RateLimitStatus }
  /** Counted by the window, but no item is left. It must be settled too. */
  | {
      readonly verdict: "quota_exceeded";
      readonly reservation: Reservation;
      readonly rateLimit: RateLimitStatus;
      readonly retryAfter: number;
    }
  /** Not counted. `retryAfter` is in whole seconds: a client that waits as long is accepted. */
  | { readonly verdict: "rate_limited"; readonly rateLimit: RateLimitStatus; readonly retryAfter: number }
  /** Too many rows are pending: unbillable requests are not served. Not counted. */
  | { readonly verdict: "overloaded"; readonly retryAfter: number };

export interface Reservation {
  /** ID of the row to book, `req_…`. */
  readonly id: string;
  readonly keyId: string;
  readonly at: number;
  readonly day: string;
  /** Maximum items to send: those wanted, or those left. */
  readonly granted: number;
  readonly test: boolean;
  /** Plan of the key at admission, whose prices apply. */
  readonly plan: string;
}

export interface Outcome {
  readonly requestId: string;
  /** Route template, never the actual path. */
  readonly route: string;
  readonly status: number;
  /** Items sent, at most `granted`. */
  readonly items: number;
  readonly bytes: number;
  readonly geo: boolean;
}

/**
 * Counters of a key. They include this request in the minute but not in the day, because its items are not known yet.
 */
export interface RateLimitStatus {
  readonly at: number;
  readonly minute: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number };
  readonly day: {
    readonly date: string;
    readonly limit: number | null;
    readonly used: number;
    /** Items neither used nor reserved; null without a cap. */
    readonly remaining: number | null;
    readonly resetSeconds: number;
  };
}

export interface KeyCounters {
  readonly at: number;
  readonly minute: { readonly limit: number; readonly remaining: number; readonly resetMs: number };
  readonly day: Omit<RateLimitStatus["day"], "resetSeconds">;
}

export function rateLimitStatus({ at, minute, day }: KeyCounters): RateLimitStatus {
  const { limit, remaining, resetMs } = minute;
  return {
    at,
    minute: { limit, remaining, resetSeconds: Math.ceil(resetMs / 1000) },
    day: { ...day, resetSeconds: Math.ceil(untilMidnight(at) / 1000) },
  };
}

/** An admitted request: accepted, or without an item left of those wanted. */
export function admission(reservation: Reservation, rateLimit: RateLimitStatus, items: number): Admission {
  if (items === 0 || reservation.granted > 0) return { verdict: "accepted", reservation, rateLimit };
  return { verdict: "quota_exceeded", reservation, rateLimit, retryAfter: rateLimit.day.resetSeconds };
}

/** The exact window over a minute, in memory, in which the embedded meter counts requests. */
export interface RequestWindow {
  /** Counts a request of the key at `now` (integer ms) if the limit allows it. */
  take(
    key: string,
    limit: number,
    now: number,
  ): { readonly accepted: boolean; readonly remaining: number; readonly resetMs: number };
  /** Restores a time counted before a restart; times of a key must ascend. */
  restore(key: string, limit: number, at: number): void;
}

/** Throws if the number of items is invalid; use `ALL_ITEMS` for all. */
export function checkItems(items: number): void {
  if (!Number.isSafeInteger(items) || items < 0)
    throw new RangeError(`wanted items must be a non-negative integer, not ${items}`);
}

/** Throws for an impossible outcome: a bug in the service, which a bill must not hide. */
export function checkOutcome(reservation: Reservation, { items, bytes, status }: Outcome): void {
  const check = (name: string, figure: number) => {
    if (!Number.isSafeInteger(figure) || figure < 0)
      throw new RangeError(`${reservation.id}: ${name} must be an integer from 0, not ${figure}`);
  };
  check("items", items);
  check("bytes", bytes);
  check("status", status);
  if (items > reservation.granted) {
    throw new RangeError(`${reservation.id}: ${items} items were sent, but only ${reservation.granted} granted`);
  }
}

/**
 * `admit` checks the window and reserves items. `settle` releases unsent items and books one row. Every admitted
 * request must be settled exactly once.
 */
import { untilMidnight } from "./day.ts";
import type { MeteredKey } from "./plan.ts";
import type { DayUsage } from "./usage.ts";

/** Value of `wanted` that requests all remaining items of the day. */
export const ALL_ITEMS = Number.MAX_SAFE_INTEGER;

export interface Meter {
  admit(key: MeteredKey, items: number): Promise<Admission>;
  /**
   * Releases the part of the reservation beyond `items` early, so that a long stream that was granted the rest of the
   * day does not block other requests until it ends.
   */
  shrinkReservation(reservation: Reservation, items: number): Promise<void>;
  /** Resolves when the row is booked: in memory (embedded) or in the database. Repeated calls have no effect. */
  settle(reservation: Reservation, outcome: Outcome): Promise<void>;
  /**
   * Days with usage from `from` to `to` (`YYYY-MM-DD`, inclusive), ascending; includes everything settled before the
   * call.
   */
  usage(keyId: string, from: string, to: string): Promise<readonly DayUsage[]>;
  /** Settled rows that are not in the store yet. */
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
  /** The request may send at most `reservation.granted` items. */
  | { readonly verdict: "accepted"; readonly reservation: Reservation; readonly rateLimit: RateLimitStatus }
  /** The window counted the request, but no item is left. It must also be settled. */
  | {
      readonly verdict: "quota_exceeded";
      readonly reservation: Reservation;
      readonly rateLimit: RateLimitStatus;
      readonly retryAfter: number;
    }
  /** Not counted. A client that waits for `retryAfter` whole seconds is accepted. */
  | { readonly verdict: "rate_limited"; readonly rateLimit: RateLimitStatus; readonly retryAfter: number }
  /** Not counted. Too many rows are pending, and requests that cannot be billed are not served. */
  | { readonly verdict: "overloaded"; readonly retryAfter: number };

export interface Reservation {
  /** ID of the row to book, `req_…`. */
  readonly id: string;
  readonly keyId: string;
  readonly at: number;
  readonly day: string;
  /** Maximum number of items to send: those wanted, or those left. */
  readonly granted: number;
  readonly test: boolean;
  /** Plan of the key at admission; its prices apply. */
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

/** Counters of a key. The minute includes this request, but the day does not, because its items are not known yet. */
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

/** Result for an admitted request: accepted, or rejected because no item is left. */
export function admission(reservation: Reservation, rateLimit: RateLimitStatus, items: number): Admission {
  if (items === 0 || reservation.granted > 0) return { verdict: "accepted", reservation, rateLimit };
  return { verdict: "quota_exceeded", reservation, rateLimit, retryAfter: rateLimit.day.resetSeconds };
}

/** The exact in-memory window of one minute in which the embedded meter counts requests. */
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

/** Throws for an impossible outcome, which is a bug in the service that must not end up in a bill. */
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

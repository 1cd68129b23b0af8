/**
 * Metering in two words. `admit` stands at the beginning of a request: it asks the minute window, and reserves the items that the
 * request may send. `settle` stands at its end: it gives back what was not sent and books one row. Every admitted request must be
 * settled exactly once, whatever became of it; a request that the window refused is not counted and leaves no trace.
 *
 * Two meters keep this promise and are chosen at boot: `openEmbeddedMeter` (one process, memory first) and `openPostgresMeter` (any
 * number of processes, the database decides each admission).
 */
import type { ApiKeyView } from "./key-record.ts";
import type { DayUsage } from "./usage.ts";

/** Asked as `wanted`: all that is left of the day. */
export const ALL_ITEMS = Number.MAX_SAFE_INTEGER;

export interface Meter {
  /** At once where nobody else has to be asked. */
  admit(key: ApiKeyView, items: number): Admission | Promise<Admission>;
  /**
   * Once a request knows that it will send at most `items`, gives back the rest of its reservation at once: a long stream that was
   * granted all that is left of the day must not keep the day from others until it ends.
   */
  shrinkReservation(reservation: Reservation, items: number): Promise<void>;
  /** Resolves when the row is booked: in memory (embedded) or in the database. A second call for the same reservation does nothing. */
  settle(reservation: Reservation, outcome: Outcome): Promise<void>;
  /** Days with use from `from` to `to` (`YYYY-MM-DD`, both included), rising; everything settled before the call is in it. */
  usage(keyId: string, from: string, to: string): Promise<readonly DayUsage[]>;
  /** Resolves when everything settled so far is stored. */
  flush(): Promise<void>;
  /** Stores what is settled, then lets go of everything. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Admission =
  /** Go on, and send at most `reservation.granted` items. */
  | { readonly verdict: "accepted"; readonly reservation: Reservation; readonly rateLimit: RateLimitStatus }
  /** Counted by the window, but items were wanted and none is left. Settle it too: it is an answered request. */
  | {
      readonly verdict: "quota_exceeded";
      readonly reservation: Reservation;
      readonly rateLimit: RateLimitStatus;
      readonly retryAfter: number;
    }
  /** Not counted. `retryAfter` in whole seconds: a client that waits so long is accepted. */
  | { readonly verdict: "rate_limited"; readonly rateLimit: RateLimitStatus; readonly retryAfter: number }
  /** More is waiting to be written than memory should hold: what cannot be billed is not served. Not counted. */
  | { readonly verdict: "overloaded"; readonly retryAfter: number };

export interface Reservation {
  /** Id of the row that will be booked, `req_…`. */
  readonly id: string;
  readonly keyId: string;
  /** When it was admitted; the row's time. */
  readonly at: number;
  /** The UTC day whose quota it takes from. */
  readonly day: string;
  /** Most items it may send: what was wanted, or what was left. */
  readonly granted: number;
  readonly test: boolean;
  /** The plan the key had when it was admitted, whose prices apply. */
  readonly plan: string;
}

/** What became of an admitted request. */
export interface Outcome {
  readonly requestId: string;
  /** Template of the path, never the path itself. */
  readonly route: string;
  readonly status: number;
  /** Items really sent, at most `granted`. */
  readonly items: number;
  readonly bytes: number;
  readonly geo: boolean;
}

/** Where a key stands, this request included in the minute and not in the day: its items are not known yet. */
export interface RateLimitStatus {
  readonly at: number;
  readonly minute: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number };
  readonly day: {
    readonly date: string;
    /** null: no cap. */
    readonly limit: number | null;
    /** Items sent and settled. */
    readonly used: number;
    /** What nobody has used or reserved; null without cap. */
    readonly remaining: number | null;
    readonly resetSeconds: number;
  };
}

/** Throws when a service wants what is no number of items; "all" is `ALL_ITEMS`. */
export function checkItems(items: number): void {
  if (!Number.isSafeInteger(items) || items < 0)
    throw new RangeError(`items wanted must be an integer from 0, not ${items}`);
}

/** Throws when a service settles what cannot have happened: it is a fault of the service, and a bill must not hide it. */
export function checkOutcome(reservation: Reservation, { items, bytes, status }: Outcome): void {
  const check = (name: string, figure: number) => {
    if (!Number.isSafeInteger(figure) || figure < 0)
      throw new RangeError(`${reservation.id}: ${name} must be an integer from 0, not ${figure}`);
  };
  check("items", items);
  check("bytes", bytes);
  check("status", status);
  if (items > reservation.granted) {
    throw new RangeError(`${reservation.id}: ${items} items were sent where ${reservation.granted} were granted`);
  }
}

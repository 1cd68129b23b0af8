/**
 * Meter for any number of processes. One statement admits a request under the lock of the key, by the database clock,
 * because process clocks differ too much. Reservations are leases of 60 s. A process that was frozen for longer still
 * books what it sent, so the cap may be exceeded.
 */
import { ulid, type RandomSource } from "@triptych/ids";
import type { Database } from "@triptych/storage";
import { dayOf, MINUTE_MS } from "./day.ts";
import {
  admission,
  checkOutcome,
  checkItems,
  rateLimitStatus,
  type Meter,
  type MeterLag,
  type Outcome,
  type Reservation,
} from "./meter.ts";
import { dailyItemsOf, planOf, type Plans } from "./plan.ts";
import { admit, shrinkReservation, renew, settle } from "./store/postgres.ts";
import { readUsage } from "./store/read-usage.ts";
import type { MeteringTables, StoredUsageRow } from "./store/tables.ts";

export interface PostgresMeterOptions {
  readonly database: Database<MeteringTables>;
  readonly plans: Plans;
  readonly random: RandomSource;
  /** Called when reservations could not be renewed; the next interval retries. */
  readonly onError: (error: unknown) => void;
  /** Clock for tests; otherwise the database clock. */
  readonly clock?: () => number;
  readonly leaseMs?: number;
}

/** How long the items of a dead process stay reserved. */
const LEASE_MS = 60_000;

export function openPostgresMeter(options: PostgresMeterOptions): Meter {
  const { database, plans, random, onError, clock, leaseMs = LEASE_MS } = options;
  const now = () => clock?.() ?? null;
  const open = new Set<Reservation>();
  const booking = createBookings();
  let closing: Promise<void> | undefined;
  let renewing: Promise<void> = Promise.resolve();

  // Three renewals per lease, so that one may fail and one may be late.
  const renewal = setInterval(renewOpen, leaseMs / 3);
  renewal.unref();

  return {
    async admit(key, items) {
      if (closing !== undefined) throw new Error("the meter is closed");
      checkItems(items);
      const plan = planOf(plans, key.plan);
      const limit = plan.requestsPerMinute;
      const cap = dailyItemsOf(key, plan);
      const id = ulid("req", clock?.() ?? Date.now(), random);
      const query = { keyId: key.id, limit, cap, items, id, leaseMs, now: now() };
      const { at, accepted, counted, oldest, used, reserved, granted } = await admit(database, query);

      const day = dayOf(at);
      const left = cap === null ? null : Math.max(0, cap - used - reserved);
      const rateLimit = rateLimitStatus({
        at,
        minute: { limit, remaining: limit - counted, resetMs: oldest + MINUTE_MS - at },
        day: { date: day, limit: cap, used, remaining: left },
      });
      if (accepted === 0) return { verdict: "rate_limited", rateLimit, retryAfter: rateLimit.minute.resetSeconds };

      const reservation: Reservation = { id, keyId: key.id, at, day, granted, test: key.test, plan: plan.id };
      open.add(reservation);
      return admission(reservation, rateLimit, items);
    },

    async shrinkReservation(reservation, items) {
      if (open.has(reservation) && items < reservation.granted) await shrinkReservation(database, reservation, items);
    },

    async settle(reservation, outcome) {
      if (!open.has(reservation)) return;
      checkOutcome(reservation, outcome);

      open.delete(reservation);
      const { tiers } = planOf(plans, reservation.plan);
      const row = toRow(reservation, outcome, { billed: tiers.length > 0 });
      await booking.wait(settle(database, { row, tiers, now: now() }));
    },

    usage: (keyId, from, to) => readUsage(database, { keyId, from, to }),
    lag: booking.lag,
    flush: booking.flush,
    close,
    [Symbol.asyncDispose]: close,
  };

  function renewOpen(): void {
    const leases = [...open].filter(({ granted }) => granted > 0).map(({ keyId, id }) => [keyId, id] as const);
    // Renewals are sequential, so that closing can wait for the last one before the store closes.
    if (leases.length > 0)
      renewing = renewing.then(() => renew(database, { leases, leaseMs, now: now() })).catch(onError);
  }

  function close(): Promise<void> {
    clearInterval(renewal);
    closing ??= Promise.all([booking.flush(), renewing]).then(() => undefined);
    return closing;
  }
}

/** Bookings in progress, in the order in which they started. */
function createBookings() {
  const startOf = new Map<Promise<void>, number>();
  return {
    async wait(booked: Promise<void>): Promise<void> {
      startOf.set(booked, performance.now());
      await booked.finally(() => startOf.delete(booked));
    },
    async flush(): Promise<void> {
      await Promise.allSettled(startOf.keys());
    },
    lag(): MeterLag {
      const [oldest] = startOf.values();
      return { rows: startOf.size, oldestMs: oldest === undefined ? 0 : performance.now() - oldest };
    },
  };
}

function toRow(reservation: Reservation, outcome: Outcome, { billed }: { readonly billed: boolean }): StoredUsageRow {
  const { id, keyId, at, day, test } = reservation;
  const { requestId, route, status, items, bytes, geo } = outcome;
  const sums = { requests: 1, items, billed_items: billed ? items : 0, bytes, amount_micro: 0 };
  return {
    key_id: keyId,
    id,
    request_id: requestId,
    at,
    day,
    route,
    status,
    ...sums,
    geo: geo ? 1 : 0,
    test: test ? 1 : 0,
  };
}

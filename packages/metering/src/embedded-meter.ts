/**
 * The meter of a single process: it decides in memory and writes behind. Each settled request becomes a row that waits at most a few
 * hundredths of a second and is then booked together with all others that waited. A crash loses what waited, in the customer's favour; the
 * books agree with themselves at every moment.
 *
 * At the start the counts of today and yesterday and the times of the last minute come back from the rows, so a restart opens
 * neither the window nor the quota. When the store cannot write, rows wait and are tried again; when more wait than memory should
 * hold, admission says `overloaded`: what cannot be billed is not served.
 */
import type { Database } from "@triptych/storage";
import { createDayQuota, remainingItems } from "./day-quota.ts";
import { dailyItemsOf } from "./key-record.ts";
import { dayOf, untilMidnight } from "./day.ts";
import { checkOutcome, checkItems, type Meter } from "./meter.ts";
import { planOf, type Plans } from "./plan.ts";
import { createSlidingWindow, MINUTE_MS } from "./sliding-window.ts";
import { readDays, readUsage } from "./store/read-usage.ts";
import { insertUsage, rollUpUsage, readRecent } from "./store/sqlite.ts";
import type { MeteringTables } from "./store/tables.ts";
import { randomPool, ulid, type RandomSource } from "./ulid.ts";
import { createRowWriter } from "./write-behind.ts";
import { ActiveReservation } from "./reservation.ts";

export interface EmbeddedMeterOptions {
  readonly database: Database<MeteringTables>;
  readonly plans: Plans;
  /** Wall clock in whole milliseconds. */
  readonly clock: () => number;
  readonly random: RandomSource;
  /** Told when rows could not be written; they are kept and tried again. */
  readonly onFault: (fault: unknown) => void;
  /** Requests that may be running or waiting to be written before admission says `overloaded`. */
  readonly maxPending?: number;
}

/** About 30 MB of rows: at 2 000 requests a second, the better part of a minute without a disk. */
const MAX_PENDING = 100_000;

export async function openEmbeddedMeter(options: EmbeddedMeterOptions): Promise<Meter> {
  const { database, plans, clock, onFault, maxPending = MAX_PENDING } = options;
  const random = randomPool(options.random);
  const window = createSlidingWindow();
  const quota = createDayQuota();
  /** Requests admitted and not yet settled. */
  let running = 0;
  const writer = createRowWriter({
    write: (rows, { again }) => insertUsage(database, { rows, plans, now: clock(), again }),
    onFault,
  });

  let closing: Promise<void> | undefined;
  const openedAt = clock();
  // What a process left behind that was killed.
  await rollUpUsage(database);
  let recent = await readRecent(database, openedAt);
  for (const { keyId, day, items } of await readDays(database, openedAt)) quota.countOf(keyId, day).used += items;

  return {
    admit(key, items) {
      if (closing !== undefined) throw new Error("the meter is closed");
      checkItems(items);
      if (writer.waiting + running >= maxPending) return { verdict: "overloaded", retryAfter: 1 };
      const now = clock();
      const plan = planOf(plans, key.plan);
      restoreWindow(key.id, plan.requestsPerMinute, now);

      const { accepted, remaining, resetMs } = window.take(key.id, plan.requestsPerMinute, now);
      const day = dayOf(now);
      const cap = dailyItemsOf(key, plan);
      const count = quota.countOf(key.id, day);
      const left = remainingItems(count, cap);
      const resetSeconds = Math.ceil(untilMidnight(now) / 1000);
      const minute = { limit: plan.requestsPerMinute, remaining, resetSeconds: Math.ceil(resetMs / 1000) };
      const rateLimit = {
        at: now,
        minute,
        day: { date: day, limit: cap, used: count.used, remaining: left, resetSeconds },
      };
      if (!accepted) return { verdict: "rate_limited", rateLimit, retryAfter: minute.resetSeconds };

      const granted = left === null ? items : Math.min(items, left);
      const id = ulid("req", now, random);
      const { test } = key;
      const reservation = new ActiveReservation(
        { id, keyId: key.id, at: now, day, granted, test, plan: plan.id },
        count,
      );
      if (cap !== null) reservation.hold(granted);
      running += 1;
      if (items > 0 && granted === 0)
        return { verdict: "quota_exceeded", reservation, rateLimit, retryAfter: resetSeconds };
      return { verdict: "accepted", reservation, rateLimit };
    },

    async shrinkReservation(reservation, items) {
      if (reservation instanceof ActiveReservation && items < reservation.reserved) reservation.hold(items);
    },

    async settle(reservation, outcome) {
      if (!(reservation instanceof ActiveReservation) || reservation.isSettled) return;
      checkOutcome(reservation, outcome);

      running -= 1;
      writer.add(reservation.settle(outcome));
    },

    async usage(keyId, from, to) {
      await writer.flush();
      return readUsage(database, { keyId, from, to });
    },
    flush: () => writer.flush(),
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    // Sums that cannot follow now do at the next start: nothing is lost without them.
    closing ??= writer.close().then(() => rollUpUsage(database).catch(onFault));
    return closing;
  }

  /** The limit of a key is known when it comes, so its times before the restart are put back then. */
  function restoreWindow(keyId: string, limit: number, now: number): void {
    if (recent.size === 0) return;
    for (const at of recent.get(keyId) ?? []) window.restore(keyId, limit, at);
    recent.delete(keyId);
    if (now > openedAt + MINUTE_MS) recent = new Map();
  }
}

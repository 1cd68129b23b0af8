/**
 * Meter of a single process: decides in memory and writes rows later in batches. A crash loses the pending rows, in the
 * customer's favor. If the store fails, rows are retried. Beyond the limit of pending rows, admission returns
 * `overloaded`, because requests that cannot be billed are not served.
 */
import { poolRandom, ulid, type RandomSource } from "@triptych/ids";
import type { Database } from "@triptych/storage";
import { createDayQuota, remainingItems } from "./day-quota.ts";
import { dayOf, MINUTE_MS } from "./day.ts";
import { admission, checkOutcome, checkItems, rateLimitStatus, type Meter, type RequestWindow } from "./meter.ts";
import { dailyItemsOf, planOf, type Plans } from "./plan.ts";
import { readDays, readUsage } from "./store/read-usage.ts";
import { insertUsage, rollUpUsage, readRecent } from "./store/sqlite.ts";
import type { MeteringTables } from "./store/tables.ts";
import { createWriteBehindBuffer } from "./write-behind.ts";
import { ActiveReservation } from "./reservation.ts";

export interface EmbeddedMeterOptions {
  readonly database: Database<MeteringTables>;
  readonly plans: Plans;
  readonly window: RequestWindow;
  /** Wall clock in whole milliseconds. */
  readonly clock: () => number;
  readonly random: RandomSource;
  /** Called when rows could not be written; they will be retried. */
  readonly onError: (error: unknown) => void;
  /** Maximum number of running requests plus pending rows; beyond it, admission returns `overloaded`. */
  readonly maxPending?: number;
}

/** About 30 MB of rows: enough for most of a minute without a disk, at 2 000 requests per second. */
const MAX_PENDING = 100_000;

export async function openEmbeddedMeter(options: EmbeddedMeterOptions): Promise<Meter> {
  const { database, plans, window, clock, onError, maxPending = MAX_PENDING } = options;
  const random = poolRandom(options.random);
  const quota = createDayQuota();
  let running = 0;
  const writer = createWriteBehindBuffer({
    write: (rows, { again }) => insertUsage(database, { rows, plans, now: clock(), again }),
    onError,
  });

  let closing: Promise<void> | undefined;
  const openedAt = clock();
  // Updates the sums that a killed process left behind.
  await rollUpUsage(database);
  const restoreWindow = createWindowRestore(window, await readRecent(database, openedAt), openedAt);
  for (const { keyId, day, items } of await readDays(database, openedAt)) quota.countOf(keyId, day).used += items;

  return {
    async admit(key, items) {
      if (closing !== undefined) throw new Error("the meter is closed");
      checkItems(items);
      if (writer.waiting + running >= maxPending) return { verdict: "overloaded", retryAfter: 1 };
      const now = clock();
      const plan = planOf(plans, key.plan);
      restoreWindow(key.id, plan.requestsPerMinute, now);

      const limit = plan.requestsPerMinute;
      const { accepted, remaining, resetMs } = window.take(key.id, limit, now);
      const cap = dailyItemsOf(key, plan);
      const day = dayOf(now);
      const count = quota.countOf(key.id, day);
      const left = remainingItems(count, cap);
      const rateLimit = rateLimitStatus({
        at: now,
        minute: { limit, remaining, resetMs },
        day: { date: day, limit: cap, used: count.used, remaining: left },
      });
      if (!accepted) return { verdict: "rate_limited", rateLimit, retryAfter: rateLimit.minute.resetSeconds };

      const granted = left === null ? items : Math.min(items, left);
      const { id: keyId, test } = key;
      const id = ulid("req", now, random);
      const reservation = new ActiveReservation({ id, keyId, at: now, day, granted, test, plan: plan.id }, count);
      if (cap !== null) reservation.hold(granted);
      running += 1;
      return admission(reservation, rateLimit, items);
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
    lag: () => writer.lag(),
    flush: () => writer.flush(),
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    // If the sums cannot be updated now, the next start does it; no data is lost.
    closing ??= writer.close().then(() => rollUpUsage(database).catch(onError));
    return closing;
  }
}

/** The limit of a key is known only at its first request, so its timestamps of the last minute are restored then. */
function createWindowRestore(window: RequestWindow, recent: Map<string, readonly number[]>, openedAt: number) {
  return (keyId: string, limit: number, now: number): void => {
    if (recent.size === 0) return;
    for (const at of recent.get(keyId) ?? []) window.restore(keyId, limit, at);
    recent.delete(keyId);
    if (now > openedAt + MINUTE_MS) recent.clear();
  };
}

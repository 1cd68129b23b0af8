/**
 * Billing from the usage rows. A closed day never changes: late requests are booked on the day of booking, and
 * corrections are new rows on an open day. Every operation is idempotent.
 */
import { ulid, type RandomSource } from "@triptych/ids";
import type { Database } from "@triptych/storage";
import { DAY_MS, dayOf } from "./day.ts";
import { engineOf } from "./store/engine.ts";
import { readInvoices, writeInvoices } from "./store/invoice-queries.ts";
import {
  readDifferences,
  readLastUse,
  readMonth,
  readOpenDays,
  readUsage,
  type KeyUsage,
  type RowDifference,
} from "./store/read-usage.ts";
import type { MeteringTables } from "./store/tables.ts";
import type { DayUsage, InvoiceLine } from "./usage.ts";

export interface BillingLedger {
  usage(keyId: string, from: string, to: string): Promise<readonly DayUsage[]>;
  /** Sums of a month (`YYYY-MM`) per key with usage, or of one key. */
  month(month: string, keyId?: string): Promise<readonly KeyUsage[]>;
  lastUse(): Promise<ReadonlyMap<string, string>>;
  /** Closes every day with usage that ended at least an hour ago; returns the days closed by this call. */
  closeEndedDays(): Promise<readonly string[]>;
  /**
   * Invoice lines of an ended month, created on first call: live keys with an amount above 0. Closes its days first.
   */
  invoices(month: string): Promise<readonly InvoiceLine[]>;
  /** Adds to the amount of a key (or subtracts, if negative), as a row of today. */
  correct(correction: Correction): Promise<void>;
  /** Compares the rows and sums of a range of days. Returns at most 100 differences; none means that they match. */
  verify(from: string, to: string): Promise<readonly RowDifference[]>;
}

export interface Correction {
  readonly keyId: string;
  readonly amountMicro: number;
  readonly reason: string;
}

export interface BillingLedgerOptions {
  readonly database: Database<MeteringTables>;
  readonly service: string;
  readonly clock: () => number;
  readonly random: RandomSource;
}

/** The operation is not possible yet; the message says when it will be. */
export class BillingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BillingError";
  }
}

/** Grace period for requests that began before midnight; requests settled later are booked on the next day. */
const CLOSE_AFTER_MS = 3_600_000;

export function createBillingLedger({ database, service, clock, random }: BillingLedgerOptions): BillingLedger {
  const engine = engineOf(database);

  return {
    async usage(keyId, from, to) {
      await findKey(keyId);
      return readUsage(database, { keyId, from, to });
    },
    month: async (month, keyId) => readMonth(database, checkMonth(month), keyId),
    lastUse: () => readLastUse(database),
    closeEndedDays,

    async invoices(month) {
      if (lastClosable(clock()) < lastDayOf(checkMonth(month))) {
        throw new BillingError(`the month ${month} can be invoiced one hour after its last day has ended (UTC)`);
      }
      await closeEndedDays();
      await writeInvoices(database, { service, month, now: clock() });
      return readInvoices(database, month);
    },

    async correct({ keyId, amountMicro, reason }) {
      const now = clock();
      const key = await findKey(keyId);
      if (!Number.isSafeInteger(amountMicro))
        throw new BillingError(`a correction must be a whole number of micro-euros, not ${amountMicro}`);

      const base = { key_id: keyId, id: ulid("cor", now, random), at: now, day: dayOf(now), test: key.test };
      const nothing = { status: 0, requests: 0, items: 0, billed_items: 0, bytes: 0, geo: 0 };
      await engine.append({ ...base, ...nothing, request_id: reason, route: "correction", amount_micro: amountMicro });
    },

    verify: (from, to) => readDifferences(database, from, to),
  };

  async function findKey(keyId: string): Promise<{ readonly test: number }> {
    const key = await database.db.selectFrom("api_key").select("test").where("id", "=", keyId).executeTakeFirst();
    if (key === undefined) throw new BillingError(`there is no key ${keyId}; list all keys with keys list`);
    return key;
  }

  async function closeEndedDays(): Promise<readonly string[]> {
    const now = clock();
    const days = await readOpenDays(database, lastClosable(now));
    for (const day of days) await engine.closeDay(day, now);
    return days;
  }
}

function lastClosable(now: number): string {
  return dayOf(now - CLOSE_AFTER_MS - DAY_MS);
}

function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return dayOf(Date.UTC(year, number, 0));
}

function checkMonth(month: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new BillingError(`a month must have the format 2026-11, not ${month}`);
  return month;
}

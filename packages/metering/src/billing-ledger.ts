/**
 * The books: what the rows add up to, closing days, asking for money, and proving that nothing was lost or invented. A closed day
 * never changes: what is settled for it later is booked on the day of its booking, and a correction is a new row on an open day.
 * Every verb may be repeated; the second time changes nothing and answers the same.
 */
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
import { ulid, type RandomSource } from "./ulid.ts";
import type { DayUsage } from "./usage.ts";

export interface BillingLedger {
  /** Days with use of one key, from `from` to `to`, rising. */
  usage(keyId: string, from: string, to: string): Promise<readonly DayUsage[]>;
  /** Sums of a month (`YYYY-MM`) of each key with use, or of one. */
  month(month: string, keyId?: string): Promise<readonly KeyUsage[]>;
  /** The last day (UTC) on which each key was used; keys that never were are not in it. */
  lastUse(): Promise<ReadonlyMap<string, string>>;
  /** Closes every day with use that ended at least an hour ago; answers those that this call closed. */
  closeEndedDays(): Promise<readonly string[]>;
  /** The lines of an ended month, made at the first call: live keys whose amount is above 0. Closes its days first. */
  invoices(month: string): Promise<readonly InvoiceLine[]>;
  /** Adds to (or, negative, takes from) what a key owes, as a row of today. */
  correct(correction: Correction): Promise<void>;
  /** Compares rows and sums of a span of days; empty = the books are true. At most 100 differences. */
  verify(from: string, to: string): Promise<readonly RowDifference[]>;
}

export interface InvoiceLine {
  /** `<service>:<key_id>:<YYYY-MM>`: collecting twice under it moves money once. */
  readonly name: string;
  readonly keyId: string;
  readonly month: string;
  readonly requests: number;
  readonly items: number;
  readonly amountMicro: number;
}

export interface Correction {
  readonly keyId: string;
  readonly amountMicro: number;
  /** Why, for whoever reads the rows later. */
  readonly reason: string;
}

export interface BillingLedgerOptions {
  readonly database: Database<MeteringTables>;
  /** First part of the names of invoice lines. */
  readonly service: string;
  readonly clock: () => number;
  readonly random: RandomSource;
}

/** The operator asked for something the books cannot do yet; the message says when they can. */
export class BillingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BillingError";
  }
}

/** A request that began before midnight may still be sending; longer ones are booked on the next day. */
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
        throw new BillingError(`a correction is a whole number of micro-euros, not ${amountMicro}`);

      const base = { key_id: keyId, id: ulid("cor", now, random), at: now, day: dayOf(now), test: key.test };
      const nothing = { status: 0, requests: 0, items: 0, billed_items: 0, bytes: 0, geo: 0 };
      await engine.append({ ...base, ...nothing, request_id: reason, route: "correction", amount_micro: amountMicro });
    },

    verify: (from, to) => readDifferences(database, from, to),
  };

  async function findKey(keyId: string): Promise<{ readonly test: number }> {
    const key = await database.db.selectFrom("api_key").select("test").where("id", "=", keyId).executeTakeFirst();
    if (key === undefined) throw new BillingError(`there is no key ${keyId}; keys list shows them all`);
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
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new BillingError(`a month is written like 2026-11, not ${month}`);
  return month;
}

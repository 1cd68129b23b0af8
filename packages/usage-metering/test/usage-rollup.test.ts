/** In an embedded store, daily sums are updated after the rows; readers must not notice. */
import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import * as fc from "fast-check";
import { openDatabase, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { ulid } from "@triptych/ids";
import { rollUpUsage, dayOf, priceOf } from "../src/index.ts";
import { insertUsage } from "../src/store/sqlite.ts";
import type { UsageRow } from "../src/usage.ts";
import {
  admitted,
  createRandom,
  DAY,
  migrations,
  openFixture,
  outcome,
  plans,
  request,
  START,
  type MeterFixture,
  type TestTables,
} from "./fixture.ts";

const HOUR = 3_600_000;
const MIDNIGHT = Math.ceil(START / DAY) * DAY;
const engines = ["SQLite in memory", "a SQLite file"] as const;

forEachEngine<TestTables>("totals kept by triggers", { migrations, engines }, (open, stores) => {
  test("usage and sums include all rows at any time, in any order of bookings, closings, corrections and roll-ups", async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ does: fc.constant("book"), key: fc.nat(2), rows: fc.integer({ min: 1, max: 9 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          does: fc.constantFrom("sum up", "close", "restart", "pass an hour", "correct"),
          key: fc.nat(2),
          rows: fc.constant(0),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await using fixture = await openFixture(open());
        const keys = [
          await fixture.key({ plan: "tiered" }),
          await fixture.key({ plan: "pro" }),
          await fixture.key({ plan: "discovery" }),
        ];
        fixture.clock.set(MIDNIGHT - 2 * HOUR);
        const items = new Map<string, number>();
        const amounts = new Map<string, number>();
        const add = (sums: Map<string, number>, sumKey: string, figure: number) =>
          sums.set(sumKey, (sums.get(sumKey) ?? 0) + figure);

        for (const { does, key: index, rows: count } of steps) {
          const key = keys[index];
          assert.ok(key);
          const now = fixture.clock();
          if (does === "book") {
            const rows = rowsOf(fixture, { keyId: key.id, plan: key.plan, count });
            await insertUsage(fixture.database, { rows, plans, now, again: false });
            for (const row of rows) {
              const month = `${key.id} ${row.day.slice(0, 7)}`;
              const { tiers = [] } = plans.get(key.plan) ?? {};
              add(amounts, key.id, priceOf(tiers, items.get(month) ?? 0, row.items));
              add(items, month, row.items);
              add(items, `${key.id} ${row.day}`, row.items);
            }
          }
          if (does === "sum up") await rollUpUsage(fixture.database);
          if (does === "close") await fixture.ledger.closeEndedDays();
          if (does === "restart") await (await fixture.meter()).close();
          if (does === "pass an hour") fixture.clock.pass(HOUR);
          if (does === "correct") {
            await fixture.ledger.correct({ keyId: key.id, amountMicro: -7, reason: "r" });
            add(amounts, key.id, -7);
          }

          const days = await fixture.ledger.usage(key.id, "2026-11-01", "2026-11-30");
          for (const { date, items: counted } of days) assert.equal(counted, items.get(`${key.id} ${date}`) ?? 0);
          assert.equal(
            days.reduce((sum, day) => sum + day.amountMicro, 0),
            amounts.get(key.id) ?? 0,
          );
          assert.deepEqual(await fixture.ledger.verify("2026-11-01", "2026-11-30"), []);
        }
      }),
      { seed: 20_261_123, numRuns: stores.name === "a SQLite file" ? 10 : 40 },
    );
  });

  test("thousands of rows are summed automatically while new rows wait", async () => {
    await using fixture = await openFixture(open());
    const { id: keyId } = await fixture.key();
    const insertRows = async (count: number) => {
      const rows = rowsOf(fixture, { keyId, plan: "pro", count });
      await insertUsage(fixture.database, { rows, plans, now: fixture.clock(), again: false });
    };
    await insertRows(2000);
    assert.equal(await summedRequests(fixture), 0);
    await insertRows(4000);
    assert.equal(await summedRequests(fixture), 6000);
    await insertRows(1);
    assert.equal(await summedRequests(fixture), 6000);
    assert.equal((await fixture.ledger.usage(keyId, "2026-11-20", "2026-11-20"))[0]?.requests, 6001);
  });

  test("a day closed by another process has all rows in its sums and accepts no further rows", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await request(meter, key, 3);
    const late = await admitted(meter.admit({ ...key, dailyItems: "none" }, 9));
    await meter.flush();
    fixture.clock.set(MIDNIGHT + HOUR);
    await fixture.ledger.closeEndedDays();
    assert.equal(await summedRequests(fixture), 1);
    await meter.settle(late, outcome(9));
    const days = await meter.usage(key.id, "2026-11-20", "2026-11-21");
    assert.deepEqual(
      days.map(({ date, items }) => [date, items]),
      [
        ["2026-11-20", 3],
        ["2026-11-21", 9],
      ],
    );
  });

  test("books nothing on a closed day if the clock was set back", async () => {
    await using fixture = await openFixture(open());
    const key = await fixture.key();
    const rows = rowsOf(fixture, { keyId: key.id, plan: "pro", count: 1 });
    await insertUsage(fixture.database, { rows, plans, now: fixture.clock(), again: false });
    fixture.clock.set(MIDNIGHT + HOUR);
    await fixture.ledger.closeEndedDays();
    fixture.clock.set(START);
    const booking = {
      rows: rowsOf(fixture, { keyId: key.id, plan: "pro", count: 1 }),
      plans,
      now: START,
      again: false,
    };
    await assert.rejects(insertUsage(fixture.database, booking), /2026-11-20 is closed/);
    await assert.rejects(fixture.ledger.correct({ keyId: key.id, amountMicro: 1, reason: "r" }), /closed/);
    assert.equal((await fixture.ledger.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.requests, 1);
  });

  test("a restart restores the requests of the last minute, summed or not", async () => {
    await using fixture = await openFixture(open());
    const key = await fixture.key();
    const first = await fixture.meter();
    await request(first, key, 1);
    fixture.clock.pass(30_000);
    await request(first, key, 1);
    await first.usage(key.id, "2026-11-20", "2026-11-20");
    fixture.clock.pass(10_000);
    await request(first, key, 1);
    await first.flush();
    fixture.clock.pass(20_000);
    // The first of the three requests has left the window.
    const admission = await (await fixture.meter()).admit(key, 1);
    assert.ok(admission.verdict === "accepted");
    assert.equal(admission.rateLimit.minute.remaining, 120 - 3);
  });
});

test("a store of the previous version keeps its usage, window and prices", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-before-"));
  try {
    const url = `sqlite:${join(folder, "store.db")}`;
    const keyId = await makeOldStore(url, join(folder, "migrations"));
    await using fixture = await openFixture(openDatabase<TestTables>({ url, schema: "test", migrations }));
    const key = { ...(await fixture.keys.show(keyId)), dailyItems: 100 };
    assert.deepEqual(await fixture.ledger.verify("2026-11-01", "2026-11-30"), []);
    const meter = await fixture.meter();
    const admission = await meter.admit(key, 100);
    assert.ok(admission.verdict === "accepted");
    assert.equal(admission.reservation.granted, 60);
    assert.equal(admission.rateLimit.minute.remaining, 100_000 - 2);
    await meter.settle(admission.reservation, outcome(20));
    const [day] = await meter.usage(keyId, "2026-11-20", "2026-11-20");
    assert.deepEqual([day?.requests, day?.items, day?.amountMicro], [2, 60, 50 * 100 + 10 * 7]);
    assert.deepEqual(await fixture.ledger.verify("2026-11-01", "2026-11-30"), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** A store at the previous migration, with one request of 40 items of a tiered key; returns the key. */
async function makeOldStore(url: string, folder: string): Promise<string> {
  for (const name of ["0001-keys-and-usage.sql", "0002-rows-by-time.sql"])
    await cp(new URL(`../migrations/sqlite/${name}`, import.meta.url), join(folder, "sqlite", name));
  const before = [{ component: "metering", directory: pathToFileURL(`${folder}/`) }];
  await using fixture = await openFixture(openDatabase<TestTables>({ url, schema: "test", migrations: before }));
  const key = await fixture.key({ plan: "tiered" });
  const sums = { requests: 1, items: 40, billed_items: 40, bytes: 4040, amount_micro: 4000 };
  const base = { key_id: key.id, day: "2026-11-20" };
  const row = { ...base, ...sums, at: START - 1000, route: "/api/items", status: 200, geo: 0, test: 1 };
  const { db } = fixture.database;
  await db
    .insertInto("usage_row")
    .values({ ...row, id: "req_old", request_id: "r" })
    .execute();
  await db
    .insertInto("usage_day")
    .values({ ...base, ...sums, geo_requests: 0 })
    .execute();
  return key.id;
}

/** Current requests of 7 items each. */
function rowsOf(
  fixture: MeterFixture,
  { keyId, plan, count }: { keyId: string; plan: string; count: number },
): UsageRow[] {
  const at = fixture.clock();
  const random = createRandom(at % 1000);
  const row = { keyId, requestId: "r", at, day: dayOf(at), route: "/x", status: 200, items: 7, bytes: 1 };
  return Array.from({ length: count }, () => ({ ...row, id: ulid("req", at, random), geo: false, test: true, plan }));
}

async function summedRequests({ database }: { readonly database: Database<TestTables> }): Promise<number> {
  const { sum } = await database.db
    .selectFrom("usage_day")
    .select(({ fn }) => fn.sum<number | null>("requests").as("sum"))
    .executeTakeFirstOrThrow();
  return sum ?? 0;
}

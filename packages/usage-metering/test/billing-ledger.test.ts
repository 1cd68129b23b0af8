import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { totalOf, type Meter } from "../src/index.ts";
import { DAY, migrations, openFixture, outcome, request, START, type TestTables } from "./fixture.ts";

const HOUR = 3_600_000;
const MIDNIGHT = Math.ceil(START / DAY) * DAY;
const DECEMBER = Date.UTC(2026, 11, 1);

forEachEngine<TestTables>("the billing ledger", { migrations }, (open) => {
  test("a day with usage can be closed one hour after it ends, only once, and keeps the last use", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    assert.deepEqual(await fixture.ledger.lastUse(), new Map());
    await request(meter, key, 3);
    await meter.flush();
    assert.deepEqual(await fixture.ledger.lastUse(), new Map([[key.id, "2026-11-20"]]));
    fixture.clock.set(MIDNIGHT + HOUR - 1);
    assert.deepEqual(await fixture.ledger.closeEndedDays(), []);
    fixture.clock.set(MIDNIGHT + HOUR);
    assert.deepEqual(await fixture.ledger.closeEndedDays(), ["2026-11-20"]);
    assert.deepEqual(await fixture.ledger.closeEndedDays(), []);
  });

  test("books a late request on the day of booking and leaves the closed day unchanged", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await request(meter, key, 3);
    // No cap, so that no reservation expires during the export.
    const late = await meter.admit({ ...key, dailyItems: "none" }, 100);
    assert.ok(late.verdict === "accepted");
    await meter.flush();
    fixture.clock.set(MIDNIGHT + HOUR);
    await fixture.ledger.closeEndedDays();
    const closed = await fixture.ledger.usage(key.id, "2026-11-20", "2026-11-20");

    await meter.settle(late.reservation, outcome(50));
    const days = await meter.usage(key.id, "2026-11-20", "2026-11-21");
    assert.deepEqual(days.slice(0, 1), closed);
    assert.deepEqual(
      days.map(({ date, items }) => [date, items]),
      [
        ["2026-11-20", 3],
        ["2026-11-21", 50],
      ],
    );
    assert.deepEqual(await fixture.ledger.verify("2026-11-01", "2026-11-30"), []);
  });

  test("the store rejects changes to rows and closed days", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await request(meter, key, 3);
    await meter.close();
    const { db } = fixture.database;
    await assert.rejects(db.updateTable("usage_row").set({ items: 0 }).execute(), /append-only/);
    await assert.rejects(db.deleteFrom("usage_row").execute(), /append-only/);
    await assert.rejects(db.deleteFrom("usage_day").execute(), /stay as long/);
    fixture.clock.set(MIDNIGHT + HOUR);
    await fixture.ledger.closeEndedDays();
    await assert.rejects(db.updateTable("usage_day").set({ items: 0 }).execute(), /closed/);
  });

  test("verification reports modified sums with key, day and difference", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await request(meter, key, 3);
    await request(meter, key, 4);
    await meter.close();
    assert.deepEqual(await fixture.ledger.verify("2026-11-20", "2026-11-20"), []);
    await fixture.database.db
      .updateTable("usage_day")
      .set({ items: sql`items + 5` })
      .execute();
    const difference = {
      keyId: key.id,
      day: "2026-11-20",
      requests: 0,
      items: -5,
      bytes: 0,
      geoRequests: 0,
      amountMicro: 0,
    };
    assert.deepEqual(await fixture.ledger.verify("2026-11-20", "2026-11-20"), [difference]);
    assert.deepEqual(await fixture.ledger.verify("2026-11-21", "2026-11-30"), []);
  });

  test("tiers apply to the whole month and restart with the next month", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ plan: "tiered" })];
    fixture.clock.set(DECEMBER - 2 * DAY);
    for (const items of [40, 60, 40]) {
      await request(meter, key, items);
      fixture.clock.pass(DAY);
    }
    const days = await meter.usage(key.id, "2026-11-01", "2026-12-31");
    assert.deepEqual(
      days.map(({ date, amountMicro }) => [date, amountMicro]),
      [
        ["2026-11-29", 4000],
        ["2026-11-30", 10 * 100 + 50 * 7],
        ["2026-12-01", 4000],
      ],
    );
  });

  test("items of a free plan cost nothing and do not advance the tiers of a paid one", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ plan: "discovery" })];
    await request(meter, key, 60);
    await request(meter, { ...key, plan: "tiered" }, 10);
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.deepEqual([day?.items, day?.amountMicro], [70, 1000]);
  });

  test("invoices a month once, with one line per live key that has an amount", async () => {
    await using fixture = await openFixture(open());
    const meter = await fixture.meter();
    const pro = await fixture.key({ test: false });
    const others = [
      await fixture.key({ test: true }),
      await fixture.key({ plan: "discovery", test: false }),
      await fixture.key({ test: false }),
    ];
    await request(meter, pro, 30);
    for (const key of others.slice(0, 2)) await request(meter, key, 30);
    await request(meter, pro, 12);
    await meter.flush();
    await assert.rejects(fixture.ledger.invoices("2026-11"), { name: "BillingError", message: /one hour after/ });
    fixture.clock.set(DECEMBER + HOUR - 1);
    await assert.rejects(fixture.ledger.invoices("2026-11"), { name: "BillingError" });

    fixture.clock.set(DECEMBER + HOUR);
    const line = {
      name: `directory:${pro.id}:2026-11`,
      keyId: pro.id,
      month: "2026-11",
      requests: 2,
      items: 42,
      amountMicro: 4200,
    };
    assert.deepEqual(await fixture.ledger.invoices("2026-11"), [line]);
    fixture.clock.pass(DAY);
    assert.deepEqual(await fixture.ledger.invoices("2026-11"), [line]);
    assert.deepEqual(await fixture.ledger.invoices("2026-10"), []);
  });

  test("a correction is a new row of today that changes the amount but counts no request and no items", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 100 })];
    await request(meter, key, 40);
    await meter.flush();
    await fixture.ledger.correct({ keyId: key.id, amountMicro: -1500, reason: "outage of the morning" });
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.deepEqual([day?.requests, day?.items, day?.amountMicro], [1, 40, 2500]);
    assert.deepEqual(await fixture.ledger.verify("2026-11-20", "2026-11-20"), []);
    const restarted = await fixture.meter();
    const admission = await restarted.admit(key, 100);
    assert.ok(admission.verdict === "accepted");
    assert.equal(admission.reservation.granted, 60);
    assert.equal(admission.rateLimit.minute.remaining, 118, "a correction does not count as a request");
  });

  test("rejects a correction for an unknown key, and a fractional amount", async () => {
    await using fixture = await openFixture(open());
    const { id } = await fixture.key();
    await assert.rejects(fixture.ledger.correct({ keyId: "key_none", amountMicro: 1, reason: "r" }), /no key key_none/);
    await assert.rejects(fixture.ledger.correct({ keyId: id, amountMicro: 0.5, reason: "r" }), /whole number/);
  });

  test("the sums of a month equal the sums of its days, per key or for one key", async () => {
    await using fixture = await openFixture(open());
    const [meter, first, second] = [await fixture.meter(), await fixture.key(), await fixture.key()];
    await useOnThreeDays(meter, async (items) => {
      await request(meter, first, items);
      await request(meter, second, 1);
      fixture.clock.pass(DAY);
    });
    const { requests, items, bytes, geoRequests, amountMicro } = totalOf(
      await meter.usage(first.id, "2026-11-01", "2026-11-30"),
    );
    const month = { keyId: first.id, requests, items, bytes, geoRequests, amountMicro };
    assert.equal(items, 6);
    assert.deepEqual(await fixture.ledger.month("2026-11", first.id), [month]);
    assert.deepEqual(
      (await fixture.ledger.month("2026-11")).map(({ items }) => items).toSorted((a, b) => a - b),
      [3, 6],
    );
    await assert.rejects(fixture.ledger.month("2026-13"), /the format 2026-11/);
  });
});

async function useOnThreeDays(meter: Meter, use: (items: number) => Promise<void>): Promise<void> {
  for (const items of [1, 2, 3]) await use(items);
  await meter.flush();
}

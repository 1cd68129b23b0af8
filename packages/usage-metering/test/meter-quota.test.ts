import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { ALL_ITEMS } from "../src/index.ts";
import {
  admitted,
  DAY,
  migrations,
  openFixture,
  outcome,
  request,
  shareStore,
  START,
  type TestTables,
} from "./fixture.ts";

const MIDNIGHT = Math.ceil(START / DAY) * DAY;

forEachEngine<TestTables>("daily usage of the meter", { migrations }, (openFresh, stores) => {
  const open = stores.name === "SQLite in memory" ? openFresh : shareStore(openFresh);

  test("50 concurrent pages together never exceed the cap, and use all of it", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 730 })];
    const admissions = await Promise.all(Array.from({ length: 50 }, async () => meter.admit(key, 20)));
    const granted = admissions.map((admission) => ("reservation" in admission ? admission.reservation.granted : 0));
    assert.equal(
      granted.reduce((sum, items) => sum + items),
      730,
    );
    assert.equal(granted.filter((items) => items === 20).length, 36);
    assert.equal(granted.filter((items) => items === 10).length, 1, "one page is shortened");
    assert.equal(admissions.filter(({ verdict }) => verdict === "quota_exceeded").length, 13);
  });

  test("releases reserved items that were not sent", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 100 })];
    const first = await admitted(meter.admit(key, 80));
    assert.equal((await admitted(meter.admit(key, 80))).granted, 20);
    await meter.settle(first, outcome(5));
    assert.equal((await admitted(meter.admit(key, 80))).granted, 75);
  });

  test("shrinkReservation releases unneeded items before the request ends, only once", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 100 })];
    const stream = await admitted(meter.admit(key, ALL_ITEMS));
    assert.equal(stream.granted, 100);
    await meter.shrinkReservation(stream, 30);
    await meter.shrinkReservation(stream, 60);
    assert.equal((await admitted(meter.admit(key, 50))).granted, 50);
    await meter.settle(stream, outcome(30));
    await meter.shrinkReservation(stream, 0);
    assert.equal((await admitted(meter.admit(key, 50))).granted, 20);
  });

  test("serves the last item of the day, then rejects until midnight", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 21 })];
    assert.equal((await request(meter, key, 20)).verdict, "accepted");
    const last = await admitted(meter.admit(key, 20));
    assert.equal(last.granted, 1);
    assert.equal((await request(meter, key, 1)).verdict, "quota_exceeded", "also while it runs");
    await meter.settle(last, outcome(1));
    const exceeded = await request(meter, key, 1);
    assert.ok(exceeded.verdict === "quota_exceeded");
    assert.equal(exceeded.retryAfter, 36_012);
    assert.deepEqual(exceeded.rateLimit.day, {
      date: "2026-11-20",
      limit: 21,
      used: 21,
      remaining: 0,
      resetSeconds: 36_012,
    });

    fixture.clock.pass(exceeded.retryAfter * 1000 - 1);
    assert.equal((await request(meter, key, 1)).verdict, "quota_exceeded");
    fixture.clock.pass(1);
    assert.equal((await request(meter, key, 1)).verdict, "accepted");
  });

  test("an invalid number of wanted items is an internal error and is not counted", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    for (const items of [-1, 0.5, Number.NaN, Infinity])
      await assert.rejects(async () => meter.admit(key, items), RangeError);
    const admission = await meter.admit(key, 0);
    assert.equal(admission.verdict === "accepted" && admission.rateLimit.minute.remaining, 119);
  });

  test("the quota never rejects a request for no items", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 0 })];
    assert.equal((await request(meter, key, 1)).verdict, "quota_exceeded");
    assert.equal((await request(meter, key, 0)).verdict, "accepted");
  });

  test("a request over quota counts in the minute and adds a row without items", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ plan: "slow", dailyItems: 0 })];
    for (let index = 0; index < 12; index++) await request(meter, key, 20);
    assert.equal((await request(meter, key, 20)).verdict, "rate_limited");
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.deepEqual([day?.requests, day?.items], [12, 0]);
  });

  test("the counters include the request in the minute but not its items, which are not known yet", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ plan: "discovery" })];
    await request(meter, key, 0);
    fixture.clock.pass(18_000);
    const admission = await meter.admit(key, 20);
    assert.ok(admission.verdict === "accepted");
    assert.deepEqual(admission.rateLimit, {
      at: START + 18_000,
      minute: { limit: 120, remaining: 118, resetSeconds: 42 },
      day: { date: "2026-11-20", limit: 2000, used: 0, remaining: 2000, resetSeconds: 36_012 - 18 },
    });
  });

  test("a raised, lowered or removed cap applies to the next request", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 10 })];
    assert.equal((await request(meter, key, 20)).verdict, "accepted");
    assert.equal((await request(meter, key, 20)).verdict, "quota_exceeded");
    assert.equal((await admitted(meter.admit({ ...key, dailyItems: 25 }, 20))).granted, 15);
    assert.equal((await request(meter, { ...key, dailyItems: 5 }, 20)).verdict, "quota_exceeded");
    assert.equal((await admitted(meter.admit({ ...key, dailyItems: "none" }, 20))).granted, 20);
  });

  test("a key without a cap gets all items, and its counters have no limit", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: "none" })];
    const admission = await meter.admit(key, ALL_ITEMS);
    assert.ok(admission.verdict === "accepted");
    assert.equal(admission.reservation.granted, ALL_ITEMS);
    assert.deepEqual([admission.rateLimit.day.limit, admission.rateLimit.day.remaining], [null, null]);
    await meter.settle(admission.reservation, outcome(1_000_000));
    assert.equal((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.items, 1_000_000);
  });

  test("an export under a cap is granted all remaining items", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 1000 })];
    await request(meter, key, 1);
    assert.equal((await admitted(meter.admit(key, ALL_ITEMS))).granted, 999);
  });

  test("a request that crosses midnight belongs to the day of its admission", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 100 })];
    fixture.clock.set(MIDNIGHT - 1);
    const late = await admitted(meter.admit(key, 70));
    fixture.clock.set(MIDNIGHT);
    assert.equal((await admitted(meter.admit(key, 100))).granted, 100, "the new day is unused");
    await meter.settle(late, outcome(60));
    const days = await meter.usage(key.id, "2026-11-20", "2026-11-21");
    assert.deepEqual(
      days.map(({ date, items }) => [date, items]),
      [["2026-11-20", 60]],
    );
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { forEachEngine } from "@triptych/storage/testing";
import { dayOf, type Reservation } from "../src/index.ts";
import {
  admitted,
  DAY,
  migrations,
  openFixture,
  outcome,
  plans,
  request,
  shareStore,
  START,
  type TestTables,
} from "./fixture.ts";

forEachEngine<TestTables>("settling", { migrations }, (openFresh, stores) => {
  const open = stores.name === "SQLite in memory" ? openFresh : shareStore(openFresh);

  test("settling twice books once", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 50 })];
    const reservation = await admitted(meter.admit(key, 20));
    await Promise.all([meter.settle(reservation, outcome(20)), meter.settle(reservation, outcome(20))]);
    await meter.settle(reservation, outcome(20));
    assert.deepEqual((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.items, 20);
    assert.equal((await admitted(meter.admit(key, 50))).granted, 30);
  });

  test("rejects an impossible outcome without booking it", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    const reservation = await admitted(meter.admit(key, 20));
    for (const wrong of [outcome(21), outcome(-1), outcome(1.5), outcome(1, { bytes: Number.NaN })]) {
      await assert.rejects(meter.settle(reservation, wrong), RangeError);
    }
    await meter.settle(reservation, outcome(20));
    assert.equal((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.requests, 1);
  });

  test("two requests with the same request ID are two rows", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await request(meter, key, 3);
    await request(meter, key, 3);
    await meter.flush();
    const rows = await fixture.database.db
      .selectFrom("usage_row")
      .selectAll()
      .where("key_id", "=", key.id)
      .orderBy("id")
      .execute();
    assert.deepEqual(
      rows.map((row) => [row.request_id, row.items]),
      [
        ["client-says", 3],
        ["client-says", 3],
      ],
    );
    assert.ok(rows.every(({ id }) => /^req_[0-9a-z]{26}$/.test(id)));
  });

  test("a row contains the outcome of the request", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ test: true })];
    const reservation = await admitted(meter.admit(key, 20));
    await meter.settle(
      reservation,
      outcome(4, { requestId: "abc", route: "/api/items", status: 200, bytes: 977, geo: true }),
    );
    await meter.flush();
    const sums = { requests: 1, items: 4, billed_items: 4, bytes: 977, amount_micro: 400 };
    const base = { id: reservation.id, key_id: key.id, request_id: "abc", at: START, day: "2026-11-20" };
    const rows = await fixture.database.db.selectFrom("usage_row").selectAll().where("key_id", "=", key.id).execute();
    assert.deepEqual(rows, [{ ...rows[0], ...base, ...sums, route: "/api/items", status: 200, geo: 1, test: 1 }]);
  });

  test("usage returns the days with usage in its range, including what was just settled", async () => {
    await using fixture = await openFixture(open());
    const [meter, key, other] = [await fixture.meter(), await fixture.key(), await fixture.key()];
    for (const items of [1, 2, 3]) {
      await request(meter, key, items);
      await request(meter, other, 9);
      fixture.clock.pass(DAY);
    }
    const day = (date: string, items: number) => ({
      date,
      requests: 1,
      items,
      bytes: 40 + items * 100,
      geoRequests: 0,
      amountMicro: items * 100,
    });
    assert.deepEqual(await meter.usage(key.id, "2026-11-21", "2026-11-30"), [
      day("2026-11-21", 2),
      day("2026-11-22", 3),
    ]);
    assert.deepEqual(await meter.usage("key_none", "2026-11-01", "2026-11-30"), []);
  });

  test("under random load rows, sums and usage match, the cap holds, and the price of the month is exact", async () => {
    await using fixture = await openFixture(open());
    const step = fc.record({
      key: fc.nat(2),
      requested: fc.nat(60),
      sent: fc.nat(100),
      wait: fc.constantFrom(0, 0, 5, 40_000, DAY / 2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        fixture.clock.set(Date.UTC(2026, 9, 1));
        const keys = [
          await fixture.key({ plan: "tiered", dailyItems: 150 }),
          await fixture.key({ plan: "tiered", dailyItems: "none" }),
          await fixture.key({ plan: "discovery" }),
        ];
        const meter = await fixture.meter();
        const running: { reservation: Reservation; sent: number }[] = [];
        const served = new Map<string, number>();
        for (const { key: index, requested, sent, wait } of steps) {
          fixture.clock.pass(wait);
          const [key] = keys.slice(index);
          assert.ok(key);
          const admission = await meter.admit(key, requested);
          if ("reservation" in admission) running.push({ reservation: admission.reservation, sent });
          if (running.length > 3) await finish(running.splice(1, 1));
        }
        await finish(running);

        for (const key of keys) {
          const days = await meter.usage(key.id, "2026-10-01", "2026-12-31");
          for (const { date, items } of days) {
            assert.equal(items, served.get(`${key.id} ${date}`) ?? 0);
            if (key.dailyItems === 150) assert.ok(items <= 150);
          }
          const amount = days.filter(({ date }) => date < "2026-11").reduce((sum, day) => sum + day.amountMicro, 0);
          const items = days.filter(({ date }) => date < "2026-11").reduce((sum, day) => sum + day.items, 0);
          assert.equal(amount, key.plan === "discovery" ? 0 : tieredPrice(items));
        }
        assert.deepEqual(await fixture.ledger.verify("2026-01-01", "2026-12-31"), []);

        async function finish(ended: typeof running): Promise<void> {
          const settled = ended.map(({ reservation, sent }) => {
            const items = Math.min(sent, reservation.granted);
            const dayKey = `${reservation.keyId} ${dayOf(reservation.at)}`;
            served.set(dayKey, (served.get(dayKey) ?? 0) + items);
            return meter.settle(reservation, outcome(items));
          });
          await Promise.all(settled);
        }
      }),
      { seed: 20_261_121, numRuns: stores.engine === "sqlite" ? 25 : 3 },
    );
  });

  test("a closed meter accepts no requests", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await Promise.all([meter.close(), meter.close()]);
    await assert.rejects(async () => meter.admit(key, 1), /closed/);
  });

  test("a key with a removed plan causes an error that names the plan", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await assert.rejects(async () => meter.admit({ ...key, plan: "gold" }, 1), /"gold"/);
  });
});

/** Price of the first `items` of a month in the plan "tiered", computed item by item. */
function tieredPrice(items: number): number {
  const tiers = plans.get("tiered")?.tiers ?? [];
  let amount = 0;
  for (let position = 1; position <= items; position++) {
    amount += tiers.find(({ upTo }) => upTo === null || position <= upTo)?.priceMicro ?? 0;
  }
  return amount;
}

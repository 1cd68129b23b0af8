import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { forEachEngine } from "@triptych/storage/testing";
import {
  ALL_ITEMS,
  dayOf,
  definePlans,
  standingAfter,
  type Admission,
  type MeteringTables,
  type Reservation,
} from "../src/index.ts";
import { DAY, migrations, openHouse, outcome, plans, request, shareStore, START } from "./house.ts";

const MIDNIGHT = Math.ceil(START / DAY) * DAY;

forEachEngine<MeteringTables>("the meter", { migrations }, (openFresh, stores) => {
  const open = stores.name === "SQLite in memory" ? openFresh : shareStore(openFresh);

  test("120 requests are accepted in 60 s, the 121st is refused, and whoever waits as told is accepted", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key()];
    for (let index = 0; index < 120; index++) {
      const admission = await request(meter, key, 0);
      assert.equal(admission.verdict, "accepted");
      assert.equal(admission.verdict === "accepted" && admission.standing.minute.remaining, 119 - index);
      house.clock.pass(100);
    }
    const refused = await request(meter, key, 0);
    assert.ok(refused.verdict === "rate_limited");
    assert.equal(refused.retryAfter, 48);
    assert.deepEqual(refused.standing.minute, { limit: 120, remaining: 0, resetSeconds: 48 });

    house.clock.pass(refused.retryAfter * 1000 - 1);
    assert.equal((await request(meter, key, 0)).verdict, "rate_limited");
    house.clock.pass(1);
    assert.equal((await request(meter, key, 0)).verdict, "accepted");
  });

  test("any pattern of arrivals gets exactly what the 60 s before leave, and a clock that steps back gives nothing away", async () => {
    await using house = await openHouse(open());
    const moves = fc.array(fc.constantFrom(0, 0, 0, 1, 700, 20_000, 59_999, 60_000, -500, -90_000), {
      maxLength: 40,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(moves, fc.integer({ min: 1, max: 5 }), async (waits, requestsPerMinute) => {
        const limited = definePlans([{ id: "pro", itemsPerDay: null, requestsPerMinute, raisable: true, tiers: [] }]);
        const [meter, key] = [await house.meter({ plans: limited }), await house.key()];
        let real = START;
        let stepped = false;
        let accepted: number[] = [];
        for (const wait of waits) {
          house.clock.pass(wait);
          real += Math.max(0, wait);
          stepped ||= wait < 0;
          accepted = accepted.filter((time) => time > real - 60_000);
          const { verdict } = await request(meter, key, 0);
          if (verdict === "accepted") assert.ok(accepted.length < requestsPerMinute);
          else assert.ok(stepped || accepted.length === requestsPerMinute);
          if (verdict === "accepted") accepted.push(real);
        }
        house.clock.pass(60_000);
        assert.equal((await request(meter, key, 0)).verdict, "accepted");
      }),
      { seed: 20_261_121, numRuns: stores.engine === "sqlite" ? 25 : 3 },
    );
  });

  test("a request that the window refused is not counted and leaves no row", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ plan: "slow" })];
    for (let index = 0; index < 15; index++) await request(meter, key, 1);
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.equal(day?.requests, 12);
    house.clock.pass(60_000);
    assert.equal((await request(meter, key, 1)).verdict, "accepted");
  });

  test("50 pages at once never pass the cap together, and nothing is left unused", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 730 })];
    const admissions = await Promise.all(Array.from({ length: 50 }, () => meter.admit(key, 20)));
    const granted = admissions.map((admission) => ("reservation" in admission ? admission.reservation.granted : 0));
    assert.equal(
      granted.reduce((sum, items) => sum + items),
      730,
    );
    assert.equal(granted.filter((items) => items === 20).length, 36);
    assert.equal(granted.filter((items) => items === 10).length, 1, "one page is cut");
    assert.equal(admissions.filter(({ verdict }) => verdict === "quota_exceeded").length, 13);
  });

  test("what was reserved and not sent is given back", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 100 })];
    const first = await admitted(meter.admit(key, 80));
    assert.equal((await admitted(meter.admit(key, 80))).granted, 20);
    await meter.settle(first, outcome(5));
    assert.equal((await admitted(meter.admit(key, 80))).granted, 75);
  });

  test("the last item of the day is served, then the quota is exceeded until midnight", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 21 })];
    assert.equal((await request(meter, key, 20)).verdict, "accepted");
    const last = await admitted(meter.admit(key, 20));
    assert.equal(last.granted, 1);
    assert.equal((await request(meter, key, 1)).verdict, "quota_exceeded", "while it runs, too");
    await meter.settle(last, outcome(1));
    const exceeded = await request(meter, key, 1);
    assert.ok(exceeded.verdict === "quota_exceeded");
    assert.equal(exceeded.retryAfter, 36_012);
    assert.deepEqual(exceeded.standing.day, {
      date: "2026-11-20",
      limit: 21,
      used: 21,
      remaining: 0,
      resetSeconds: 36_012,
    });

    house.clock.pass(exceeded.retryAfter * 1000 - 1);
    assert.equal((await request(meter, key, 1)).verdict, "quota_exceeded");
    house.clock.pass(1);
    assert.equal((await request(meter, key, 1)).verdict, "accepted");
  });

  test("a request that wants no items is never refused by the quota", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 0 })];
    assert.equal((await request(meter, key, 1)).verdict, "quota_exceeded");
    assert.equal((await request(meter, key, 0)).verdict, "accepted");
  });

  test("a refusal by the quota counts in the minute and is a row without items", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ plan: "slow", dailyItems: 0 })];
    for (let index = 0; index < 12; index++) await request(meter, key, 20);
    assert.equal((await request(meter, key, 20)).verdict, "rate_limited");
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.deepEqual([day?.requests, day?.items], [12, 0]);
  });

  test("the standing counts the request itself in the minute, and its items once they are known", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ plan: "discovery" })];
    await request(meter, key, 0);
    house.clock.pass(18_000);
    const admission = await meter.admit(key, 20);
    assert.ok(admission.verdict === "accepted");
    assert.deepEqual(standingAfter(admission.standing, 20), {
      at: START + 18_000,
      minute: { limit: 120, remaining: 118, resetSeconds: 42 },
      day: { date: "2026-11-20", limit: 2000, used: 20, remaining: 1980, resetSeconds: 36_012 - 18 },
    });
  });

  test("a cap that is raised, lowered or removed acts on the next request", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 10 })];
    assert.equal((await request(meter, key, 20)).verdict, "accepted");
    assert.equal((await request(meter, key, 20)).verdict, "quota_exceeded");
    assert.equal((await admitted(meter.admit({ ...key, dailyItems: 25 }, 20))).granted, 15);
    assert.equal((await request(meter, { ...key, dailyItems: 5 }, 20)).verdict, "quota_exceeded");
    assert.equal((await admitted(meter.admit({ ...key, dailyItems: "none" }, 20))).granted, 20);
  });

  test("a key without cap gets all it wants, and its standing has no limit", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: "none" })];
    const admission = await meter.admit(key, ALL_ITEMS);
    assert.ok(admission.verdict === "accepted");
    assert.equal(admission.reservation.granted, ALL_ITEMS);
    assert.deepEqual([admission.standing.day.limit, admission.standing.day.remaining], [null, null]);
    await meter.settle(admission.reservation, outcome(1_000_000));
    assert.equal((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.items, 1_000_000);
  });

  test("an export under a cap is granted all that is left", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 1000 })];
    await request(meter, key, 1);
    assert.equal((await admitted(meter.admit(key, ALL_ITEMS))).granted, 999);
  });

  test("a request admitted before midnight and settled after it belongs to its own day", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 100 })];
    house.clock.set(MIDNIGHT - 1);
    const late = await admitted(meter.admit(key, 70));
    house.clock.set(MIDNIGHT);
    assert.equal((await admitted(meter.admit(key, 100))).granted, 100, "the new day is whole");
    await meter.settle(late, outcome(60));
    const days = await meter.usage(key.id, "2026-11-20", "2026-11-21");
    assert.deepEqual(
      days.map(({ date, items }) => [date, items]),
      [["2026-11-20", 60]],
    );
  });

  test("settling twice books once", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ dailyItems: 50 })];
    const reservation = await admitted(meter.admit(key, 20));
    await Promise.all([meter.settle(reservation, outcome(20)), meter.settle(reservation, outcome(20))]);
    await meter.settle(reservation, outcome(20));
    assert.deepEqual((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.items, 20);
    assert.equal((await admitted(meter.admit(key, 50))).granted, 30);
  });

  test("settling what cannot have happened is refused and books nothing", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key()];
    const reservation = await admitted(meter.admit(key, 20));
    for (const wrong of [outcome(21), outcome(-1), outcome(1.5), outcome(1, { bytes: Number.NaN })]) {
      await assert.rejects(meter.settle(reservation, wrong), RangeError);
    }
    await meter.settle(reservation, outcome(20));
    assert.equal((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.requests, 1);
  });

  test("two requests with the same request id are two rows", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key()];
    await request(meter, key, 3);
    await request(meter, key, 3);
    await meter.flush();
    const rows = await house.database.db
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

  test("a row says what became of the request", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key({ test: true })];
    const reservation = await admitted(meter.admit(key, 20));
    await meter.settle(
      reservation,
      outcome(4, { requestId: "abc", route: "/api/items", status: 200, bytes: 977, geo: true }),
    );
    await meter.flush();
    const sums = { requests: 1, items: 4, billed_items: 4, bytes: 977, amount_micro: 400 };
    const place = { id: reservation.id, key_id: key.id, request_id: "abc", at: START, day: "2026-11-20" };
    const rows = await house.database.db.selectFrom("usage_row").selectAll().where("key_id", "=", key.id).execute();
    assert.deepEqual(rows, [{ ...rows[0], ...place, ...sums, route: "/api/items", status: 200, geo: 1, test: 1 }]);
  });

  test("usage answers the days with use inside its span, what was settled last included", async () => {
    await using house = await openHouse(open());
    const [meter, key, other] = [await house.meter(), await house.key(), await house.key()];
    for (const items of [1, 2, 3]) {
      await request(meter, key, items);
      await request(meter, other, 9);
      house.clock.pass(DAY);
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

  test("a restart opens neither the window nor the quota", async () => {
    await using house = await openHouse(open());
    const [before, key] = [await house.meter(), await house.key({ plan: "slow", dailyItems: 22 })];
    for (let index = 0; index < 11; index++) {
      await request(before, key, 1);
      house.clock.pass(100);
    }
    await before.close();
    const after = await house.meter();
    const last = await request(after, key, 100);
    assert.ok(last.verdict === "accepted");
    assert.equal(last.reservation.granted, 11);
    const refused = await request(after, key, 1);
    assert.ok(refused.verdict === "rate_limited");
    assert.equal(refused.retryAfter, 59, "the oldest request before the restart decides");
  });

  test("under random load rows, sums and usage agree, the cap holds, and the price of the month is exact", async () => {
    await using house = await openHouse(open());
    const step = fc.record({
      key: fc.nat(2),
      wanted: fc.nat(60),
      sent: fc.nat(100),
      wait: fc.constantFrom(0, 0, 5, 40_000, DAY / 2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        house.clock.set(Date.UTC(2026, 9, 1));
        const keys = [
          await house.key({ plan: "tiered", dailyItems: 150 }),
          await house.key({ plan: "tiered", dailyItems: "none" }),
          await house.key({ plan: "discovery" }),
        ];
        const meter = await house.meter();
        const running: { reservation: Reservation; sent: number }[] = [];
        const served = new Map<string, number>();
        for (const { key: index, wanted, sent, wait } of steps) {
          house.clock.pass(wait);
          const [key] = keys.slice(index);
          assert.ok(key);
          const admission = await meter.admit(key, wanted);
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
        assert.deepEqual(await house.books.verify("2026-01-01", "2026-12-31"), []);

        async function finish(ended: typeof running): Promise<void> {
          const settled = ended.map(({ reservation, sent }) => {
            const items = Math.min(sent, reservation.granted);
            const place = `${reservation.keyId} ${dayOf(reservation.at)}`;
            served.set(place, (served.get(place) ?? 0) + items);
            return meter.settle(reservation, outcome(items));
          });
          await Promise.all(settled);
        }
      }),
      { seed: 20_261_121, numRuns: stores.engine === "sqlite" ? 25 : 3 },
    );
  });

  test("a closed meter takes no more requests", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key()];
    await Promise.all([meter.close(), meter.close()]);
    await assert.rejects(meter.admit(key, 1), /closed/);
  });

  test("a key whose plan is no longer offered is a fault that names the plan", async () => {
    await using house = await openHouse(open());
    const [meter, key] = [await house.meter(), await house.key()];
    await assert.rejects(meter.admit({ ...key, plan: "gold" }, 1), /"gold"/);
  });
});

/** The price of the first `items` of a month in the plan "tiered", item by item. */
function tieredPrice(items: number): number {
  const tiers = plans.get("tiered")?.tiers ?? [];
  let amount = 0;
  for (let place = 1; place <= items; place++) {
    amount += tiers.find(({ upTo }) => upTo === null || place <= upTo)?.priceMicro ?? 0;
  }
  return amount;
}

async function admitted(admitting: Promise<Admission>): Promise<Reservation> {
  const admission = await admitting;
  assert.ok(admission.verdict === "accepted", admission.verdict);
  return admission.reservation;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { forEachEngine } from "@triptych/storage/testing";
import { definePlans } from "../src/index.ts";
import { migrations, openFixture, request, shareStore, START, type TestTables } from "./fixture.ts";

forEachEngine<TestTables>("the meter's rate limit", { migrations }, (openFresh, stores) => {
  const open = stores.name === "SQLite in memory" ? openFresh : shareStore(openFresh);

  test("accepts 120 requests in 60 s, rejects the 121st, and accepts it after the returned delay", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    for (let index = 0; index < 120; index++) {
      const admission = await request(meter, key, 0);
      assert.equal(admission.verdict, "accepted");
      assert.equal(admission.verdict === "accepted" && admission.rateLimit.minute.remaining, 119 - index);
      fixture.clock.pass(100);
    }
    const refused = await request(meter, key, 0);
    assert.ok(refused.verdict === "rate_limited");
    assert.equal(refused.retryAfter, 48);
    assert.deepEqual(refused.rateLimit.minute, { limit: 120, remaining: 0, resetSeconds: 48 });

    fixture.clock.pass(refused.retryAfter * 1000 - 1);
    assert.equal((await request(meter, key, 0)).verdict, "rate_limited");
    fixture.clock.pass(1);
    assert.equal((await request(meter, key, 0)).verdict, "accepted");
  });

  test("for any arrival pattern, accepts exactly what the preceding 60 s leave, even if the clock steps back", async () => {
    await using fixture = await openFixture(open());
    const moves = fc.array(fc.constantFrom(0, 0, 0, 1, 700, 20_000, 59_999, 60_000, -500, -90_000), {
      maxLength: 40,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(moves, fc.integer({ min: 1, max: 5 }), async (waits, requestsPerMinute) => {
        const limited = definePlans([{ id: "pro", itemsPerDay: null, requestsPerMinute, raisable: true, tiers: [] }]);
        const [meter, key] = [await fixture.meter({ plans: limited }), await fixture.key()];
        let real = START;
        let stepped = false;
        let accepted: number[] = [];
        for (const wait of waits) {
          fixture.clock.pass(wait);
          real += Math.max(0, wait);
          stepped ||= wait < 0;
          accepted = accepted.filter((time) => time > real - 60_000);
          const { verdict } = await request(meter, key, 0);
          if (verdict === "accepted") assert.ok(accepted.length < requestsPerMinute);
          else assert.ok(stepped || accepted.length === requestsPerMinute);
          if (verdict === "accepted") accepted.push(real);
        }
        fixture.clock.pass(60_000);
        assert.equal((await request(meter, key, 0)).verdict, "accepted");
      }),
      { seed: 20_261_121, numRuns: stores.engine === "sqlite" ? 25 : 3 },
    );
  });

  test("a rate-limited request is not counted and leaves no row", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key({ plan: "slow" })];
    for (let index = 0; index < 15; index++) await request(meter, key, 1);
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.equal(day?.requests, 12);
    fixture.clock.pass(60_000);
    assert.equal((await request(meter, key, 1)).verdict, "accepted");
  });

  test("a restart resets neither the window nor the quota", async () => {
    await using fixture = await openFixture(open());
    const [before, key] = [await fixture.meter(), await fixture.key({ plan: "slow", dailyItems: 22 })];
    for (let index = 0; index < 11; index++) {
      await request(before, key, 1);
      fixture.clock.pass(100);
    }
    await before.close();
    const after = await fixture.meter();
    const last = await request(after, key, 100);
    assert.ok(last.verdict === "accepted");
    assert.equal(last.reservation.granted, 11);
    const refused = await request(after, key, 1);
    assert.ok(refused.verdict === "rate_limited");
    assert.equal(refused.retryAfter, 59, "the oldest request before the restart determines the delay");
  });
});

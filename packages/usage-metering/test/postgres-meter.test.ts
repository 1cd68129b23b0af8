import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { openPostgresMeter, priceOf, type Meter } from "../src/index.ts";
import { priceTiers } from "./arbitraries.ts";
import { migrations, openHouse, outcome, plans, request, START, type House, type TestTables } from "./fixture.ts";

forEachEngine<TestTables>(
  "the meter of several processes",
  { migrations, engines: ["PGlite", "PostgreSQL"] },
  (open, stores) => {
    test("two processes share one exact window, by the database clock", async () => {
      await using location = await stores.createLocation();
      await using house = await openHouse(location.open());
      await using elsewhere = await location.open();
      await using first = realMeter(house);
      await using other = openPostgresMeter({
        database: elsewhere,
        plans,
        random: randomBytes,
        onError: (error) => house.errors.push(error),
      });
      const key = await house.key();
      const admissions = await Promise.all(
        Array.from({ length: 200 }, (_, index) => request(index % 2 === 0 ? first : other, key, 0)),
      );

      assert.equal(admissions.filter(({ verdict }) => verdict === "accepted").length, 120);
      assert.equal((await house.database.db.selectFrom("usage_row").select("id").execute()).length, 120);
      const { stamps } = await storedWindow(house, key.id);
      assert.equal(stamps.length, 120);
      assert.deepEqual(
        stamps,
        stamps.toSorted((a, b) => a - b),
      );
      const off = Date.now() - (stamps.at(-1) ?? 0);
      assert.ok(off > -1000 && off < 60_000, `the database's clock is ${off} ms from ours`);
    });

    test("two processes never exceed the cap together", async () => {
      await using location = await stores.createLocation();
      await using house = await openHouse(location.open());
      await using elsewhere = await location.open();
      const [first, key] = [await house.meter(), await house.key({ dailyItems: 500 })];
      await using other = openPostgresMeter({
        database: elsewhere,
        plans,
        clock: house.clock,
        random: house.random,
        onError: (error) => house.errors.push(error),
      });
      let sent = 0;
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const meter = index % 2 === 0 ? first : other;
          const admission = await meter.admit(key, 20);
          if (admission.verdict === "rate_limited" || admission.verdict === "overloaded") return;
          const items = Math.min(admission.reservation.granted, index % 3 === 0 ? 20 : 13);
          sent += items;
          await meter.settle(admission.reservation, outcome(items));
        }),
      );
      const rest = await first.admit(key, 500);
      const left = rest.verdict === "accepted" ? rest.reservation.granted : 0;
      assert.equal(sent + left, 500);
      assert.deepEqual(await house.ledger.verify("2026-11-20", "2026-11-20"), []);
    });

    test("releases the reservation of a dead process after 60 s", async () => {
      await using house = await openHouse(open());
      const [meter, key] = [await house.meter(), await house.key({ dailyItems: 100 })];
      await meter.admit(key, 70);
      house.clock.pass(59_999);
      const before = await meter.admit(key, 100);
      assert.equal(before.verdict === "accepted" && before.reservation.granted, 30);
      assert.ok("reservation" in before);
      await meter.settle(before.reservation, outcome(0));
      house.clock.pass(1);
      const after = await meter.admit(key, 100);
      assert.equal(after.verdict === "accepted" && after.reservation.granted, 100);
    });

    test("a live process keeps the reservation of a long request", async () => {
      await using house = await openHouse(open());
      const key = await house.key({ dailyItems: 100 });
      await using meter = openPostgresMeter({
        database: house.database,
        plans,
        clock: house.clock,
        random: house.random,
        leaseMs: 60,
        onError: (error) => house.errors.push(error),
      });
      await meter.admit(key, 70);
      house.clock.pass(50);
      const since = performance.now();
      while ((await reservedUntil(house)) !== START + 110) {
        assert.ok(performance.now() - since < 5000, "never renewed");
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      house.clock.pass(59);
      const other = await (await house.meter()).admit(key, 100);
      assert.equal(other.verdict === "accepted" && other.reservation.granted, 30);
    });

    test("books sent items even if their reservation has expired", async () => {
      await using house = await openHouse(open());
      const [meter, key] = [await house.meter(), await house.key({ dailyItems: 100 })];
      const frozen = await meter.admit(key, 70);
      assert.ok(frozen.verdict === "accepted");
      house.clock.pass(60_000);
      await request(meter, key, 1);
      await meter.settle(frozen.reservation, outcome(70));
      assert.equal((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.items, 71);
    });

    test("concurrent bookings of one key take different positions in its price tiers", async () => {
      await using house = await openHouse(open());
      const [meter, key] = [await house.meter(), await house.key({ plan: "tiered" })];
      await Promise.all(Array.from({ length: 30 }, () => request(meter, key, 10)));
      const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
      assert.equal(day?.amountMicro, 50 * 100 + 150 * 7 + 100 * 3);
    });

    test("the database and the program compute the same prices", async () => {
      await using house = await openHouse(open());
      await fc.assert(
        fc.asyncProperty(priceTiers, fc.nat(300), async (tiers, count) => {
          const list = JSON.stringify(tiers.map(({ upTo, priceMicro }) => ({ up_to: upTo, price_micro: priceMicro })));
          const { rows } = await sql<{
            price: number;
          }>`select metering_price(${list}::jsonb, ${count}::bigint) as price`.execute(house.database.db);
          assert.equal(rows[0]?.price, priceOf(tiers, 0, count));
        }),
        { seed: 20_261_121, numRuns: 60 },
      );
    });
  },
);

/** A meter on the database clock. */
function realMeter({ database, errors }: House): Meter {
  return openPostgresMeter({ database, plans, random: randomBytes, onError: (error) => errors.push(error) });
}

async function storedWindow({ database }: House, keyId: string): Promise<{ readonly stamps: readonly number[] }> {
  const { rows } = await sql<{
    stamps: string;
  }>`select array_to_json(stamps)::text as stamps from usage_window where key_id = ${keyId}`.execute(database.db);
  const stamps: unknown = JSON.parse(rows[0]?.stamps ?? "[]");
  assert.ok(Array.isArray(stamps));
  return { stamps: stamps.map(Number) };
}

async function reservedUntil({ database }: House): Promise<number | undefined> {
  const { rows } = await sql<{ until: number }>`select max(expires_at) as until from usage_reservation`.execute(
    database.db,
  );
  return rows[0]?.until;
}

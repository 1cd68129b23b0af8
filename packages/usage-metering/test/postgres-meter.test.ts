import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { openPostgresMeter, priceOf, type Meter } from "../src/index.ts";
import { priceTiers } from "./arbitraries.ts";
import {
  migrations,
  openFixture,
  outcome,
  plans,
  request,
  START,
  type MeterFixture,
  type TestTables,
} from "./fixture.ts";

forEachEngine<TestTables>(
  "the meter of several processes",
  { migrations, engines: ["PGlite", "PostgreSQL"] },
  (open, stores) => {
    test("two processes share one exact window, by the database clock", async () => {
      await using location = await stores.createLocation();
      await using fixture = await openFixture(location.open());
      await using elsewhere = await location.open();
      await using first = realMeter(fixture);
      await using other = openPostgresMeter({
        database: elsewhere,
        plans,
        random: randomBytes,
        onError: (error) => fixture.errors.push(error),
      });
      const key = await fixture.key();
      const admissions = await Promise.all(
        Array.from({ length: 200 }, (_, index) => request(index % 2 === 0 ? first : other, key, 0)),
      );

      assert.equal(admissions.filter(({ verdict }) => verdict === "accepted").length, 120);
      assert.equal((await fixture.database.db.selectFrom("usage_row").select("id").execute()).length, 120);
      const { stamps } = await storedWindow(fixture, key.id);
      assert.equal(stamps.length, 120);
      assert.deepEqual(
        stamps,
        stamps.toSorted((a, b) => a - b),
      );
      const off = Date.now() - (stamps.at(-1) ?? 0);
      assert.ok(off > -1000 && off < 60_000, `the database clock differs by ${off} ms`);
    });

    test("two processes never exceed the cap together", async () => {
      await using location = await stores.createLocation();
      await using fixture = await openFixture(location.open());
      await using elsewhere = await location.open();
      const [first, key] = [await fixture.meter(), await fixture.key({ dailyItems: 500 })];
      await using other = openPostgresMeter({
        database: elsewhere,
        plans,
        clock: fixture.clock,
        random: fixture.random,
        onError: (error) => fixture.errors.push(error),
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
      assert.deepEqual(await fixture.ledger.verify("2026-11-20", "2026-11-20"), []);
    });

    test("releases the reservation of a dead process after 60 s", async () => {
      await using fixture = await openFixture(open());
      const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 100 })];
      await meter.admit(key, 70);
      fixture.clock.pass(59_999);
      const before = await meter.admit(key, 100);
      assert.equal(before.verdict === "accepted" && before.reservation.granted, 30);
      assert.ok("reservation" in before);
      await meter.settle(before.reservation, outcome(0));
      fixture.clock.pass(1);
      const after = await meter.admit(key, 100);
      assert.equal(after.verdict === "accepted" && after.reservation.granted, 100);
    });

    test("a live process keeps the reservation of a long request", async () => {
      await using fixture = await openFixture(open());
      const key = await fixture.key({ dailyItems: 100 });
      await using meter = openPostgresMeter({
        database: fixture.database,
        plans,
        clock: fixture.clock,
        random: fixture.random,
        leaseMs: 60,
        onError: (error) => fixture.errors.push(error),
      });
      await meter.admit(key, 70);
      fixture.clock.pass(50);
      const since = performance.now();
      while ((await reservedUntil(fixture)) !== START + 110) {
        assert.ok(performance.now() - since < 5000, "never renewed");
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      fixture.clock.pass(59);
      const other = await (await fixture.meter()).admit(key, 100);
      assert.equal(other.verdict === "accepted" && other.reservation.granted, 30);
    });

    test("books sent items even if their reservation has expired", async () => {
      await using fixture = await openFixture(open());
      const [meter, key] = [await fixture.meter(), await fixture.key({ dailyItems: 100 })];
      const frozen = await meter.admit(key, 70);
      assert.ok(frozen.verdict === "accepted");
      fixture.clock.pass(60_000);
      await request(meter, key, 1);
      await meter.settle(frozen.reservation, outcome(70));
      assert.equal((await meter.usage(key.id, "2026-11-20", "2026-11-20"))[0]?.items, 71);
    });

    test("concurrent bookings of one key get different positions in its price tiers", async () => {
      await using fixture = await openFixture(open());
      const [meter, key] = [await fixture.meter(), await fixture.key({ plan: "tiered" })];
      await Promise.all(Array.from({ length: 30 }, () => request(meter, key, 10)));
      const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
      assert.equal(day?.amountMicro, 50 * 100 + 150 * 7 + 100 * 3);
    });

    test("the database and the code compute the same prices", async () => {
      await using fixture = await openFixture(open());
      await fc.assert(
        fc.asyncProperty(priceTiers, fc.nat(300), async (tiers, count) => {
          const list = JSON.stringify(tiers.map(({ upTo, priceMicro }) => ({ up_to: upTo, price_micro: priceMicro })));
          const { rows } = await sql<{
            price: number;
          }>`select metering_price(${list}::jsonb, ${count}::bigint) as price`.execute(fixture.database.db);
          assert.equal(rows[0]?.price, priceOf(tiers, 0, count));
        }),
        { seed: 20_261_121, numRuns: 60 },
      );
    });
  },
);

/** A meter on the database clock. */
function realMeter({ database, errors }: MeterFixture): Meter {
  return openPostgresMeter({ database, plans, random: randomBytes, onError: (error) => errors.push(error) });
}

async function storedWindow(
  { database }: MeterFixture,
  keyId: string,
): Promise<{ readonly stamps: readonly number[] }> {
  const { rows } = await sql<{
    stamps: string;
  }>`select array_to_json(stamps)::text as stamps from usage_window where key_id = ${keyId}`.execute(database.db);
  const stamps: unknown = JSON.parse(rows[0]?.stamps ?? "[]");
  assert.ok(Array.isArray(stamps));
  return { stamps: stamps.map(Number) };
}

async function reservedUntil({ database }: MeterFixture): Promise<number | undefined> {
  const { rows } = await sql<{ until: number }>`select max(expires_at) as until from usage_reservation`.execute(
    database.db,
  );
  return rows[0]?.until;
}

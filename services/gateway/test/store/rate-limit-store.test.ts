import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlidingWindow } from "@triptych/rate-limit";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import * as fc from "fast-check";
import { GATEWAY_MIGRATIONS, type GatewayTables } from "../../src/store/migrations.ts";
import { MINUTE_MS, openMinuteWindow } from "../../src/store/rate-limit-store.ts";

const START = 1_790_000_000_000;
const migrations = GATEWAY_MIGRATIONS;
const engines = ["SQLite in memory", "PostgreSQL"] as const;

forEachEngine<GatewayTables>("the rate limit of a wallet", { migrations, engines }, (open) => {
  test("equals the in-memory window for any number of concurrent calls", async () => {
    await using database = await open();
    let runs = 0;
    const wait = fc.constantFrom(0, 1, 700, 20_000, 59_999, 60_000, -500, -90_000);
    const bursts = fc.array(fc.record({ wait, calls: fc.integer({ min: 1, max: 6 }) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 1, max: 9 }), async (bursts, limit) => {
        let now = START;
        const window = openMinuteWindow({ database, clock: () => now });
        assert.deepEqual(await window.peek("nobody", limit), { remaining: limit, resetMs: 0 });
        const model = createSlidingWindow(MINUTE_MS);
        const wallet = `wallet ${++runs}`;
        for (const { wait, calls } of bursts) {
          now += wait;
          const taken = await Promise.all(Array.from({ length: calls }, () => window.take(wallet, limit)));
          const expected = Array.from({ length: calls }, () => model.take(wallet, limit, now));
          assert.deepEqual(taken, expected);
          assert.deepEqual(await window.peek(wallet, limit), model.peek(wallet, limit, now));
        }
      }),
      { seed: 20_261_122, numRuns: 12 },
    );
  });

  test("equals the in-memory window with hundreds of expiring slots and a changing limit", async () => {
    await using database = await open();
    let runs = 0;
    const wait = fc.constantFrom(0, 1, 700, 9_000, 20_000, 59_999, -500, -90_000);
    const limit = fc.constantFrom(400, 400, 400, 150, 30);
    const burst = fc.record({ wait, limit, calls: fc.integer({ min: 1, max: 150 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 4, maxLength: 16 }), async (bursts) => {
        let now = START;
        const window = openMinuteWindow({ database, clock: () => now });
        const model = createSlidingWindow(MINUTE_MS);
        const wallet = `wallet of hundreds ${++runs}`;
        for (const { wait, calls, limit } of bursts) {
          now += wait;
          const taken = await Promise.all(Array.from({ length: calls }, () => window.take(wallet, limit)));
          const expected = Array.from({ length: calls }, () => model.take(wallet, limit, now));
          assert.deepEqual(taken, expected);
          assert.deepEqual(await window.peek(wallet, limit), model.peek(wallet, limit, now));
        }
      }),
      { seed: 20_261_123, numRuns: 40 },
    );
  });

  test("counts concurrent calls of two wallets independently", async () => {
    await using database = await open();
    const window = openMinuteWindow({ database, clock: () => START });
    const taken = await Promise.all(["ada", "bob", "ada", "bob", "ada"].map((wallet) => window.take(wallet, 2)));
    assert.deepEqual(
      taken.map(({ accepted }) => accepted),
      [true, true, true, true, false],
    );
  });
});

forEachEngine<GatewayTables>(
  "wallet limits shared by several gateways",
  { migrations, engines: ["PostgreSQL"] },
  (_, stores) => {
    test("grants exactly the limit, and each slot once", async () => {
      await using location = await stores.createLocation();
      await using first = await location.open();
      await using two = await location.open();
      const windows = [first, two].map((database) => openMinuteWindow({ database }));
      const attempts = windows.flatMap((window) => Array.from({ length: 60 }, () => window.take("ada", 50)));
      const accepted = (await Promise.all(attempts)).filter((taken) => taken.accepted);
      assert.deepEqual(
        accepted.map(({ remaining }) => remaining).toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, left) => left),
      );
    });
  },
);

forEachEngine<GatewayTables>(
  "rate limits of many wallets at several gateways",
  { migrations, engines: ["PostgreSQL"] },
  (_, stores) => {
    test("are exact even if gateways create and remove the same windows concurrently", async () => {
      await using location = await stores.createLocation();
      await using first = await location.open();
      await using two = await location.open();
      let now = START;
      const windows = [first, two].map((database) => openMinuteWindow({ database, clock: () => now }));
      const wallets = Array.from({ length: 40 }, (_, number) => `wallet ${number}`);
      for (let round = 0; round < 8; round++) {
        // Half of the windows have expired when the others are new, so each gateway removes rows that the other one
        // uses.
        now += 3 * MINUTE_MS;
        const mine = wallets.filter((_, number) => (number + round) % 3 > 0);
        const attempts = [...mine, ...mine.toReversed(), ...mine].map((wallet, index) =>
          windows[index % 2]?.take(wallet, 2),
        );
        const accepted = (await Promise.all(attempts)).filter((taken) => taken?.accepted);
        assert.equal(accepted.length, 2 * mine.length);
      }
    });
  },
);

forEachEngine<GatewayTables>(
  "rate limits held by another gateway",
  { migrations, engines: ["PostgreSQL"] },
  (_, stores) => {
    test("are counted one by one after the database has resolved a deadlock", async () => {
      await using location = await stores.createLocation();
      await using first = await location.open();
      await using two = await location.open();
      const window = openMinuteWindow({ database: first, clock: () => START });
      // The first call has its own statement; the later ones share one.
      const takeAll = () => Promise.all(["first", "ada", "bob"].map((wallet) => window.take(wallet, 9)));
      await takeAll();
      const attempts = await two.transaction(async (tx) => {
        const lock = (wallet: string) =>
          sql`select from rate_window where name = ${`decisions ${wallet}`} for update`.execute(tx);
        // Makes the other side detect the deadlock, so that it is aborted.
        await sql`set local deadlock_timeout = '1min'`.execute(tx);
        await lock("bob");
        const taking = takeAll();
        for (let isWaiting = false; !isWaiting;) {
          const { rows } = await sql`select from pg_locks where not granted`.execute(tx);
          isWaiting = rows.length > 0;
        }
        await lock("ada");
        return { taking };
      });
      assert.deepEqual(
        (await attempts.taking).map(({ accepted, remaining }) => [accepted, remaining]),
        [
          [true, 7],
          [true, 7],
          [true, 7],
        ],
      );
    });
  },
);

forEachEngine<GatewayTables>("a lost store", { migrations, engines: ["PostgreSQL"] }, (open) => {
  test("fails each waiting call and later calls", async () => {
    const database = await open();
    const window = openMinuteWindow({ database });
    await database.close();
    for (let round = 0; round < 2; round++) {
      const attempts = Array.from({ length: 3 }, () => window.take("ada", 50));
      for (const { status } of await Promise.allSettled(attempts)) assert.equal(status, "rejected");
    }
  });
});

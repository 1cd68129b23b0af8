import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { sql, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { createSlidingWindow, openRateWindows, windowMigrations } from "../src/index.ts";

const SPAN = 60_000;
const START = Date.UTC(2026, 10, 20);
const migrations = [windowMigrations];
/** More times than PostgreSQL stores in one row of the window. */
const PARTED = 200;

type Nothing = Record<string, never>;

function windowAt(database: Database<Nothing>, clock: () => number, name = "requests") {
  return openRateWindows({ database, clock }).open(name, SPAN);
}

forEachEngine<Nothing>("the sliding window", { migrations, engines: ["SQLite in memory", "PGlite"] }, (open) => {
  test("decides like the window in memory for any arrival pattern, even if the clock steps back", async () => {
    await using database = await open();
    let runs = 0;
    const moves = fc.array(fc.constantFrom(0, 0, 1, 700, 20_000, 59_999, 60_000, -500, -90_000), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(moves, fc.integer({ min: 1, max: 4 }), async (waits, limit) => {
        let now = START;
        const window = windowAt(database, () => now);
        const model = createSlidingWindow(SPAN);
        const key = `key ${++runs}`;
        for (const wait of waits) {
          now += wait;
          assert.deepEqual(await window.take(key, limit), model.take(key, limit, now));
        }
      }),
      { seed: 20_261_122, numRuns: 12 },
    );
  });

  test("hundreds of single requests each leave the window in time", async () => {
    await using database = await open();
    let now = START;
    const window = windowAt(database, () => now);
    const model = createSlidingWindow(SPAN);
    for (let count = 0; count < 4 * PARTED; count++) {
      now += 450 + (count % 3) * 100;
      assert.deepEqual(await window.take("busy", PARTED), model.take("busy", PARTED, now));
    }
    assert.deepEqual(await window.peek("busy", PARTED), model.peek("busy", PARTED, now));
    now += SPAN / 2;
    assert.deepEqual(await window.peek("busy", PARTED), model.peek("busy", PARTED, now));
  });

  test("two names, and two keys of one name, are counted separately", async () => {
    await using database = await open();
    const windows = openRateWindows({ database, clock: () => START });
    for (const [name, key] of [
      ["failures", "a"],
      ["failures", "b"],
      ["creations", "a"],
    ] as const) {
      const window = windows.open(name, SPAN);
      assert.equal((await window.take(key, 1)).accepted, true);
      assert.equal((await windows.open(name, SPAN).take(key, 1)).accepted, false);
    }
  });
});

forEachEngine<Nothing>(
  "the sliding window of several processes",
  { migrations, engines: ["PGlite", "PostgreSQL"] },
  (_, stores) => {
    test("two processes accept exactly the limit, by the database clock", async () => {
      await using location = await stores.createLocation();
      await using one = await location.open();
      await using two = await location.open();
      const windows = [one, two].map((database) => openRateWindows({ database }).open("requests", SPAN));
      const taken = await Promise.all(
        windows.flatMap((window) => Array.from({ length: 60 }, () => window.take("ada", 50))),
      );
      assert.equal(taken.filter(({ accepted }) => accepted).length, 50);
      assert.deepEqual(
        taken
          .filter(({ accepted }) => accepted)
          .map(({ remaining }) => remaining)
          .toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, left) => left),
      );
    });

    test("removes expired names as new ones arrive", async () => {
      await using location = await stores.createLocation();
      await using database = await location.open();
      let now = START;
      const window = windowAt(database, () => now);
      for (let index = 0; index < 40; index++) await window.take(`old ${index}`, 5);
      for (let count = 0; count < PARTED; count++) await window.take("old 0", PARTED);
      now += 4 * SPAN;
      for (let index = 0; index < 20; index++) await window.take(`new ${index}`, 5);
      const { rows } = await sql<{ name: string }>`select name from rate_window where name like '%old%'`.execute(
        database.db,
      );
      assert.equal(rows.length, 0);
      const parts = await sql`select from rate_window_part`.execute(database.db);
      assert.equal(parts.rows.length, 0);
    });
  },
);

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@triptych/storage";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { hashKey, type DailyItems, type KeyErrorCode, type MeteringTables } from "../src/index.ts";
import { DAY, migrations, openHouse, request, START } from "./fixture.ts";

forEachEngine<MeteringTables>("keys", { migrations }, (open) => {
  test("returns a created key with the requested settings", async () => {
    await using house = await openHouse(open());
    const input = { name: "Musée", plan: "pro", test: true, dailyItems: 7, expiresAt: START + DAY };
    const { key } = await house.keys.create(input);
    const dates = { createdAt: START, revokedAt: null, rotatedAt: null };
    assert.deepEqual(await house.keys.show(key.id), { id: key.id, ...input, ...dates });
  });

  test("lists keys in order of creation, page by page", async () => {
    await using house = await openHouse(open());
    const created: string[] = [];
    for (let index = 0; index < 5; index++) {
      created.push((await house.key({ name: `key ${index}` })).id);
      house.clock.pass(1);
    }
    const first = await house.keys.list({ limit: 3 });
    const second = await house.keys.list({ limit: 3, after: first.at(-1)?.id ?? "" });
    assert.deepEqual(
      first.concat(second).map(({ id }) => id),
      created,
    );
  });

  test("every operation rejects an unknown key with a KeyError", async () => {
    await using house = await openHouse(open());
    const { keys } = house;
    for (const verb of [
      () => keys.show("key_x"),
      () => keys.set("key_x", { name: "n" }),
      () => keys.rotate("key_x", 0),
      () => keys.revoke("key_x"),
    ]) {
      await assert.rejects(verb, { name: "KeyError", code: "unknown_key" });
    }
  });

  test("settings change only what they name", async () => {
    await using house = await openHouse(open());
    const key = await house.key({ test: false });
    assert.deepEqual(await house.keys.set(key.id, { dailyItems: "none" }), { ...key, dailyItems: "none" });
    assert.deepEqual(await house.keys.set(key.id, { expiresAt: START + 1 }), {
      ...key,
      dailyItems: "none",
      expiresAt: START + 1,
    });
    assert.deepEqual(await house.keys.set(key.id, { dailyItems: "plan", expiresAt: null, name: "new" }), {
      ...key,
      name: "new",
    });
  });

  test("an undefined setting stays unchanged", async () => {
    await using house = await openHouse(open());
    const key = await house.key({ test: false, dailyItems: 60_000 });
    const undefinedNames = { name: undefined, plan: undefined, dailyItems: undefined, expiresAt: undefined };
    assert.deepEqual(await house.keys.set(key.id, undefinedNames), key);
  });

  test("a setting forbidden by the plan changes nothing", async () => {
    await using house = await openHouse(open());
    const key = await house.key({ test: false, dailyItems: 80_000 });
    await assert.rejects(house.keys.set(key.id, { plan: "discovery" }), { code: "bad_daily_items" });
    assert.deepEqual(await house.keys.show(key.id), key);
  });

  test("a revoked key keeps its first revocation time and cannot be rotated", async () => {
    await using house = await openHouse(open());
    const { id } = await house.key();
    await house.keys.revoke(id);
    house.clock.pass(1000);
    assert.equal((await house.keys.revoke(id)).revokedAt, START);
    await assert.rejects(house.keys.rotate(id, 0), { code: "key_revoked" });
  });

  test("concurrent changes get different numbers, and readers miss none", async () => {
    await using house = await openHouse(open());
    const created = await Promise.all(Array.from({ length: 12 }, (_, index) => house.key({ name: `key ${index}` })));
    const seen = await house.store.changedSince(0);
    assert.equal(seen.sequence, 12);
    assert.deepEqual(new Set(seen.keys.map(({ key }) => key.id)), new Set(created.map(({ id }) => id)));

    await Promise.all(created.map(({ id }) => house.keys.set(id, { name: "renamed" })));
    const later = await house.store.changedSince(seen.sequence);
    assert.equal(later.sequence, 24);
    assert.ok(later.keys.every(({ key }) => key.name === "renamed"));
    assert.deepEqual(await house.store.changedSince(24), { keys: [], sequence: 24, more: false });
  });

  test("no stored row contains the text of a key", async () => {
    await using house = await openHouse(open());
    const { key, secret } = await house.keys.create({ name: "planted", plan: "pro", test: false });
    const rotated = await house.keys.rotate(key.id, 1000);
    const meter = await house.meter();
    await request(meter, key, 3);
    await meter.flush();

    const rows = await everything(house.database);
    assert.ok(rows.includes(hashKey(secret)), "the search sees what is stored");
    for (const text of [secret, rotated.secret]) {
      const [random = text] = text.split("_").slice(2);
      assert.ok(!rows.includes(random));
    }
  });
});

/** All rows of all metering tables, as text. */
async function everything({ db }: Database<MeteringTables>): Promise<string> {
  const tables = [
    "api_key",
    "api_key_secret",
    "api_key_sequence",
    "usage_row",
    "usage_day",
    "usage_closed_day",
    "invoice_line",
  ];
  const found = await Promise.all(tables.map((table) => sql`select * from ${sql.table(table)}`.execute(db)));
  return JSON.stringify(found.map(({ rows }) => rows));
}

const rules: readonly [
  what: string,
  input: { plan: string; test: boolean; dailyItems: DailyItems },
  fault: KeyErrorCode | null,
][] = [
  ["a live Pro key may get more than its plan", { plan: "pro", test: false, dailyItems: 50_001 }, null],
  ["a live Pro key may get no cap at all", { plan: "pro", test: false, dailyItems: "none" }, null],
  ["a live Pro key may get exactly its plan's figure", { plan: "pro", test: false, dailyItems: 50_000 }, null],
  ["a live Pro key never gets less than its plan", { plan: "pro", test: false, dailyItems: 49_999 }, "bad_daily_items"],
  ["a test Pro key may get less", { plan: "pro", test: true, dailyItems: 0 }, null],
  ["a test Pro key may get more", { plan: "pro", test: true, dailyItems: 60_000 }, null],
  ["a Discovery key never gets more", { plan: "discovery", test: false, dailyItems: 2001 }, "bad_daily_items"],
  ["a Discovery test key never gets more", { plan: "discovery", test: true, dailyItems: 2001 }, "bad_daily_items"],
  [
    "a Discovery key never gets rid of its cap",
    { plan: "discovery", test: true, dailyItems: "none" },
    "bad_daily_items",
  ],
  ["a live Discovery key never gets less", { plan: "discovery", test: false, dailyItems: 5 }, "bad_daily_items"],
  ["a test Discovery key may get less", { plan: "discovery", test: true, dailyItems: 5 }, null],
  ["a negative figure is refused", { plan: "pro", test: true, dailyItems: -1 }, "bad_daily_items"],
  ["a figure that is no integer is refused", { plan: "pro", test: true, dailyItems: 1.5 }, "bad_daily_items"],
  ["an unknown plan is refused", { plan: "gold", test: true, dailyItems: "plan" }, "unknown_plan"],
];

forEachEngine<MeteringTables>("rules of keys", { migrations, engines: ["SQLite in memory"] }, (open) => {
  for (const [what, input, fault] of rules) {
    test(what, async () => {
      await using house = await openHouse(open());
      const creating = house.keys.create({ name: "demo", ...input });
      if (fault === null) assert.equal((await creating).key.dailyItems, input.dailyItems);
      else await assert.rejects(creating, { name: "KeyError", code: fault });
    });
  }

  for (const name of ["", "  ", "a\nb", "x".repeat(101)]) {
    test(`rejects the name ${JSON.stringify(name.slice(0, 10))} of ${name.length} characters`, async () => {
      await using house = await openHouse(open());
      await assert.rejects(house.key({ name }), { code: "bad_name" });
    });
  }

  test("rejects a key that has already expired", async () => {
    await using house = await openHouse(open());
    await assert.rejects(house.key({ expiresAt: START }), { code: "bad_time" });
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { ApiKeyTables, DailyItems, KeyErrorCode } from "../src/index.ts";
import { DAY, migrations, openFixture, START } from "./fixture.ts";

forEachEngine<ApiKeyTables>("keys", { migrations }, (open) => {
  test("returns a created key with the requested settings", async () => {
    await using fixture = await openFixture(open());
    const input = { name: "Musée", plan: "pro", test: true, dailyItems: 7, expiresAt: START + DAY };
    const { key } = await fixture.keys.create(input);
    const dates = { createdAt: START, revokedAt: null, rotatedAt: null };
    assert.deepEqual(await fixture.keys.show(key.id), { id: key.id, ...input, ...dates });
  });

  test("lists keys in order of creation, page by page", async () => {
    await using fixture = await openFixture(open());
    const created: string[] = [];
    for (let index = 0; index < 5; index++) {
      created.push((await fixture.key({ name: `key ${index}` })).id);
      fixture.clock.pass(1);
    }
    const first = await fixture.keys.list({ limit: 3 });
    const second = await fixture.keys.list({ limit: 3, after: first.at(-1)?.id ?? "" });
    assert.deepEqual(
      first.concat(second).map(({ id }) => id),
      created,
    );
  });

  test("every operation rejects an unknown key with a KeyError", async () => {
    await using fixture = await openFixture(open());
    const { keys } = fixture;
    for (const verb of [
      () => keys.show("key_x"),
      () => keys.set("key_x", { name: "n" }),
      () => keys.rotate("key_x", 0),
      () => keys.revoke("key_x"),
    ]) {
      await assert.rejects(verb, { name: "KeyError", code: "unknown_key" });
    }
  });

  test("an update changes only the given settings", async () => {
    await using fixture = await openFixture(open());
    const key = await fixture.key({ test: false });
    assert.deepEqual(await fixture.keys.set(key.id, { dailyItems: "none" }), { ...key, dailyItems: "none" });
    assert.deepEqual(await fixture.keys.set(key.id, { expiresAt: START + 1 }), {
      ...key,
      dailyItems: "none",
      expiresAt: START + 1,
    });
    assert.deepEqual(await fixture.keys.set(key.id, { dailyItems: "plan", expiresAt: null, name: "new" }), {
      ...key,
      name: "new",
    });
  });

  test("an undefined setting stays unchanged", async () => {
    await using fixture = await openFixture(open());
    const key = await fixture.key({ test: false, dailyItems: 60_000 });
    const undefinedNames = { name: undefined, plan: undefined, dailyItems: undefined, expiresAt: undefined };
    assert.deepEqual(await fixture.keys.set(key.id, undefinedNames), key);
  });

  test("a setting forbidden by the plan changes nothing", async () => {
    await using fixture = await openFixture(open());
    const key = await fixture.key({ test: false, dailyItems: 80_000 });
    await assert.rejects(fixture.keys.set(key.id, { plan: "discovery" }), { code: "bad_daily_items" });
    assert.deepEqual(await fixture.keys.show(key.id), key);
  });

  test("a revoked key keeps its first revocation time and cannot be rotated", async () => {
    await using fixture = await openFixture(open());
    const { id } = await fixture.key();
    await fixture.keys.revoke(id);
    fixture.clock.pass(1000);
    assert.equal((await fixture.keys.revoke(id)).revokedAt, START);
    await assert.rejects(fixture.keys.rotate(id, 0), { code: "key_revoked" });
  });

  test("concurrent changes get different numbers, and readers miss none", async () => {
    await using fixture = await openFixture(open());
    const created = await Promise.all(Array.from({ length: 12 }, (_, index) => fixture.key({ name: `key ${index}` })));
    const seen = await fixture.store.changedSince(0);
    assert.equal(seen.sequence, 12);
    assert.deepEqual(new Set(seen.keys.map(({ key }) => key.id)), new Set(created.map(({ id }) => id)));

    await Promise.all(created.map(({ id }) => fixture.keys.set(id, { name: "renamed" })));
    const later = await fixture.store.changedSince(seen.sequence);
    assert.equal(later.sequence, 24);
    assert.ok(later.keys.every(({ key }) => key.name === "renamed"));
    assert.deepEqual(await fixture.store.changedSince(24), { keys: [], sequence: 24, more: false });
  });
});

const rules: readonly [
  what: string,
  input: { plan: string; test: boolean; dailyItems: DailyItems },
  fault: KeyErrorCode | null,
][] = [
  ["a live Pro key may have more than its plan allows", { plan: "pro", test: false, dailyItems: 50_001 }, null],
  ["a live Pro key may have no cap", { plan: "pro", test: false, dailyItems: "none" }, null],
  ["a live Pro key may have exactly its plan's limit", { plan: "pro", test: false, dailyItems: 50_000 }, null],
  [
    "a live Pro key cannot have less than its plan",
    { plan: "pro", test: false, dailyItems: 49_999 },
    "bad_daily_items",
  ],
  ["a test Pro key may have less", { plan: "pro", test: true, dailyItems: 0 }, null],
  ["a test Pro key may have more", { plan: "pro", test: true, dailyItems: 60_000 }, null],
  [
    "a Discovery key cannot have more than its plan",
    { plan: "discovery", test: false, dailyItems: 2001 },
    "bad_daily_items",
  ],
  [
    "a Discovery test key cannot have more than its plan",
    { plan: "discovery", test: true, dailyItems: 2001 },
    "bad_daily_items",
  ],
  [
    "the cap of a Discovery key cannot be removed",
    { plan: "discovery", test: true, dailyItems: "none" },
    "bad_daily_items",
  ],
  [
    "a live Discovery key cannot have less than its plan",
    { plan: "discovery", test: false, dailyItems: 5 },
    "bad_daily_items",
  ],
  ["a test Discovery key may have less", { plan: "discovery", test: true, dailyItems: 5 }, null],
  ["a negative limit is rejected", { plan: "pro", test: true, dailyItems: -1 }, "bad_daily_items"],
  ["a fractional limit is rejected", { plan: "pro", test: true, dailyItems: 1.5 }, "bad_daily_items"],
  ["an unknown plan is rejected", { plan: "gold", test: true, dailyItems: "plan" }, "unknown_plan"],
];

forEachEngine<ApiKeyTables>("key limits", { migrations, engines: ["SQLite in memory"] }, (open) => {
  for (const [what, input, fault] of rules) {
    test(what, async () => {
      await using fixture = await openFixture(open());
      const creating = fixture.keys.create({ name: "demo", ...input });
      if (fault === null) assert.equal((await creating).key.dailyItems, input.dailyItems);
      else await assert.rejects(creating, { name: "KeyError", code: fault });
    });
  }

  for (const name of ["", "  ", "a\nb", "x".repeat(101)]) {
    test(`rejects the name ${JSON.stringify(name.slice(0, 10))} of ${name.length} characters`, async () => {
      await using fixture = await openFixture(open());
      await assert.rejects(fixture.key({ name }), { code: "bad_name" });
    });
  }

  test("rejects a key that has already expired", async () => {
    await using fixture = await openFixture(open());
    await assert.rejects(fixture.key({ expiresAt: START }), { code: "bad_time" });
  });
});

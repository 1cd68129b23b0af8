import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { BY, createFixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;

forEachEngine<RailTables>("requests that create", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  const once = { name: "n", payload: "p", now: 1_000, expiresAt: 2_000 };

  test("runs the work for one of several concurrent calls; the others wait and get its response", async () => {
    await using fixture = createFixture(await open());
    const walletId = await fixture.openWallet("w1", 0);
    const adjusted = { amountMicro: 500, ...BY, context: fixture.context() };
    const calls = Array.from({ length: 8 }, (_, index) =>
      fixture.ledger.once(once, async (creating) => {
        await creating.adjust(walletId, adjusted);
        return `answer ${index}`;
      }),
    );
    const outcomes = await Promise.all(calls);
    const kinds = outcomes.map(({ kind }) => kind).toSorted();
    assert.deepEqual(kinds, ["done", "done", "done", "done", "done", "done", "done", "first"]);
    assert.equal(new Set(outcomes.map((outcome) => "answer" in outcome && outcome.answer)).size, 1);
    assert.equal(await fixture.balance(walletId), 500);
  });

  test("detects another payload, and treats an expired name as new", async () => {
    await using fixture = createFixture(await open());
    await fixture.ledger.once(once, () => Promise.resolve("one"));
    const refuse = () => Promise.reject(new Error("nothing is to be done"));
    assert.deepEqual(await fixture.ledger.once({ ...once, payload: "q" }, refuse), { kind: "other_payload" });
    const before = await fixture.ledger.once({ ...once, now: 1_999 }, refuse);
    assert.deepEqual(before, { kind: "done", answer: "one" });
    const later = { ...once, payload: "q", now: 2_000, expiresAt: 3_000 };
    const after = await fixture.ledger.once(later, () => Promise.resolve("two"));
    assert.deepEqual(after, { kind: "first", answer: "two" });
  });

  test("failed work changes nothing and frees the name", async () => {
    await using fixture = createFixture(await open());
    const walletId = await fixture.openWallet("w1", 0);
    const failing = fixture.ledger.once(once, async (creating) => {
      await creating.adjust(walletId, { amountMicro: 500, ...BY, context: fixture.context() });
      throw new Error("half-way");
    });
    await assert.rejects(failing, /half-way/);
    assert.equal(await fixture.balance(walletId), 0);
    assert.equal((await fixture.ledger.once(once, () => Promise.resolve("anew"))).kind, "first");
  });

  test("a stored response can be replaced or freed only by a caller that knows it", async () => {
    await using fixture = createFixture(await open());
    await fixture.ledger.once(once, () => Promise.resolve("begun"));
    assert.equal(await fixture.ledger.keepOnce("n", { before: "begun", answer: "one" }), "one");
    assert.equal(await fixture.ledger.keepOnce("n", { before: "begun", answer: "two" }), "one");
    assert.equal(await fixture.ledger.forgetOnce("n", "begun"), false);
    assert.equal((await fixture.ledger.once(once, () => Promise.resolve("anew"))).kind, "done");
    assert.equal(await fixture.ledger.forgetOnce("n", "one"), true);
    assert.equal(await fixture.ledger.keepOnce("n", { before: "one", answer: "three" }), null);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { openScene } from "./scene.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;

forEachEngine<RailTables>("the installation", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("its mode is that of whoever asked first", async () => {
    await using scene = openScene(await open());
    const claims = await Promise.all([scene.ledger.claimMode("live"), scene.ledger.claimMode("test")]);
    assert.equal(new Set(claims).size, 1);
    assert.equal(await scene.ledger.claimMode("test"), claims[0]);
    assert.equal(await scene.ledger.claimMode("live"), claims[0]);
  });

  test("signing keys are kept in the order of their making and changed by their name", async () => {
    await using scene = openScene(await open());
    const key = { kid: "k2", x: "x", sealed: "s", createdAt: 2, activeFrom: 3, retiredAt: null, notAfter: null };
    await scene.ledger.putSigningKey(key);
    await scene.ledger.putSigningKey({ ...key, kid: "k1", createdAt: 1 });
    await scene.ledger.putSigningKey({ ...key, retiredAt: 9, notAfter: 8 });
    assert.deepEqual(await scene.ledger.signingKeys(), [
      { ...key, kid: "k1", createdAt: 1 },
      { ...key, retiredAt: 9, notAfter: 8 },
    ]);
  });

  test("a creating call is first, running, done, or another one under the same name", async () => {
    await using scene = openScene(await open());
    const once = { name: "n", payload: "p", now: 1_000, expiresAt: 2_000 };
    const begun = await Promise.all([1, 2, 3].map(() => scene.ledger.beginOnce(once)));
    assert.deepEqual(begun.map(({ kind }) => kind).sort(), ["first", "running", "running"]);
    assert.deepEqual(await scene.ledger.beginOnce({ ...once, payload: "q" }), { kind: "other_payload" });
    await scene.ledger.endOnce("n", { answer: "sealed", expiresAt: 9_000 });
    assert.deepEqual(await scene.ledger.beginOnce({ ...once, now: 8_999 }), { kind: "done", answer: "sealed" });
    assert.deepEqual(await scene.ledger.beginOnce({ ...once, now: 9_000, expiresAt: 9_500 }), { kind: "first" });
    assert.deepEqual(await scene.ledger.beginOnce({ ...once, now: 9_499 }), { kind: "running" });
  });

  test("a creating call that came to nothing, or whose process died, lets go of its name", async () => {
    await using scene = openScene(await open());
    const once = { name: "n", payload: "p", now: 1_000, expiresAt: 2_000 };
    await scene.ledger.beginOnce(once);
    await scene.ledger.endOnce("n", null);
    assert.deepEqual(await scene.ledger.beginOnce(once), { kind: "first" });
    assert.deepEqual(await scene.ledger.beginOnce({ ...once, now: 2_000, expiresAt: 3_000 }), { kind: "first" });
  });

  test("a trial write leaves nothing, and says what is wrong when writes are refused", async () => {
    await using scene = openScene(await open());
    assert.equal(await scene.ledger.writeFault(), null);
    assert.equal((await scene.ledger.accountTotals()).size, 0);
    const { db, engine } = scene.database;
    const refuse =
      engine === "sqlite"
        ? "create trigger no before insert on account begin select raise(abort, 'the disk is full'); end"
        : "create trigger no before insert on account for each statement execute function rail_refuse('the disk is full')";
    await sql.raw(refuse).execute(db);
    assert.match((await scene.ledger.writeFault()) ?? "", /the disk is full/);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { createSeal, deriveKey } from "@triptych/encryption";
import { KEY_PURPOSE, openSigningKeys } from "../../src/domain/signing-keys.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import { openLedger } from "../../src/store/open-ledger.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { SECRET, seededRandom } from "../support/memory-keys.ts";
import { createFixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;

forEachEngine<RailTables>("installation settings", { migrations: RAIL_MIGRATIONS, engines }, (open, stores) => {
  test("takes its mode from the first caller", async () => {
    await using fixture = createFixture(await open());
    const claims = await Promise.all([fixture.ledger.claimMode("live"), fixture.ledger.claimMode("test")]);
    assert.equal(new Set(claims).size, 1);
    assert.equal(await fixture.ledger.claimMode("test"), claims[0]);
    assert.equal(await fixture.ledger.claimMode("live"), claims[0]);
  });

  test("signing keys are stored in order of creation and changed by their ID", async () => {
    await using fixture = createFixture(await open());
    const key = { kid: "k2", x: "x", sealed: "s", createdAt: 2, activeFrom: 3, retiredAt: null, notAfter: null };
    assert.equal(await fixture.ledger.addSigningKey(key, []), true);
    assert.equal(await fixture.ledger.addSigningKey({ ...key, kid: "k3" }, []), false);
    assert.equal(await fixture.ledger.addSigningKey({ ...key, kid: "k1", createdAt: 1 }, ["k2"]), true);
    await fixture.ledger.changeSigningKey({ ...key, retiredAt: 9, notAfter: 8 }, fixture.acting());
    assert.deepEqual(await fixture.ledger.signingKeys(), [
      { ...key, kid: "k1", createdAt: 1 },
      { ...key, retiredAt: 9, notAfter: 8 },
    ]);
  });

  // A store for a single process has no race.
  if (stores.shared)
    test("one of several processes that open an empty ledger concurrently creates the first signing key", async () => {
      await using location = await stores.createLocation();
      await using opened = new AsyncDisposableStack();
      const ledgers = await Promise.all(
        Array.from({ length: 4 }, async () => opened.use(openLedger(await location.open()))),
      );
      const keepers = await Promise.all(
        ledgers.map((ledger, index) => {
          const random = seededRandom(`process ${index}`);
          const seal = createSeal(deriveKey(SECRET, KEY_PURPOSE), random);
          return openSigningKeys({ ledger, seal, now: () => 1_000, random });
        }),
      );
      assert.equal(new Set(keepers.map((keys) => keys.activeKid())).size, 1);
      assert.deepEqual(
        keepers.map((keys) => keys.published().length),
        [1, 1, 1, 1],
      );
    });

  test("a store that rejects a write reports the reason", async () => {
    await using fixture = createFixture(await open());
    assert.equal(await fixture.ledger.writeError(), null);
    const { db, engine } = fixture.database;
    const refuse =
      engine === "sqlite"
        ? "create trigger no before insert on triptych_write_probe begin select raise(abort, 'the disk is full'); end"
        : "create trigger no before insert on triptych_write_probe for each statement execute function rail_refuse('the disk is full')";
    await sql.raw(refuse).execute(db);
    // The first ledger caches its result for a second.
    assert.match((await openLedger(fixture.database).writeError()) ?? "", /the disk is full/);
  });
});

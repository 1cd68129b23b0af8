import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, batchOf, chargeOf, createFixture, type Fixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const DAY_MS = 86_400_000;
const LEASE_MS = 30_000;

forEachEngine<RailTables>("boot records", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  const bootsOf = async ({ database }: Fixture) =>
    (await database.db.selectFrom("instance").select("boot").orderBy("boot").execute()).map(({ boot }) => boot);

  test("purges a fenced boot 7 days after its lease, and never the live one", async () => {
    await using fixture = createFixture(await open());
    await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const charge = chargeOf(await fixture.charge(ask(1)));
    await fixture.send({ voids: [{ seq: 9, reason: "aborted" }] });
    await fixture.greet("gw-1", "b2");
    assert.equal(await fixture.state(charge), "voided");
    fixture.now += 7 * DAY_MS + LEASE_MS - 1;
    await fixture.greet("gw-1", "b2");
    await fixture.ledger.sweep(fixture.context(), 100);
    assert.deepEqual(await bootsOf(fixture), ["b1", "b2"]);
    fixture.now += 1;
    await fixture.ledger.sweep(fixture.context(), 100);
    assert.deepEqual(await bootsOf(fixture), ["b2"]);
    assert.deepEqual((await fixture.ledger.audit()).violations, []);
  });

  test("fences a purged boot that returns, without fencing others", async () => {
    await using fixture = createFixture(await open());
    await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    await fixture.charge(ask(1));
    await fixture.greet("gw-1", "b2");
    fixture.now += 8 * DAY_MS;
    await fixture.greet("gw-1", "b2");
    await fixture.ledger.sweep(fixture.context(), 100);
    assert.deepEqual(await bootsOf(fixture), ["b2"]);

    assert.equal(await fixture.ledger.hello({ instance: "gw-1", boot: "b1" }, fixture.context()), null);
    const late = [batchOf({ boot: "b1", charges: [ask(1)] }), batchOf({ boot: "b1", charges: [ask(2)] })];
    assert.deepEqual(await fixture.ledger.applyBatches(late, fixture.context()), [null, null]);
    assert.equal((await fixture.charge(ask(1), "b2")).status, 201, "the live one is as it was");
  });

  test("keeps a boot with an unfinished charge", async () => {
    await using fixture = createFixture(await open());
    await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const { id } = chargeOf(await fixture.charge(ask(1)));
    await fixture.greet("gw-1", "b2");
    // Simulates a charge that an error left open, because the sweep would otherwise finish it first.
    const far = fixture.now + 30 * DAY_MS;
    await fixture.database.db
      .updateTable("charge")
      .set({ state: "posted", created_at: far })
      .where("id", "=", id)
      .execute();
    fixture.now += 20 * DAY_MS;
    await fixture.ledger.sweep(fixture.context(), 100);
    assert.ok((await bootsOf(fixture)).includes("b1"));
  });
});

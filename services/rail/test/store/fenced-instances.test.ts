import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, batchOf, chargeOf, openScene, type Scene } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const DAY_MS = 86_400_000;
const LEASE_MS = 30_000;

forEachEngine<RailTables>("boots of the past", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  const bootsOf = async ({ database }: Scene) =>
    (await database.db.selectFrom("instance").select("boot").orderBy("boot").execute()).map(({ boot }) => boot);

  test("a fenced boot is forgotten 7 days after its lease, the live one never", async () => {
    await using scene = openScene(await open());
    await scene.openWallet("w1", 10_000);
    await scene.greet();
    const charge = chargeOf(await scene.charge(ask(1)));
    await scene.send({ voids: [{ seq: 9, reason: "aborted" }] });
    await scene.greet("gw-1", "b2");
    assert.equal(await scene.state(charge), "voided");
    scene.now += 7 * DAY_MS + LEASE_MS - 1;
    await scene.greet("gw-1", "b2");
    await scene.ledger.sweep(scene.context(), 100);
    assert.deepEqual(await bootsOf(scene), ["b1", "b2"]);
    scene.now += 1;
    await scene.ledger.sweep(scene.context(), 100);
    assert.deepEqual(await bootsOf(scene), ["b2"]);
    assert.deepEqual((await scene.ledger.audit()).violations, []);
  });

  test("one that was forgotten and comes back is fenced as before, and fences nobody", async () => {
    await using scene = openScene(await open());
    await scene.openWallet("w1", 10_000);
    await scene.greet();
    await scene.charge(ask(1));
    await scene.greet("gw-1", "b2");
    scene.now += 8 * DAY_MS;
    await scene.greet("gw-1", "b2");
    await scene.ledger.sweep(scene.context(), 100);
    assert.deepEqual(await bootsOf(scene), ["b2"]);

    assert.equal(await scene.ledger.hello({ instance: "gw-1", boot: "b1" }, scene.context()), null);
    const late = [batchOf({ boot: "b1", charges: [ask(1)] }), batchOf({ boot: "b1", charges: [ask(2)] })];
    assert.deepEqual(await scene.ledger.applyBatches(late, scene.context()), [null, null]);
    assert.equal((await scene.charge(ask(1), "b2")).status, 201, "the live one is as it was");
  });

  test("a boot with a charge that nobody has finished is kept", async () => {
    await using scene = openScene(await open());
    await scene.openWallet("w1", 10_000);
    await scene.greet();
    const { id } = chargeOf(await scene.charge(ask(1)));
    await scene.greet("gw-1", "b2");
    // As if a fault had left it open: the sweep itself would finish it first.
    const far = scene.now + 30 * DAY_MS;
    await scene.database.db
      .updateTable("charge")
      .set({ state: "posted", created_at: far })
      .where("id", "=", id)
      .execute();
    scene.now += 20 * DAY_MS;
    await scene.ledger.sweep(scene.context(), 100);
    assert.ok((await bootsOf(scene)).includes("b1"));
  });
});

/** Many at once: what must hold when callers, gateways and rail processes race for the same rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { BatchOutcome } from "../../src/domain/charge-batch.ts";
import type { Context } from "../../src/domain/post-entry.ts";
import { createCommitQueue } from "../../src/store/commit-queue.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, batchOf, chargeOf, hashOf, openScene, PRICE, type Scene } from "./fixture.ts";

const engines = ["a SQLite file", "PostgreSQL"] as const;

function statuses(outcomes: readonly BatchOutcome[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const outcome of outcomes.flatMap((each) => each ?? []))
    counts[outcome.status] = (counts[outcome.status] ?? 0) + 1;
  return counts;
}

async function assertSound(scene: Scene): Promise<void> {
  assert.deepEqual((await scene.ledger.audit()).violations, []);
}

forEachEngine<RailTables>("races", { migrations: RAIL_MIGRATIONS, engines }, (open, stores) => {
  test("of 10 000 concurrent charges on a wallet with 10 decisions exactly 10 succeed", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 10 * PRICE);
    const gateways = Array.from({ length: 40 }, (_, place) => `gw-${place}`);
    for (const instance of gateways) await scene.greet(instance);
    const queue = createCommitQueue({ ledger: scene.ledger, context: scene.context });
    const batches = gateways.flatMap((instance) =>
      Array.from({ length: 25 }, (_, place) =>
        batchOf({ instance, charges: Array.from({ length: 10 }, (_, at) => ask(10 * place + at + 1)) }),
      ),
    );
    const outcomes = await Promise.all(batches.map(queue.submit));
    assert.deepEqual(statuses(outcomes), { 201: 10, 402: 9_990 });
    assert.equal(await scene.balance(wallet), 0);
    await assertSound(scene);
  });

  test("a batch whose answer was lost is sent again, even twice at once, and gets the same charges", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 100_000);
    await scene.greet();
    const batch = batchOf({ charges: [ask(1), ask(2, { keyHash: hashOf("k"), sealed: "s" }), ask(3)] });
    const ends = await Promise.all([1, 2, 3, 4].map(() => scene.ledger.applyBatches([batch], scene.context())));
    const ids = ends.map(([outcomes]) => outcomes?.map((outcome) => chargeOf(outcome).id));
    for (const each of ids) assert.deepEqual(each, ids[0]);
    const [, twice] = await scene.ledger.applyBatches([batch, batch], scene.context());
    assert.deepEqual(
      twice?.map((outcome) => [outcome.status, chargeOf(outcome).id]),
      ids[0]?.map((id) => [201, id]),
    );
    assert.equal(await scene.balance(wallet), 98_500);
    await assertSound(scene);
  });

  test("an instance that says hello as two boots at once has one live boot, and no charge of the other stays", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 100_000);
    const boots = Array.from({ length: 8 }, (_, place) => `b${place}`);
    await Promise.all(boots.map((boot) => scene.ledger.hello({ instance: "gw-1", boot }, scene.context())));
    const ends = await Promise.all(boots.map((boot) => scene.charge(ask(1), boot).catch(() => null)));
    assert.equal(ends.filter((end) => end !== null).length, 1);
    assert.equal(await scene.balance(wallet), 100_000 - PRICE);
    await assertSound(scene);
  });

  test("charges, voids, sweeps, refunds and top-ups of the same wallets at once never wait for each other for ever", async () => {
    await using scene = openScene(await open());
    const names = ["w1", "w2", "w3", "w4"];
    const wallets = await Promise.all(names.map((name) => scene.openWallet(name, 50_000)));
    const gateways = Array.from({ length: 6 }, (_, place) => `gw-${place}`);
    await Promise.all(gateways.map((instance) => scene.greet(instance)));
    const one = async (instance: string, place: number) => {
      let through = 0;
      for (let seq = 1; seq <= 10; seq++) {
        const charges = [ask(2 * seq - 1, { walletHash: hashOf(names[(place + seq) % 4] ?? "") }), ask(2 * seq)];
        const voids = seq % 3 === 0 ? [{ seq: 2 * seq - 3, reason: "client_gone" as const }] : [];
        const [outcomes] = await scene.ledger.applyBatches(
          [batchOf({ instance, ack: { through, also: [] }, voids, charges })],
          scene.context(),
        );
        assert.ok(outcomes);
        through = 2 * seq - 2;
        const first = outcomes.find((outcome) => outcome.status === 201);
        if (first !== undefined)
          await scene.ledger.refundCharge(chargeOf(first).id, { operator: "o", reason: "r", context: scene.context() });
      }
    };
    const others = wallets.map(async (walletId) => {
      for (let round = 0; round < 5; round++) {
        const topup = await scene.pendingTopup(walletId);
        await scene.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: scene.context() });
        await scene.ledger.sweep(scene.context(), 100);
      }
    });
    await Promise.all([...gateways.map(one), ...others]);
    await assertSound(scene);
  });

  // One rail process owns a SQLite file.
  if (stores.engine === "postgres") {
    test("two rail processes that are asked for the same key at once charge it once, each on its own account", async () => {
      await using place = await stores.createPlace();
      await using one = openScene(await place.open(), { names: "1" });
      await using two = openScene(await place.open(), { names: "2" });
      const wallet = await one.openWallet("w1", 1_000_000);
      await one.greet("gw-1");
      await two.greet("gw-2");
      const send = (scene: Scene, instance: string, seq: number) =>
        scene.ledger.applyBatches(
          [batchOf({ instance, charges: [ask(seq, { keyHash: hashOf(`k${seq}`) }), ask(1_000 + seq)] })],
          scene.context(),
        );
      const rounds = Array.from({ length: 20 }, (_, place) => place + 1);
      const ends = await Promise.all(rounds.flatMap((seq) => [send(one, "gw-1", seq), send(two, "gw-2", seq)]));
      assert.deepEqual(statuses(ends.flat()), { 201: 60, 409: 20 });
      assert.equal(await one.balance(wallet), 1_000_000 - 60 * PRICE);
      const totals = await one.ledger.accountTotals();
      const earned = (process: string) => totals.get(`revenue:decisions:${process}`) ?? 0;
      assert.equal(earned("1") + earned("2"), 60 * PRICE);
      await assertSound(one);
    });
  }

  test("a store that is opened again answers what it answered before", async () => {
    await using place = await stores.createPlace();
    const context = (now: number): Context => ({
      now,
      newId: (prefix) => `${prefix}x`,
      issuer: "",
      kid: "",
      revenue: "r",
    });
    const again = ask(1, { keyHash: hashOf("k") });
    let before: unknown;
    {
      await using scene = openScene(await place.open());
      await scene.openWallet("w1", 10_000);
      await scene.greet();
      before = await scene.send({ charges: [again] });
    }
    await using scene = openScene(await place.open());
    assert.deepEqual(await scene.ledger.applyBatches([batchOf({ charges: [again] })], context(scene.now)), before);
    await assertSound(scene);
  });
});

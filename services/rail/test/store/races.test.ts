/** Callers, gateways and rail processes compete for the same rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { BatchOutcome } from "../../src/domain/charge-batch.ts";
import type { Context } from "../../src/domain/post-entry.ts";
import { createCommitQueue } from "../../src/store/commit-queue.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, batchOf, chargeOf, hashOf, createFixture, PRICE, type Fixture } from "./fixture.ts";

const engines = ["a SQLite file", "PostgreSQL"] as const;

function statuses(outcomes: readonly BatchOutcome[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const outcome of outcomes.flatMap((each) => each ?? []))
    counts[outcome.status] = (counts[outcome.status] ?? 0) + 1;
  return counts;
}

async function assertSound(fixture: Fixture): Promise<void> {
  assert.deepEqual((await fixture.ledger.audit()).violations, []);
}

forEachEngine<RailTables>("races", { migrations: RAIL_MIGRATIONS, engines }, (open, stores) => {
  test("of 10 000 concurrent charges on a wallet with 10 decisions exactly 10 succeed", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10 * PRICE);
    const gateways = Array.from({ length: 40 }, (_, index) => `gw-${index}`);
    for (const instance of gateways) await fixture.greet(instance);
    const queue = createCommitQueue({ ledger: fixture.ledger, context: fixture.context });
    const batches = gateways.flatMap((instance) =>
      Array.from({ length: 25 }, (_, index) =>
        batchOf({ instance, charges: Array.from({ length: 10 }, (_, at) => ask(10 * index + at + 1)) }),
      ),
    );
    const outcomes = await Promise.all(batches.map(queue.submit));
    assert.deepEqual(statuses(outcomes), { 201: 10, 402: 9_990 });
    assert.equal(await fixture.balance(wallet), 0);
    await assertSound(fixture);
  });

  test("of 1 000 concurrent charges under a cap of 10 decisions exactly 10 succeed", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000 * PRICE);
    await fixture.openToken(wallet, "agent", { caps: { per_day: 10 * PRICE } });
    await fixture.openToken(wallet, "other", { caps: { total: 7 * PRICE } });
    const gateways = Array.from({ length: 20 }, (_, index) => `gw-${index}`);
    for (const instance of gateways) await fixture.greet(instance);
    const queue = createCommitQueue({ ledger: fixture.ledger, context: fixture.context });
    const names = ["agent", "other"];
    const batches = gateways.flatMap((instance) =>
      names.flatMap((name, which) =>
        Array.from({ length: 5 }, (_, index) =>
          batchOf({
            instance,
            charges: Array.from({ length: 10 }, (_, at) =>
              ask(10 * (index + 5 * which) + at + 1, { walletHash: hashOf(name) }),
            ),
          }),
        ),
      ),
    );
    const outcomes = await Promise.all(batches.map(queue.submit));
    assert.deepEqual(statuses(outcomes), { 201: 17, 403: 1_983 });
    const spent = (await fixture.ledger.subTokens(wallet, { before: null, limit: 9 })).map(({ name, spend }) => [
      name,
      spend.totalMicro,
    ]);
    assert.deepEqual(Object.fromEntries(spent), { agent: 10 * PRICE, other: 7 * PRICE });
    assert.equal(await fixture.balance(wallet), (10_000 - 17) * PRICE);
    await assertSound(fixture);
  });

  test("a token that is revoked while it is charged counts what it paid, and pays nothing afterwards", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000 * PRICE);
    const token = await fixture.openToken(wallet, "agent", { caps: { total: 9_000 * PRICE } });
    const gateways = Array.from({ length: 8 }, (_, index) => `gw-${index}`);
    for (const instance of gateways) await fixture.greet(instance);
    const chargeFrom = (instance: string, seq: number) =>
      fixture.ledger.applyBatches(
        [batchOf({ instance, charges: [ask(seq, { walletHash: hashOf("agent") }), ask(seq + 1)] })],
        fixture.context(),
      );
    const charging = gateways.flatMap((instance) => [1, 3, 5, 7, 9].map((seq) => chargeFrom(instance, seq)));
    await Promise.race(charging);
    const revoking = fixture.ledger.revokeSubToken(wallet, token, fixture.now);
    const paidByToken = (await Promise.all(charging))
      .flat()
      .flatMap((outcomes) => outcomes ?? [])
      .filter((outcome) => outcome.status === 201 && outcome.charge.tokenId === token);
    assert.equal(await revoking, true);

    const [after] = await chargeFrom("gw-0", 11);
    assert.deepEqual(statuses([after ?? null]), { 201: 1, 402: 1 });
    assert.equal((await fixture.ledger.subToken(token))?.spend.totalMicro, paidByToken.length * PRICE);
    assert.equal(await fixture.balance(wallet), (10_000 - 40 - 1 - paidByToken.length) * PRICE);
    await assertSound(fixture);
  });

  test("a batch with a lost response is repeated, even twice concurrently, and gets the same charges", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100_000);
    await fixture.greet();
    const batch = batchOf({ charges: [ask(1), ask(2, { keyHash: hashOf("k"), sealed: "s" }), ask(3)] });
    const ends = await Promise.all([1, 2, 3, 4].map(() => fixture.ledger.applyBatches([batch], fixture.context())));
    const ids = ends.map(([outcomes]) => outcomes?.map((outcome) => chargeOf(outcome).id));
    for (const each of ids) assert.deepEqual(each, ids[0]);
    const [, twice] = await fixture.ledger.applyBatches([batch, batch], fixture.context());
    assert.deepEqual(
      twice?.map((outcome) => [outcome.status, chargeOf(outcome).id]),
      ids[0]?.map((id) => [201, id]),
    );
    assert.equal(await fixture.balance(wallet), 98_500);
    await assertSound(fixture);
  });

  test("an instance with two concurrent boots has one live boot, and no charge of the other remains", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 100_000);
    const boots = Array.from({ length: 8 }, (_, index) => `b${index}`);
    await Promise.all(boots.map((boot) => fixture.ledger.hello({ instance: "gw-1", boot }, fixture.context())));
    const ends = await Promise.all(boots.map((boot) => fixture.charge(ask(1), boot).catch(() => null)));
    assert.equal(ends.filter((end) => end !== null).length, 1);
    assert.equal(await fixture.balance(wallet), 100_000 - PRICE);
    await assertSound(fixture);
  });

  test("concurrent charges, voids, sweeps, refunds and top-ups of the same wallets do not deadlock", async () => {
    await using fixture = createFixture(await open());
    const names = ["w1", "w2", "w3", "w4"];
    const wallets = await Promise.all(names.map((name) => fixture.openWallet(name, 50_000)));
    const gateways = Array.from({ length: 6 }, (_, index) => `gw-${index}`);
    await Promise.all(gateways.map((instance) => fixture.greet(instance)));
    const runGateway = async (instance: string, index: number) => {
      let through = 0;
      for (let seq = 1; seq <= 10; seq++) {
        const charges = [ask(2 * seq - 1, { walletHash: hashOf(names[(index + seq) % 4] ?? "") }), ask(2 * seq)];
        const voids = seq % 3 === 0 ? [{ seq: 2 * seq - 3, reason: "client_gone" as const }] : [];
        const [outcomes] = await fixture.ledger.applyBatches(
          [batchOf({ instance, ack: { through, also: [] }, voids, charges })],
          fixture.context(),
        );
        assert.ok(outcomes);
        through = 2 * seq - 2;
        const first = outcomes.find((outcome) => outcome.status === 201);
        if (first !== undefined)
          await fixture.ledger.refundCharge(chargeOf(first).id, {
            operator: "o",
            reason: "r",
            context: fixture.context(),
          });
      }
    };
    const others = wallets.map(async (walletId) => {
      for (let round = 0; round < 5; round++) {
        const topup = await fixture.pendingTopup(walletId);
        await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: fixture.context() });
        await fixture.ledger.sweep(fixture.context(), 100);
      }
    });
    await Promise.all([...gateways.map(runGateway), ...others]);
    await assertSound(fixture);
  });

  // A SQLite file allows one rail process.
  if (stores.engine === "postgres") {
    test("two rail processes charge one key once, each on its own account", async () => {
      await using location = await stores.createLocation();
      await using first = createFixture(await location.open(), { names: "1" });
      await using two = createFixture(await location.open(), { names: "2" });
      const wallet = await first.openWallet("w1", 1_000_000);
      await first.greet("gw-1");
      await two.greet("gw-2");
      const send = (fixture: Fixture, instance: string, seq: number) =>
        fixture.ledger.applyBatches(
          [batchOf({ instance, charges: [ask(seq, { keyHash: hashOf(`k${seq}`) }), ask(1_000 + seq)] })],
          fixture.context(),
        );
      const rounds = Array.from({ length: 20 }, (_, index) => index + 1);
      const ends = await Promise.all(rounds.flatMap((seq) => [send(first, "gw-1", seq), send(two, "gw-2", seq)]));
      assert.deepEqual(statuses(ends.flat()), { 201: 60, 409: 20 });
      assert.equal(await first.balance(wallet), 1_000_000 - 60 * PRICE);
      const totals = await first.ledger.accountTotals();
      const earned = (process: string) => totals.get(`revenue:decisions:${process}`) ?? 0;
      assert.equal(earned("1") + earned("2"), 60 * PRICE);
      await assertSound(first);
    });
  }

  test("a reopened store returns the same results", async () => {
    await using location = await stores.createLocation();
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
      await using fixture = createFixture(await location.open());
      await fixture.openWallet("w1", 10_000);
      await fixture.greet();
      before = await fixture.send({ charges: [again] });
    }
    await using fixture = createFixture(await location.open());
    assert.deepEqual(await fixture.ledger.applyBatches([batchOf({ charges: [again] })], context(fixture.now)), before);
    await assertSound(fixture);
  });
});

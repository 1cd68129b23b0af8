import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, chargeOf, hashOf, createFixture } from "./fixture.ts";

forEachEngine<RailTables>("leases and the sweep", { migrations: RAIL_MIGRATIONS }, (open) => {
  test("a new boot fences the old one and voids its open charges", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const acked = chargeOf(await fixture.charge(ask(1)));
    const open_ = chargeOf(await fixture.charge(ask(2)));
    await fixture.send({ ack: { through: 1, also: [] } });
    const hello = await fixture.ledger.hello({ instance: "gw-1", boot: "b2" }, fixture.context());
    assert.deepEqual(hello, { voided: 1 });
    assert.deepEqual([await fixture.state(acked), await fixture.state(open_)], ["delivered", "voided"]);
    assert.equal(await fixture.balance(wallet), 9500);
    assert.deepEqual(await fixture.send({ charges: [ask(3)] }), [null]);
    assert.equal(await fixture.ledger.hello({ instance: "gw-1", boot: "b1" }, fixture.context()), null);
    assert.equal((await fixture.charge(ask(1), "b2")).status, 201);
  });

  test("an expired lease fences its boot and rejects its acknowledgements", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const left = chargeOf(await fixture.charge(ask(1)));
    fixture.now += 30_000;
    assert.deepEqual(await fixture.send({ ack: { through: 1, also: [] } }), [null]);
    assert.equal(await fixture.state(left), "voided");
    assert.equal((await fixture.ledger.charge(left.id))?.voidReason, "lease");
    assert.equal(await fixture.balance(wallet), 10_000);
  });

  test("a boot without a hello is fenced", async () => {
    await using fixture = createFixture(await open());
    await fixture.openWallet("w1", 10_000);
    assert.deepEqual(await fixture.send({ charges: [ask(1)] }), [null]);
  });

  test("batches of several gateways share a commit, and a fenced one among them does nothing", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet("gw-1", "b1");
    await fixture.greet("gw-2", "b1");
    const batch = (instance: string, boot: string) => ({
      instance,
      boot,
      ack: null,
      voids: [],
      charges: [ask(1), ask(2)],
    });
    const outcomes = await fixture.ledger.applyBatches(
      [batch("gw-1", "b1"), batch("gw-1", "b0"), batch("gw-2", "b1")],
      fixture.context(),
    );
    assert.deepEqual(
      outcomes.map((each) => each?.map(({ status }) => status) ?? null),
      [[201, 201], null, [201, 201]],
    );
    assert.deepEqual(
      outcomes[2]?.map((outcome) => chargeOf(outcome).walletSeq),
      [4, 5],
    );
    assert.equal(await fixture.balance(wallet), 8000);
  });

  test("the sweep ends expired leases and voids charges unacknowledged for a minute", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet("gw-1", "b1");
    await fixture.greet("gw-2", "b1");
    const lapsing = chargeOf(
      (
        await fixture.ledger.applyBatches(
          [{ instance: "gw-2", boot: "b1", ack: null, voids: [], charges: [ask(1)] }],
          fixture.context(),
        )
      )[0]?.[0],
    );
    const stuck = chargeOf(await fixture.charge(ask(1)));
    for (let heartbeat = 0; heartbeat < 3; heartbeat++) {
      fixture.now += 20_000;
      assert.notDeepEqual(await fixture.send({}), [null]);
    }
    const fresh = chargeOf(await fixture.charge(ask(2)));
    assert.deepEqual(await fixture.ledger.sweep(fixture.context(), 100), {
      voidedByLease: 1,
      voidedUnacknowledged: 1,
      promosExpired: 0,
      removed: 0,
    });
    assert.deepEqual(await Promise.all([lapsing, stuck, fresh].map(fixture.state)), ["voided", "voided", "posted"]);
    assert.equal(await fixture.balance(wallet), 9500);
    assert.deepEqual(await fixture.ledger.sweep(fixture.context(), 100), {
      voidedByLease: 0,
      voidedUnacknowledged: 0,
      promosExpired: 0,
      removed: 0,
    });
  });

  test("the sweep removes expired keys, responses, tokens and attempts", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const key = { keyHash: hashOf("k"), sealed: "sealed" };
    const charge = chargeOf(await fixture.charge(ask(1, key)));
    await fixture.send({ ack: { through: 1, also: [] }, voids: [{ seq: 9, reason: "aborted" }] });
    await fixture.ledger.rotateToken(wallet, {
      tokenHash: hashOf("w1b"),
      tokenHint: "efgh",
      previousUntil: fixture.now + 60_000,
      now: fixture.now,
    });
    await fixture.greet("gw-1", "b2");
    fixture.now += 7 * 86_400_000;
    assert.equal((await fixture.ledger.sweep(fixture.context(), 100)).removed, 4);
    assert.equal(await fixture.ledger.sealedResponse(charge.id), null);
    assert.equal((await fixture.ledger.charge(charge.id))?.keyHash, null);
    assert.notEqual((await fixture.ledger.charge(charge.id))?.idk, null, "the receipt keeps it");
    await fixture.greet("gw-1", "b3");
    assert.equal((await fixture.charge(ask(1, { ...key, walletHash: hashOf("w1b") }), "b3")).status, 201);
  });

  test("the sweep withdraws expired starter credit once", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1000, { judgeStarter: () => "granted" });
    fixture.now += 90 * 86_400_000;
    assert.equal((await fixture.ledger.sweep(fixture.context(), 100)).promosExpired, 1);
    assert.equal(await fixture.balance(wallet), 1000);
    assert.equal((await fixture.ledger.sweep(fixture.context(), 100)).promosExpired, 0);
  });
});

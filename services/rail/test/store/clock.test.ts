import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { openLedgerClock, type ClockJump } from "../../src/domain/ledger-clock.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, chargeOf, hashOf, createFixture, type Fixture } from "./fixture.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** A machine whose clock can be set independently of its monotonic time, which `pass` advances. */
function machineOf(fixture: Fixture) {
  let real = 0;
  let offset = fixture.now;
  const jumps: (ClockJump["kind"] | null)[] = [];
  const open = () =>
    openLedgerClock({
      ledger: fixture.ledger,
      wall: () => real + offset,
      monotonic: () => real,
      onChange: (jump) => void jumps.push(jump?.kind ?? null),
    });
  return { open, jumps, pass: (ms: number) => (real += ms), set: (ms: number) => (offset += ms) };
}

/** A wallet with starter credit for 90 days, and its gateway. */
async function openPromo(fixture: Fixture): Promise<string> {
  const id = await fixture.openWallet("w1", 0, { judgeStarter: () => "granted" });
  await fixture.greet();
  return id;
}

forEachEngine<RailTables>("the ledger clock", { migrations: RAIL_MIGRATIONS }, (open) => {
  test("follows the system clock and stores the time once a minute", async () => {
    await using fixture = createFixture(await open());
    const machine = machineOf(fixture);
    const clock = await machine.open();
    await clock.tick();
    machine.pass(30_000);
    await clock.tick();
    assert.equal((await fixture.ledger.readTime()).savedTime, fixture.now);
    machine.pass(30_000);
    await clock.tick();
    assert.equal((await fixture.ledger.readTime()).savedTime, fixture.now + MINUTE_MS);
    assert.deepEqual([clock.now(), clock.expiryTime()], [fixture.now + MINUTE_MS, fixture.now + MINUTE_MS]);
  });

  for (const restarts of [true, false]) {
    const how = restarts ? "across a restart" : "while it runs";
    test(`a clock 100 days ahead ${how} expires no promo credit and dates no charge ahead`, async () => {
      await using fixture = createFixture(await open());
      const machine = machineOf(fixture);
      let clock = await machine.open();
      await clock.tick();
      const id = await openPromo(fixture);
      machine.set(100 * DAY_MS);
      if (restarts) clock = await machine.open();
      machine.pass(1000);
      await clock.tick();
      assert.deepEqual([machine.jumps, clock.jump()?.kind], [["ahead"], "ahead"]);
      fixture.now += 1000;
      const context = () => ({ ...fixture.context(), now: clock.now(), expiryTime: clock.expiryTime() });
      const swept = await fixture.ledger.sweep(context(), 100);
      assert.deepEqual([swept.promosExpired, swept.removed], [0, 0]);
      const batch = { instance: "gw-1", boot: "b1", ack: null, voids: [], charges: [ask(1)] };
      const [outcomes] = await fixture.ledger.applyBatches([batch], context());
      assert.equal(chargeOf(outcomes?.[0]).createdAt, fixture.now);
      assert.equal(await fixture.balance(id), 99_500);

      await clock.confirm(fixture.acting());
      assert.deepEqual([clock.jump(), machine.jumps], [null, ["ahead", null]]);
      assert.equal((await fixture.ledger.sweep(context(), 100)).promosExpired, 1);
      assert.equal(await fixture.balance(id), 0);
    });
  }

  test("a batch of charges expires promo credit only after the clock is confirmed", async () => {
    await using fixture = createFixture(await open());
    const id = await openPromo(fixture);
    fixture.now += 100 * DAY_MS;
    await fixture.greet("gw-1", "b2");
    const send = (seq: number, expiryTime: number) =>
      fixture.ledger.applyBatches([{ instance: "gw-1", boot: "b2", ack: null, voids: [], charges: [ask(seq)] }], {
        ...fixture.context(),
        expiryTime,
      });
    const [first] = await send(1, 0);
    assert.equal(first?.[0]?.status, 201);
    assert.equal(await fixture.balance(id), 99_500);
    const [second] = await send(2, fixture.now);
    assert.deepEqual(second?.[0], { status: 402, code: "wallet_empty", balanceMicro: 0 });
  });

  test("keeps client keys and responses while expiry is suspended", async () => {
    await using fixture = createFixture(await open());
    await fixture.openWallet("w1", 50_000);
    await fixture.greet();
    await fixture.charge(ask(1, { keyHash: hashOf("k1"), sealed: "sealed" }));
    await fixture.send({ ack: { through: 1, also: [] } });
    fixture.now += 8 * DAY_MS;
    assert.equal((await fixture.ledger.sweep({ ...fixture.context(), expiryTime: 0 }, 100)).removed, 0);
    assert.ok((await fixture.ledger.sweep(fixture.context(), 100)).removed >= 2);
  });

  test("a clock 400 days behind dates no charge before the newest entry, and expires nothing", async () => {
    await using fixture = createFixture(await open());
    const machine = machineOf(fixture);
    await openPromo(fixture);
    machine.set(-400 * DAY_MS);
    const clock = await machine.open();
    assert.equal(clock.jump()?.kind, "behind");
    assert.deepEqual([clock.now(), clock.expiryTime()], [fixture.now, 0]);
    machine.pass(1500);
    assert.equal(clock.now(), fixture.now + 1500);

    await clock.confirm(fixture.acting());
    assert.equal(clock.jump(), null);
    assert.equal(clock.expiryTime(), fixture.now - 400 * DAY_MS + 1500, "by the clock that was confirmed");
    const again = await machine.open();
    assert.deepEqual([again.jump(), again.now() >= fixture.now], [null, true], "a restart keeps the confirmation");
  });

  test("trusts a clock that has recovered by itself", async () => {
    await using fixture = createFixture(await open());
    const machine = machineOf(fixture);
    const clock = await machine.open();
    machine.set(100 * DAY_MS);
    await clock.tick();
    machine.set(-100 * DAY_MS);
    machine.pass(1000);
    await clock.tick();
    assert.deepEqual([machine.jumps, clock.now()], [["ahead", null], fixture.now + 1000]);
  });

  test("treats a gap of up to 7 days without expiries as downtime, and a longer one as a jump", async () => {
    await using fixture = createFixture(await open());
    const machine = machineOf(fixture);
    await (await machine.open()).tick();
    await openPromo(fixture);
    machine.set(6 * DAY_MS);
    const clock = await machine.open();
    assert.deepEqual([clock.jump(), clock.now()], [null, fixture.now + 6 * DAY_MS]);
    machine.set(8 * DAY_MS);
    assert.equal((await machine.open()).jump()?.kind, "ahead");
    machine.set(-8 * DAY_MS + 5 * DAY_MS);
    await fixture.database.db
      .updateTable("starter_grant")
      .set({ ends_at: fixture.now + 9 * DAY_MS })
      .execute();
    assert.equal((await machine.open()).jump()?.kind, "ahead", "credit ends within these 5 days");
  });

  test("one confirmation applies to every process on the store", async () => {
    await using fixture = createFixture(await open());
    const machine = machineOf(fixture);
    await (await machine.open()).tick();
    machine.set(100 * DAY_MS);
    const [one, other] = [await machine.open(), await machine.open()];
    await one.confirm(fixture.acting());
    await other.tick();
    assert.equal(other.jump(), null);
  });
});

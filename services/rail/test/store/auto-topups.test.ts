import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { TopupEvent } from "../../src/domain/topup-state.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { BY, createFixture, type Fixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const SETTING = { thresholdMicro: 1_000_000, amountMicro: 5_000_000, maxPerMonth: 2 };
const DAY = 24 * 3_600_000;

/** A wallet with 0.50 EUR and a saved method. */
async function openDue(fixture: Fixture, name = "w1"): Promise<string> {
  const wallet = await fixture.openWallet(name, 500_000);
  await fixture.ledger.setAutoTopup(wallet, SETTING);
  await fixture.ledger.savePaymentMethod(wallet, "cus_1 pm_1");
  return wallet;
}

const begin = ({ ledger, context }: Fixture, wallet: string) => ledger.beginAutoTopup(wallet, "stripe", context());
const due = ({ ledger, context }: Fixture) => ledger.walletsToTopUp(context(), 10);

forEachEngine<RailTables>("automatic top-ups", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("one of ten concurrent calls begins the top-up, which is pending before its provider is called", async () => {
    await using fixture = createFixture(await open());
    const wallet = await openDue(fixture);
    assert.deepEqual(await due(fixture), [wallet]);
    const begun = (await Promise.all(Array.from({ length: 10 }, () => begin(fixture, wallet)))).filter(
      (one) => one !== null,
    );
    assert.equal(begun.length, 1);
    const [topup] = begun;
    assert.deepEqual(await fixture.ledger.topup(topup?.id ?? ""), topup);
    assert.deepEqual(
      [topup?.state, topup?.amountMicro, topup?.paymentRef, topup?.sessionRef, topup?.checkAt],
      ["pending", 5_000_000, "cus_1 pm_1", null, fixture.now + 60_000],
    );
    assert.deepEqual(await due(fixture), []);
  });

  const notDue: readonly (readonly [string, (fixture: Fixture, wallet: string) => Promise<unknown>])[] = [
    ["is switched off", ({ ledger }, wallet) => ledger.setAutoTopup(wallet, null)],
    [
      "was switched off and on again, which forgets the method",
      async ({ ledger }, wallet) => {
        await ledger.setAutoTopup(wallet, null);
        await ledger.setAutoTopup(wallet, SETTING);
      },
    ],
    [
      "has its threshold as balance",
      (fixture, wallet) => fixture.ledger.adjust(wallet, { amountMicro: 500_000, ...BY, context: fixture.context() }),
    ],
    ["is frozen", (fixture, wallet) => fixture.ledger.setFrozen(wallet, true, { ...BY, context: fixture.context() })],
    ["is closed", (fixture, wallet) => fixture.ledger.closeWallet(wallet, fixture.context())],
    ["has one open already", begin],
  ];
  for (const [name, change] of notDue)
    test(`does not begin for a wallet that ${name}`, async () => {
      await using fixture = createFixture(await open());
      const wallet = await openDue(fixture);
      await change(fixture, wallet);
      assert.deepEqual([await due(fixture), await begin(fixture, wallet)], [[], null]);
    });

  test("counts attempts of the UTC month, whatever their result", async () => {
    await using fixture = createFixture(await open());
    const wallet = await openDue(fixture);
    const refund = { kind: "failed" } as const;
    for (let count = 0; count < SETTING.maxPerMonth; count++) {
      const topup = await begin(fixture, wallet);
      await fixture.ledger.applyTopupEvent(topup?.id ?? "", refund, { context: fixture.context() });
      await fixture.ledger.setAutoTopup(wallet, SETTING);
    }
    assert.deepEqual([await due(fixture), await begin(fixture, wallet)], [[], null]);
    fixture.now = Date.parse("2026-02-01T00:00:00.000Z") - 1;
    assert.deepEqual([await due(fixture), await begin(fixture, wallet)], [[], null]);
    fixture.now += 1;
    assert.deepEqual(await due(fixture), [wallet]);
    assert.notEqual(await begin(fixture, wallet), null);
  });

  const ends: readonly (readonly [readonly TopupEvent[], string | null])[] = [
    [[{ kind: "paid" }], null],
    [[{ kind: "failed", reason: "authentication_required" }], "authentication_required"],
    [[{ kind: "failed" }], "declined"],
    [[{ kind: "paid", amountMicro: 1 }], "review"],
    [[{ kind: "paid" }, { kind: "refunded" }], "returned"],
    [[{ kind: "paid" }, { kind: "disputed" }], "returned"],
    [[{ kind: "failed" }, { kind: "paid" }], "declined"],
  ];
  for (const [events, reason] of ends)
    test(`${events.map(({ kind }) => kind).join(", then ")} ${reason === null ? "goes on" : `stops: ${reason}`}`, async () => {
      await using fixture = createFixture(await open());
      const wallet = await openDue(fixture);
      const topup = await begin(fixture, wallet);
      for (const event of events)
        await fixture.ledger.applyTopupEvent(topup?.id ?? "", event, { context: fixture.context() });
      const auto = await fixture.ledger.autoTopup(wallet);
      assert.deepEqual(auto?.stopped, reason === null ? null : { at: fixture.now, reason });
      if (reason === null) return;
      assert.deepEqual([await due(fixture), await begin(fixture, wallet)], [[], null]);
      await fixture.ledger.setAutoTopup(wallet, SETTING);
      const resumed = await fixture.ledger.autoTopup(wallet);
      assert.deepEqual([resumed?.stopped, resumed?.paymentRef], [null, "cus_1 pm_1"]);
    });

  test("a checkout that fails stops nothing", async () => {
    await using fixture = createFixture(await open());
    const wallet = await openDue(fixture);
    const checkout = await fixture.pendingTopup(wallet);
    await fixture.ledger.applyTopupEvent(checkout.id, { kind: "failed" }, { context: fixture.context() });
    assert.equal((await fixture.ledger.autoTopup(wallet))?.stopped, null);
  });

  test("promo credit counts until it expires", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0, { judgeStarter: () => "granted" });
    await fixture.ledger.setAutoTopup(wallet, { ...SETTING, thresholdMicro: 100_000 });
    await fixture.ledger.savePaymentMethod(wallet, "cus_1 pm_1");
    assert.deepEqual([await due(fixture), await begin(fixture, wallet)], [[], null]);
    fixture.now += 90 * DAY;
    assert.deepEqual(await due(fixture), [wallet]);
    assert.notEqual(await begin(fixture, wallet), null);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { ActionFilter, OperatorAction } from "../../src/domain/operator-log.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, BY, chargeOf, createFixture, type Fixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const ALL: ActionFilter = { actions: [], walletId: null, operator: null, before: null, limit: 200 };
const KEY = { kid: "k1", x: "x", sealed: "s", createdAt: 2, activeFrom: 3, retiredAt: null, notAfter: null };

/** Does every action once, one per second. Returns the wallet, the charge and the top-up. */
async function makeEach(fixture: Fixture) {
  const { ledger } = fixture;
  const by = (operator = BY.operator) => ({ operator, reason: BY.reason, context: fixture.context() });
  const later = () => void (fixture.now += 1_000);
  const wallet = await fixture.openWallet("w1", 0);
  await ledger.adjust(wallet, { amountMicro: 2_000, ...by("hopper") });
  later();
  await ledger.setFrozen(wallet, true, by());
  later();
  await ledger.setFrozen(wallet, false, by());
  later();
  const topup = await fixture.pendingTopup(wallet);
  await ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: fixture.context(), operated: BY });
  later();
  await ledger.applyTopupEvent(topup.id, { kind: "refunded" }, { context: fixture.context(), operated: BY });
  later();
  await fixture.greet();
  const charge = chargeOf(await fixture.charge(ask(1)));
  await fixture.send({ ack: { through: 1, also: [] } });
  await ledger.refundCharge(charge.id, by());
  later();
  assert.equal(await ledger.addSigningKey(KEY, [], fixture.acting()), true);
  later();
  await ledger.changeSigningKey({ ...KEY, notAfter: 9 }, fixture.acting());
  later();
  await ledger.recordConfirmation(fixture.acting());
  return { wallet, topup: topup.id, charge: charge.id };
}

const columnsOf = ({ action, walletId, subject, amountMicro }: OperatorAction) => [
  action,
  walletId,
  subject,
  amountMicro,
];

forEachEngine<RailTables>("the log of operators", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("has every action with its operator and reason, newest first, and movements with their amount", async () => {
    await using fixture = createFixture(await open());
    const { wallet, topup, charge } = await makeEach(fixture);
    const actions = await fixture.ledger.operatorActions(ALL);
    assert.deepEqual(actions.map(columnsOf), [
      ["confirm_clock", null, null, null],
      ["revoke_key", null, "k1", null],
      ["rotate_keys", null, "k1", null],
      ["refund_charge", wallet, charge, 500],
      ["refund_topup", wallet, topup, -50_000],
      ["settle_topup", wallet, topup, 50_000],
      ["unfreeze", wallet, null, null],
      ["freeze", wallet, null, null],
      ["adjust", wallet, null, 2_000],
    ]);
    assert.deepEqual([...new Set(actions.map(({ reason }) => reason))], [BY.reason]);
    assert.deepEqual(
      [actions.at(-1)?.operator, actions[0]?.operator, actions[0]?.at],
      ["hopper", BY.operator, fixture.now],
    );
  });

  test("has no movement of a client, a gateway or a payment provider", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    const topup = await fixture.pendingTopup(wallet);
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: fixture.context() });
    await fixture.greet();
    await fixture.charge(ask(1));
    await fixture.send({ voids: [{ seq: 1, reason: "aborted" }] });
    assert.equal(await fixture.balance(wallet), 50_000);
    assert.deepEqual(await fixture.ledger.operatorActions(ALL), []);
  });

  test("filters by action, wallet and operator, and continues before a position", async () => {
    await using fixture = createFixture(await open());
    const { wallet } = await makeEach(fixture);
    const list = async (filter: Partial<ActionFilter>) => await fixture.ledger.operatorActions({ ...ALL, ...filter });
    const names = async (filter: Partial<ActionFilter>) => (await list(filter)).map(({ action }) => action);
    assert.deepEqual(await names({ actions: ["freeze", "adjust"] }), ["freeze", "adjust"]);
    assert.deepEqual(await names({ operator: "hopper" }), ["adjust"]);
    assert.equal((await names({ walletId: wallet })).length, 6);
    assert.deepEqual(await names({ walletId: "wal_other" }), []);
    const whole = await list({});
    const pages: OperatorAction[] = [];
    for (let before: OperatorAction | null = null; pages.length < whole.length; before = pages.at(-1) ?? null)
      pages.push(...(await list({ before, limit: 2 })));
    assert.deepEqual(pages, whole);
  });

  test("each of several actions at the same time is on exactly one page", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    for (let made = 0; made < 5; made++) {
      await fixture.ledger.recordConfirmation(fixture.acting());
      await fixture.ledger.adjust(wallet, { amountMicro: 1_000, ...BY, context: fixture.context() });
    }
    const ids: string[] = [];
    for (let before: OperatorAction | null = null; ids.length < 10;) {
      const page: readonly OperatorAction[] = await fixture.ledger.operatorActions({ ...ALL, before, limit: 3 });
      assert.ok(page.length > 0);
      ids.push(...page.map(({ id }) => id));
      before = page.at(-1) ?? null;
    }
    assert.equal(new Set(ids).size, 10);
  });

  test("cannot be changed or shortened", async () => {
    await using fixture = createFixture(await open());
    await fixture.ledger.recordConfirmation(fixture.acting());
    const { db } = fixture.database;
    await assert.rejects(db.updateTable("operator_act").set({ reason: "another" }).execute(), /never changed/);
    await assert.rejects(db.deleteFrom("operator_act").execute(), /never removed/);
    const [action] = await fixture.ledger.operatorActions(ALL);
    assert.equal(action?.reason, BY.reason);
  });
});

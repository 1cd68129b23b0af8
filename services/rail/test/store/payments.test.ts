import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, BY, chargeOf, createFixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const HEAD = { sku: "custom-head", ref: "tools", priceId: "custom-head-v1", amountMicro: 49_000_000 };

forEachEngine<RailTables>("payments", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("finds a top-up by its ID, and by its checkout once it exists", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    const topup = await fixture.pendingTopup(wallet, { provider: "stripe" });
    assert.deepEqual(await fixture.ledger.topup(topup.id), topup);
    const checkout = { sessionRef: "cs_1", checkoutUrl: "https://pay.test/cs_1", expiresAt: fixture.now + 1_000 };
    await fixture.ledger.attachCheckout(topup.id, checkout);
    assert.deepEqual(await fixture.ledger.topupBySession("stripe", "cs_1"), { ...topup, ...checkout });
    assert.equal(await fixture.ledger.topupBySession("manual", "cs_1"), null);
    assert.equal(await fixture.ledger.topupBySession("no such provider", "cs_1"), null);
    assert.equal(await fixture.ledger.topup("top_none"), null);
  });

  test("credits a payment once for any number of events", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    const topup = await fixture.pendingTopup(wallet);
    const pay = () => fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: fixture.context() });
    const ends = await Promise.all(Array.from({ length: 10 }, pay));
    assert.equal(ends.filter((end) => end?.changed).length, 1);
    assert.equal(await fixture.balance(wallet), 50_000);
    const stored = await fixture.ledger.topup(topup.id);
    assert.equal(stored?.state, "succeeded");
    const [entry] = await fixture.ledger.entries(wallet, {
      kinds: ["topup"],
      since: null,
      until: null,
      before: null,
      limit: 9,
    });
    assert.deepEqual([entry?.topupId, entry?.id], [topup.id, stored?.entryId]);
  });

  test("a different amount or currency waits for the operator, uncredited", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    const topup = await fixture.pendingTopup(wallet);
    const by = { context: fixture.context() };
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid", amountMicro: 49_999 }, by);
    assert.deepEqual([(await fixture.ledger.topup(topup.id))?.state, await fixture.balance(wallet)], ["review", 0]);
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { ...by, operated: BY });
    assert.deepEqual(
      [(await fixture.ledger.topup(topup.id))?.state, await fixture.balance(wallet)],
      ["succeeded", 50_000],
    );
    const transfers = await gathered(fixture.ledger.transfers());
    assert.deepEqual(
      transfers.map(({ operator, reason }) => [operator, reason]),
      [["olivia", "a test"]],
    );
  });

  test("a refund withdraws the balance, records the rest as debt and freezes the wallet; a won dispute settles the debt first", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    const topup = await fixture.pendingTopup(wallet);
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: fixture.context() });
    await fixture.ledger.adjust(wallet, { amountMicro: -20_000, ...BY, context: fixture.context() });
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "disputed" }, { context: fixture.context() });
    const frozen = await fixture.ledger.wallet(wallet);
    assert.deepEqual([frozen?.status, frozen?.paidMicro], ["frozen", 0]);
    const owed = async () => (await fixture.ledger.accountTotals()).get(`receivable:${wallet}`);
    assert.equal(await owed(), -20_000);
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "dispute_won" }, { context: fixture.context() });
    assert.deepEqual([await owed(), await fixture.balance(wallet)], [0, 30_000]);
    assert.equal((await fixture.ledger.topup(topup.id))?.state, "succeeded");
    assert.deepEqual((await fixture.ledger.audit()).violations, []);
  });

  test("an event of an unknown top-up changes nothing", async () => {
    await using fixture = createFixture(await open());
    assert.equal(
      await fixture.ledger.applyTopupEvent("top_none", { kind: "paid" }, { context: fixture.context() }),
      null,
    );
  });

  test("lists top-ups newest first, by wallet and state, from a cursor", async () => {
    await using fixture = createFixture(await open());
    const [first, two] = [await fixture.openWallet("w1", 0), await fixture.openWallet("w2", 0)];
    const a = await fixture.pendingTopup(first);
    const b = await fixture.pendingTopup(two);
    const c = await fixture.pendingTopup(first);
    await fixture.ledger.applyTopupEvent(c.id, { kind: "failed" }, { context: fixture.context() });
    const all = { walletId: null, states: [], before: null, limit: 10 };
    const ids = async (filter: Partial<Parameters<typeof fixture.ledger.topups>[0]>) =>
      (await fixture.ledger.topups({ ...all, ...filter })).map(({ id }) => id);
    assert.deepEqual(await ids({}), [c.id, b.id, a.id]);
    assert.deepEqual(await ids({ walletId: first }), [c.id, a.id]);
    assert.deepEqual(await ids({ states: ["pending", "review"] }), [b.id, a.id]);
    assert.deepEqual(await ids({ before: c.id, limit: 1 }), [b.id]);
  });

  test("pending top-ups are checked when due, and not after they are settled", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 0);
    const due = await fixture.pendingTopup(wallet, { checkAt: fixture.now });
    const next = await fixture.pendingTopup(wallet, { checkAt: fixture.now + 1 });
    await fixture.pendingTopup(wallet);
    const ids = async (now: number) => (await fixture.ledger.topupsToCheck(now, 10)).map(({ id }) => id);
    assert.deepEqual(await ids(fixture.now), [due.id]);
    await fixture.ledger.postponeCheck(due.id, fixture.now + 60_000);
    assert.deepEqual(await ids(fixture.now), []);
    assert.equal((await fixture.ledger.topup(due.id))?.checks, 1);
    await fixture.ledger.applyTopupEvent(due.id, { kind: "paid" }, { context: fixture.context() });
    await fixture.ledger.postponeCheck(due.id, fixture.now);
    assert.deepEqual(await ids(fixture.now + 60_000), [next.id]);
    assert.equal((await fixture.ledger.topup(due.id))?.checkAt, null);
  });

  test("a delivered charge is refunded once, to the original bucket", async () => {
    await using fixture = createFixture(await open());
    const wallet = await fixture.openWallet("w1", 1_000, { judgeStarter: () => "granted" });
    await fixture.greet();
    const charge = chargeOf(await fixture.charge(ask(1)));
    const refund = () => fixture.ledger.refundCharge(charge.id, { ...BY, context: fixture.context() });
    assert.equal(await refund(), "state", "nobody has acknowledged it");
    await fixture.send({ ack: { through: 1, also: [] } });
    const ends = await Promise.all([refund(), refund(), refund()]);
    assert.equal(ends.filter((end) => end !== "state").length, 1);
    const refunded = await fixture.ledger.wallet(wallet);
    assert.deepEqual([refunded?.promoMicro, refunded?.paidMicro], [100_000, 1_000]);
    assert.equal((await fixture.ledger.charge(charge.id))?.state, "refunded");
    assert.equal(await fixture.ledger.refundCharge("chg_none", { ...BY, context: fixture.context() }), null);
  });

  test("twenty concurrent purchases of one product create one movement, which all callers receive", async () => {
    await using fixture = createFixture(await open());
    const walletId = await fixture.openWallet("w1", 100_000_000);
    const ends = await Promise.all(
      Array.from({ length: 20 }, () => fixture.ledger.buy({ walletId, ...HEAD }, fixture.context())),
    );
    const purchases = ends.map((end) => ("purchase" in end ? end.purchase : null));
    assert.equal(ends.filter(({ kind }) => kind === "bought").length, 1);
    for (const purchase of purchases) assert.deepEqual(purchase, purchases[0]);
    assert.equal(await fixture.balance(walletId), 51_000_000);
    const [purchase] = purchases;
    assert.ok(purchase !== null && purchase !== undefined);
    assert.deepEqual(
      [purchase.walletSeq, purchase.balanceAfterMicro, purchase.createdAt],
      [2, 51_000_000, fixture.now],
    );
    assert.deepEqual(await fixture.ledger.entitlements(walletId), [purchase]);
    assert.deepEqual(await fixture.ledger.entitlement(walletId, HEAD.sku, HEAD.ref), purchase);
    assert.deepEqual(await fixture.ledger.purchase(purchase.id), purchase);
    assert.equal(await fixture.ledger.entitlement(walletId, HEAD.sku, "other"), null);
  });

  test("neither promo money nor a frozen wallet can buy a product", async () => {
    await using fixture = createFixture(await open());
    const walletId = await fixture.openWallet("w1", 400, { judgeStarter: () => "granted" });
    const small = { walletId, ...HEAD, amountMicro: 500 };
    assert.deepEqual(await fixture.ledger.buy(small, fixture.context()), { kind: "too_low", balanceMicro: 400 });
    await fixture.ledger.setFrozen(walletId, true, { ...BY, context: fixture.context() });
    assert.deepEqual(await fixture.ledger.buy({ ...small, amountMicro: 400 }, fixture.context()), { kind: "frozen" });
  });
});

async function gathered<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

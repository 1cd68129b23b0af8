import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, BY, chargeOf, openScene } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;
const HEAD = { sku: "custom-head", ref: "tools", priceId: "custom-head-v1", amountMicro: 49_000_000 };

forEachEngine<RailTables>("payments", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("a top-up is found by its id, and by its checkout once there is one", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 0);
    const topup = await scene.pendingTopup(wallet, { provider: "stripe" });
    assert.deepEqual(await scene.ledger.topup(topup.id), topup);
    const checkout = { sessionRef: "cs_1", checkoutUrl: "https://pay.test/cs_1", expiresAt: scene.now + 1_000 };
    await scene.ledger.attachCheckout(topup.id, checkout);
    assert.deepEqual(await scene.ledger.topupBySession("stripe", "cs_1"), { ...topup, ...checkout });
    assert.equal(await scene.ledger.topupBySession("manual", "cs_1"), null);
    assert.equal(await scene.ledger.topupBySession("no such provider", "cs_1"), null);
    assert.equal(await scene.ledger.topup("top_none"), null);
  });

  test("a payment is credited once, whatever comes how often", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 0);
    const topup = await scene.pendingTopup(wallet);
    const pay = () => scene.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: scene.context() });
    const ends = await Promise.all(Array.from({ length: 10 }, pay));
    assert.equal(ends.filter((end) => end?.changed).length, 1);
    assert.equal(await scene.balance(wallet), 50_000);
    const stored = await scene.ledger.topup(topup.id);
    assert.equal(stored?.state, "succeeded");
    const [entry] = await scene.ledger.entries(wallet, {
      kinds: ["topup"],
      since: null,
      until: null,
      before: null,
      limit: 9,
    });
    assert.deepEqual([entry?.topupId, entry?.id], [topup.id, stored?.entryId]);
  });

  test("another amount or currency waits for the operator, uncredited", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 0);
    const topup = await scene.pendingTopup(wallet);
    const by = { context: scene.context() };
    await scene.ledger.applyTopupEvent(topup.id, { kind: "paid", amountMicro: 49_999 }, by);
    assert.deepEqual([(await scene.ledger.topup(topup.id))?.state, await scene.balance(wallet)], ["review", 0]);
    await scene.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { ...by, operated: BY });
    assert.deepEqual([(await scene.ledger.topup(topup.id))?.state, await scene.balance(wallet)], ["succeeded", 50_000]);
    const transfers = await gathered(scene.ledger.transfers());
    assert.deepEqual(
      transfers.map(({ operator, reason }) => [operator, reason]),
      [["olivia", "a test"]],
    );
  });

  test("a refund takes back what is there, the rest is owed and the wallet frozen; winning the dispute settles that first", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 0);
    const topup = await scene.pendingTopup(wallet);
    await scene.ledger.applyTopupEvent(topup.id, { kind: "paid" }, { context: scene.context() });
    await scene.ledger.adjust(wallet, { amountMicro: -20_000, ...BY, context: scene.context() });
    await scene.ledger.applyTopupEvent(topup.id, { kind: "disputed" }, { context: scene.context() });
    const frozen = await scene.ledger.wallet(wallet);
    assert.deepEqual([frozen?.status, frozen?.paidMicro], ["frozen", 0]);
    const owed = async () => (await scene.ledger.accountTotals()).get(`receivable:${wallet}`);
    assert.equal(await owed(), -20_000);
    await scene.ledger.applyTopupEvent(topup.id, { kind: "dispute_won" }, { context: scene.context() });
    assert.deepEqual([await owed(), await scene.balance(wallet)], [0, 30_000]);
    assert.equal((await scene.ledger.topup(topup.id))?.state, "succeeded");
    assert.deepEqual((await scene.ledger.audit()).violations, []);
  });

  test("an event of a top-up that does not exist changes nothing", async () => {
    await using scene = openScene(await open());
    assert.equal(await scene.ledger.applyTopupEvent("top_none", { kind: "paid" }, { context: scene.context() }), null);
  });

  test("top-ups are listed newest first, by wallet and state, from a place on", async () => {
    await using scene = openScene(await open());
    const [one, two] = [await scene.openWallet("w1", 0), await scene.openWallet("w2", 0)];
    const a = await scene.pendingTopup(one);
    const b = await scene.pendingTopup(two);
    const c = await scene.pendingTopup(one);
    await scene.ledger.applyTopupEvent(c.id, { kind: "failed" }, { context: scene.context() });
    const all = { walletId: null, states: [], before: null, limit: 10 };
    const ids = async (filter: Partial<Parameters<typeof scene.ledger.topups>[0]>) =>
      (await scene.ledger.topups({ ...all, ...filter })).map(({ id }) => id);
    assert.deepEqual(await ids({}), [c.id, b.id, a.id]);
    assert.deepEqual(await ids({ walletId: one }), [c.id, a.id]);
    assert.deepEqual(await ids({ states: ["pending", "review"] }), [b.id, a.id]);
    assert.deepEqual(await ids({ before: c.id, limit: 1 }), [b.id]);
  });

  test("pending top-ups are asked about when their time has come, and no longer once they are settled", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 0);
    const due = await scene.pendingTopup(wallet, { checkAt: scene.now });
    const next = await scene.pendingTopup(wallet, { checkAt: scene.now + 1 });
    await scene.pendingTopup(wallet);
    const ids = async (now: number) => (await scene.ledger.topupsToCheck(now, 10)).map(({ id }) => id);
    assert.deepEqual(await ids(scene.now), [due.id]);
    await scene.ledger.postponeCheck(due.id, scene.now + 60_000);
    assert.deepEqual(await ids(scene.now), []);
    assert.equal((await scene.ledger.topup(due.id))?.checks, 1);
    await scene.ledger.applyTopupEvent(due.id, { kind: "paid" }, { context: scene.context() });
    await scene.ledger.postponeCheck(due.id, scene.now);
    assert.deepEqual(await ids(scene.now + 60_000), [next.id]);
    assert.equal((await scene.ledger.topup(due.id))?.checkAt, null);
  });

  test("a delivered charge is refunded once, to the bucket that it came from", async () => {
    await using scene = openScene(await open());
    const wallet = await scene.openWallet("w1", 1_000, { judgeStarter: () => "granted" });
    await scene.greet();
    const charge = chargeOf(await scene.charge(ask(1)));
    const refund = () => scene.ledger.refundCharge(charge.id, { ...BY, context: scene.context() });
    assert.equal(await refund(), "state", "nobody has acknowledged it");
    await scene.send({ ack: { through: 1, also: [] } });
    const ends = await Promise.all([refund(), refund(), refund()]);
    assert.equal(ends.filter((end) => end !== "state").length, 1);
    const refunded = await scene.ledger.wallet(wallet);
    assert.deepEqual([refunded?.promoMicro, refunded?.paidMicro], [100_000, 1_000]);
    assert.equal((await scene.ledger.charge(charge.id))?.state, "refunded");
    assert.equal(await scene.ledger.refundCharge("chg_none", { ...BY, context: scene.context() }), null);
  });

  test("twenty purchases of one thing at once are one movement, and everybody gets that purchase", async () => {
    await using scene = openScene(await open());
    const walletId = await scene.openWallet("w1", 100_000_000);
    const ends = await Promise.all(
      Array.from({ length: 20 }, () => scene.ledger.buy({ walletId, ...HEAD }, scene.context())),
    );
    const purchases = ends.map((end) => ("purchase" in end ? end.purchase : null));
    assert.equal(ends.filter(({ kind }) => kind === "bought").length, 1);
    for (const purchase of purchases) assert.deepEqual(purchase, purchases[0]);
    assert.equal(await scene.balance(walletId), 51_000_000);
    const [purchase] = purchases;
    assert.ok(purchase !== null && purchase !== undefined);
    assert.deepEqual([purchase.walletSeq, purchase.balanceAfterMicro, purchase.createdAt], [2, 51_000_000, scene.now]);
    assert.deepEqual(await scene.ledger.entitlements(walletId), [purchase]);
    assert.deepEqual(await scene.ledger.entitlement(walletId, HEAD.sku, HEAD.ref), purchase);
    assert.deepEqual(await scene.ledger.purchase(purchase.id), purchase);
    assert.equal(await scene.ledger.entitlement(walletId, HEAD.sku, "other"), null);
  });

  test("promo money does not buy, a frozen wallet neither", async () => {
    await using scene = openScene(await open());
    const walletId = await scene.openWallet("w1", 400, { judgeStarter: () => "granted" });
    const small = { walletId, ...HEAD, amountMicro: 500 };
    assert.deepEqual(await scene.ledger.buy(small, scene.context()), { kind: "too_low", balanceMicro: 400 });
    await scene.ledger.setFrozen(walletId, true, { ...BY, context: scene.context() });
    assert.deepEqual(await scene.ledger.buy({ ...small, amountMicro: 400 }, scene.context()), { kind: "frozen" });
  });
});

async function gathered<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

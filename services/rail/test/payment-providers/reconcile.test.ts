import assert from "node:assert/strict";
import { test } from "node:test";
import { nextCheck } from "../../src/domain/topup-state.ts";
import { createTopUps } from "../../src/domain/topup-service.ts";
import { createManualProvider, createTestProvider } from "../../src/payment-providers/test-provider.ts";
import { eventsOf } from "../support/stripe-double.ts";
import { createStripeFixture } from "./fixture.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PAID = 5_000_000;

test("checks a payment after 5 minutes, at growing intervals, and last after 3 days", () => {
  const times: number[] = [];
  for (let at = nextCheck(0, 0); at !== null; at = nextCheck(0, at)) times.push(at / MINUTE);
  assert.deepEqual(times, [5, 15, 35, 75, 155, 315, 635, 1275, 2555, 4320]);
  assert.equal(nextCheck(0, 3 * DAY), null);
  assert.equal(
    nextCheck(1000, 20 * MINUTE + 1000),
    35 * MINUTE + 1000,
    "times that were slept through are not made up for",
  );
});

test("finds a payment with a lost event, once", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  Object.assign(fixture.stripe.session(topup), { status: "complete", payment_status: "paid" });
  fixture.ledgerFixture.now += 5 * MINUTE - 1;
  assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 0, changed: 0, unreachable: 0 });
  fixture.ledgerFixture.now += 1;
  assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 1, changed: 1, unreachable: 0 });
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["succeeded", PAID]);
  await fixture.deliverEvent(eventsOf(fixture.stripe.session(topup)).paid());
  fixture.ledgerFixture.now += DAY;
  assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 0, changed: 0, unreachable: 0 });
  assert.equal(await fixture.balance(wallet), PAID);
});

test("treats a reconciled payment like an event: a different amount needs a review", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  Object.assign(fixture.stripe.session(topup), { status: "complete", payment_status: "paid", amount_total: 1 });
  fixture.ledgerFixture.now += 5 * MINUTE;
  await fixture.topUps.reconcile(10);
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["review", 0]);
});

test("applies an earlier dispute as soon as the reconciler finds the payment", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  await fixture.deliverEvent(eventsOf(fixture.stripe.session(topup)).dispute("created", "needs_response"));
  Object.assign(fixture.stripe.session(topup), { status: "complete", payment_status: "paid" });
  fixture.ledgerFixture.now += 5 * MINUTE;
  await fixture.topUps.reconcile(10);
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["disputed", 0]);
});

test("checks an abandoned checkout ten times in 3 days, and ends it when Stripe reports its expiry", async () => {
  await using fixture = await createStripeFixture();
  const topup = await fixture.start(await fixture.openWallet());
  let checked = 0;
  for (let hour = 0; hour < 24; hour++, fixture.ledgerFixture.now += 60 * MINUTE)
    checked += (await fixture.topUps.reconcile(10)).checked;
  assert.ok(checked >= 5 && checked <= 8, `${checked} times in a day`);
  fixture.stripe.session(topup).status = "expired";
  fixture.ledgerFixture.now += DAY;
  assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 1, changed: 1, unreachable: 0 });
  assert.equal(await fixture.state(topup), "expired");
});

test("a provider outage costs no check, not even the last one", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  Object.assign(fixture.stripe.session(topup), { status: "complete", payment_status: "paid" });
  fixture.stripe.goDown(true);
  fixture.ledgerFixture.now += 3 * DAY + MINUTE;
  assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 1, changed: 0, unreachable: 1 });
  fixture.stripe.goDown(false);
  assert.equal((await fixture.topUps.reconcile(10)).checked, 0);
  fixture.ledgerFixture.now += 5 * MINUTE;
  assert.equal((await fixture.topUps.reconcile(10)).changed, 1);
  assert.equal(await fixture.balance(wallet), PAID);
});

test("several processes reconcile concurrently, and the payment is credited once", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  Object.assign(fixture.stripe.session(topup), { status: "complete", payment_status: "paid" });
  fixture.ledgerFixture.now += 5 * MINUTE;
  await Promise.all(Array.from({ length: 5 }, () => fixture.topUps.reconcile(10)));
  assert.equal(await fixture.balance(wallet), PAID);
  assert.deepEqual(await fixture.kinds(wallet), ["topup"]);
});

test("a test payment is settled immediately, and by the reconciler after a crash", async () => {
  await using fixture = await createStripeFixture();
  const { ledger, ledgerFixture } = fixture;
  const parts = { ledger, context: ledgerFixture.context, url: () => "http://rail.test" };
  const topUps = createTopUps({ ...parts, provider: createTestProvider() });
  const wallet = await fixture.openWallet();
  const topup = await topUps.start({ walletId: wallet, amountMicro: 10_000 });
  assert.deepEqual([topup.state, await fixture.balance(wallet)], ["succeeded", 10_000]);
  const left = await ledgerFixture.pendingTopup(wallet, {
    provider: "test",
    sessionRef: "test_left",
    checkAt: ledgerFixture.now,
  });
  assert.deepEqual(await topUps.reconcile(10), { checked: 1, changed: 1, unreachable: 0 });
  assert.deepEqual([await fixture.state(left), await fixture.balance(wallet)], ["succeeded", 60_000]);
});

test("a manual payment waits for the operator, and two concurrent settlements credit it once", async () => {
  await using fixture = await createStripeFixture();
  const { ledger, ledgerFixture } = fixture;
  const topUps = createTopUps({
    ledger,
    provider: createManualProvider(),
    context: ledgerFixture.context,
    url: () => "",
  });
  const wallet = await fixture.openWallet();
  const topup = await topUps.start({ walletId: wallet, amountMicro: 10_000 });
  assert.deepEqual([topup.state, topup.checkoutUrl], ["pending", null]);
  ledgerFixture.now += 3 * DAY;
  assert.equal((await topUps.reconcile(10)).changed, 0);
  const settle = () =>
    ledger.applyTopupEvent(
      topup.id,
      { kind: "paid" },
      { context: ledgerFixture.context(), operated: { operator: "o", reason: "r" } },
    );
  await Promise.all([settle(), settle()]);
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["succeeded", 10_000]);
  const paid = await ledger.topup(topup.id);
  assert.ok(paid !== null);
  await topUps.refund(paid, { operator: "o", reason: "sent back" });
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["refunded", 0]);
});

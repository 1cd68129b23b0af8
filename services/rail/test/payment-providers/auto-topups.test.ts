import assert from "node:assert/strict";
import { test } from "node:test";
import type { PaymentProvider, SavedPayments } from "../../src/domain/payments.ts";
import { eventsOf, paymentEvent } from "../support/stripe-double.ts";
import { createStripeFixture } from "./fixture.ts";

const SETTING = { thresholdMicro: 1_000_000, amountMicro: 5_000_000, maxPerMonth: 3 };
const AMOUNT = SETTING.amountMicro;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANSWERED = { checked: 1, changed: 1, unreachable: 0 };

/** An empty wallet whose method a checkout has saved. */
async function createSavedFixture() {
  const fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  await fixture.ledger.setAutoTopup(wallet, SETTING);
  const checkout = await fixture.start(wallet);
  await fixture.deliverEvent(eventsOf(fixture.stripe.session(checkout)).paid());
  await fixture.ledgerFixture.ledger.adjust(wallet, {
    amountMicro: -AMOUNT,
    operator: "olivia",
    reason: "spent",
    context: fixture.ledgerFixture.context(),
  });
  assert.equal(await fixture.balance(wallet), 0);
  const posts = () =>
    fixture.stripe.requests.filter(({ path, form }) => path === "/v1/payment_intents" && form.size > 0);
  const reason = async () => (await fixture.ledger.autoTopup(wallet))?.stopped?.reason ?? null;
  return { ...fixture, wallet, posts, reason };
}

test("a checkout saves its payment method while automatic top-up is on", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const first = await fixture.start(wallet);
  assert.equal(fixture.stripe.session(first).savesMethod, false);
  await fixture.deliverEvent(eventsOf(fixture.stripe.session(first)).paid());
  await fixture.ledger.setAutoTopup(wallet, SETTING);
  assert.equal((await fixture.ledger.autoTopup(wallet))?.paymentRef, null);
  const second = await fixture.start(wallet);
  assert.equal(fixture.stripe.session(second).savesMethod, true);
  await fixture.deliverEvent(eventsOf(fixture.stripe.session(second)).paid());
  assert.equal((await fixture.ledger.autoTopup(wallet))?.paymentRef, "cus_2 pm_2");
  assert.equal(fixture.stripe.payments.size, 0);
});

test("a method that Stripe could not show is saved when it sends the event again", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  await fixture.ledger.setAutoTopup(wallet, SETTING);
  const topup = await fixture.start(wallet);
  fixture.stripe.goDown(true);
  const paid = eventsOf(fixture.stripe.session(topup)).paid();
  await assert.rejects(fixture.deliverEvent(paid), { name: "ProviderUnavailable" });
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["succeeded", AMOUNT]);
  fixture.stripe.goDown(false);
  await fixture.deliverEvent(paid);
  assert.equal((await fixture.ledger.autoTopup(wallet))?.paymentRef, "cus_1 pm_1");
  assert.equal(await fixture.balance(wallet), AMOUNT);
});

test("charges the saved method off session with one key, and credits it once for any number of events", async () => {
  await using fixture = await createSavedFixture();
  const topup = await fixture.topUps.topUpAutomatically(fixture.wallet);
  assert.ok(topup !== null);
  const [request, ...others] = fixture.posts();
  assert.deepEqual([request?.key, others], [`auto:${topup.id}`, []]);
  assert.deepEqual(Object.fromEntries(request?.form ?? []), {
    amount: "500",
    currency: "eur",
    customer: "cus_1",
    payment_method: "pm_1",
    off_session: "true",
    confirm: "true",
    "automatic_payment_methods[enabled]": "true",
    "automatic_payment_methods[allow_redirects]": "never",
    "metadata[topup_id]": topup.id,
    "metadata[automatic]": "1",
  });
  assert.deepEqual([await fixture.state(topup), await fixture.balance(fixture.wallet)], ["succeeded", AMOUNT]);
  const [payment] = fixture.stripe.payments.values();
  assert.ok(payment !== undefined);
  for (let times = 0; times < 3; times++) await fixture.deliverEvent(paymentEvent(payment));
  assert.equal(await fixture.balance(fixture.wallet), AMOUNT);
  assert.equal(await fixture.topUps.topUpAutomatically(fixture.wallet), null);
});

test("the response to a charge credits nothing: a payment in progress waits for its event", async () => {
  await using fixture = await createSavedFixture();
  fixture.stripe.watch((_, when) => {
    if (when === "after") for (const payment of fixture.stripe.payments.values()) payment.status = "processing";
  });
  const topup = await fixture.topUps.topUpAutomatically(fixture.wallet);
  assert.ok(topup !== null);
  assert.deepEqual([await fixture.state(topup), await fixture.balance(fixture.wallet)], ["pending", 0]);
  const [payment] = fixture.stripe.payments.values();
  assert.ok(payment !== undefined);
  payment.status = "succeeded";
  await fixture.deliverEvent(paymentEvent(payment));
  assert.deepEqual([await fixture.state(topup), await fixture.balance(fixture.wallet)], ["succeeded", AMOUNT]);
});

for (const [lost, name] of [
  [1, "the charge"],
  [2, "the charge and its network retry"],
] as const)
  test(`a lost response to ${name} leads to one payment and one credit`, async () => {
    await using fixture = await createSavedFixture();
    fixture.stripe.loseAnswers(lost);
    await fixture.topUps.topUpAutomatically(fixture.wallet);
    fixture.ledgerFixture.now += 5 * MINUTE;
    await fixture.topUps.reconcile(10);
    assert.deepEqual([fixture.stripe.payments.size, await fixture.balance(fixture.wallet)], [1, AMOUNT]);
    assert.equal(await fixture.reason(), null);
  });

const deaths: readonly (readonly [string, (provider: PaymentProvider, saved: SavedPayments) => PaymentProvider])[] = [
  ["before the charge", (provider, saved) => ({ ...provider, saved: { ...saved, charge: die } })],
  [
    "after the charge",
    (provider, saved) => ({
      ...provider,
      saved: { ...saved, charge: async (topup) => await saved.charge(topup).then(die) },
    }),
  ],
  ["before the credit", (provider) => ({ ...provider, fetch: die })],
];
function die(): Promise<never> {
  return Promise.reject(new Error("killed"));
}
for (const [when, dying] of deaths)
  test(`a process that dies ${when} leaves one payment and one credit to the next process`, async () => {
    await using fixture = await createSavedFixture();
    const { saved } = fixture.provider;
    assert.ok(saved !== null);
    const killed = fixture.restarted(dying(fixture.provider, saved));
    await assert.rejects(killed.topUpAutomatically(fixture.wallet), { message: "killed" });
    assert.equal(await fixture.balance(fixture.wallet), 0);
    assert.equal(await fixture.topUps.topUpDue(10), 0, "one is open already");
    fixture.ledgerFixture.now += MINUTE;
    assert.deepEqual(await fixture.restarted().reconcile(10), ANSWERED);
    assert.deepEqual([fixture.stripe.payments.size, await fixture.balance(fixture.wallet)], [1, AMOUNT]);
    assert.equal(new Set(fixture.posts().map(({ key }) => key)).size, 1);
  });

test("if a process dies before it has seen the result, the next one completes the top-up", async () => {
  await using fixture = await createSavedFixture();
  assert.equal(await fixture.restarted().topUpDue(10), 1);
  assert.equal(await fixture.balance(fixture.wallet), AMOUNT);
  assert.equal(await fixture.restarted().topUpDue(10), 0);
});

for (const [code, reason] of [
  ["card_declined", "declined"],
  ["authentication_required", "authentication_required"],
] as const)
  test(`the first ${code} stops automatic top-up, and the owner is told once`, async () => {
    await using fixture = await createSavedFixture();
    fixture.stripe.refuse(code);
    const topup = await fixture.topUps.topUpAutomatically(fixture.wallet);
    assert.ok(topup !== null);
    assert.deepEqual([await fixture.state(topup), await fixture.reason()], ["failed", reason]);
    const [payment] = fixture.stripe.payments.values();
    assert.ok(payment !== undefined);
    await fixture.deliverEvent(paymentEvent(payment));
    assert.deepEqual(fixture.stopped, [topup.id]);
    fixture.stripe.refuse(null);
    assert.deepEqual([await fixture.topUps.topUpDue(10), fixture.posts().length], [0, 1]);
    // The bank accepts the payment after all. It is credited, but the owner decides whether automatic top-up continues.
    Object.assign(payment, { status: "succeeded", amount_received: payment.amount });
    await fixture.deliverEvent(paymentEvent(payment));
    assert.deepEqual([await fixture.balance(fixture.wallet), await fixture.reason()], [AMOUNT, reason]);
  });

test("an amount other than the requested one is not credited, and stops automatic top-up", async () => {
  await using fixture = await createSavedFixture();
  fixture.stripe.watch((_, when) => {
    if (when === "after") for (const payment of fixture.stripe.payments.values()) payment.amount_received = 1;
  });
  const topup = await fixture.topUps.topUpAutomatically(fixture.wallet);
  assert.ok(topup !== null);
  assert.deepEqual([await fixture.state(topup), await fixture.balance(fixture.wallet)], ["review", 0]);
  assert.equal(await fixture.reason(), "review");
});

test("after 20 hours of outage a payment is looked up, and never charged again", async () => {
  for (const wasCharged of [true, false]) {
    await using fixture = await createSavedFixture();
    if (wasCharged) fixture.stripe.loseAnswers(2);
    else fixture.stripe.goDown(true);
    const topup = await fixture.topUps.topUpAutomatically(fixture.wallet);
    assert.ok(topup !== null);
    fixture.stripe.goDown(true);
    fixture.ledgerFixture.now += 19 * HOUR;
    assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 1, changed: 0, unreachable: 1 });
    fixture.ledgerFixture.now += 2 * HOUR;
    assert.deepEqual(await fixture.topUps.reconcile(10), { checked: 1, changed: 0, unreachable: 1 });
    fixture.stripe.goDown(false);
    fixture.ledgerFixture.now += HOUR;
    assert.deepEqual(await fixture.topUps.reconcile(10), ANSWERED);
    assert.equal(fixture.stripe.payments.size, wasCharged ? 1 : 0);
    assert.deepEqual(
      [await fixture.state(topup), await fixture.balance(fixture.wallet), await fixture.reason()],
      wasCharged ? ["succeeded", AMOUNT, null] : ["failed", 0, "rejected"],
    );
  }
});

test("events about the payments of checkouts change nothing", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  const { payment_intent: id, metadata } = fixture.stripe.session(topup);
  const object = { id, object: "payment_intent", metadata, status: "requires_payment_method" };
  await fixture.deliverEvent({ type: "payment_intent.payment_failed", object });
  assert.equal(await fixture.state(topup), "pending", "the payer may try another card");
});

test("a refund goes to the payment, and stops automatic top-up", async () => {
  await using fixture = await createSavedFixture();
  const begun = await fixture.topUps.topUpAutomatically(fixture.wallet);
  const topup = await fixture.ledger.topup(begun?.id ?? "");
  assert.ok(topup !== null);
  await fixture.topUps.refund(topup, { operator: "olivia", reason: "asked for" });
  assert.equal(fixture.stripe.refunds[0]?.get("payment_intent"), "pi_auto_1");
  assert.deepEqual([await fixture.balance(fixture.wallet), await fixture.reason()], [0, "returned"]);
});

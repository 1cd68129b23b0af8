import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderUnavailable, SignatureInvalid } from "../../src/domain/payments.ts";
import { eventsOf, type StripeEvent } from "../support/stripe-double.ts";
import { orders } from "../support/requests.ts";
import { createStripeFixture } from "./fixture.ts";

const PAID = 5_000_000;

test("a checkout contains the amount in euros and the top-up's ID, and nothing about wallet or owner", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  assert.equal(topup.state, "pending");
  assert.match(topup.checkoutUrl ?? "", /^https:\/\/checkout\.stripe\.test\//);
  assert.equal(topup.expiresAt, (Math.floor(fixture.ledgerFixture.now / 1000) + 86_400) * 1000);
  const [{ path, form, key }] = fixture.stripe.requests;
  assert.deepEqual([path, key], ["/v1/checkout/sessions", `topup:${topup.id}`]);
  assert.deepEqual(Object.fromEntries(form), {
    mode: "payment",
    "line_items[0][quantity]": "1",
    "line_items[0][price_data][currency]": "eur",
    "line_items[0][price_data][unit_amount]": "500",
    "line_items[0][price_data][product_data][name]": "Prepaid balance",
    "adaptive_pricing[enabled]": "false",
    "metadata[topup_id]": topup.id,
    "payment_intent_data[metadata][topup_id]": topup.id,
    success_url: "http://rail.test/wallet",
    cancel_url: "http://rail.test/wallet",
  });
  assert.ok(!form.toString().includes(wallet));
});

test("retries a lost response with the same idempotency key: one checkout", async () => {
  await using fixture = await createStripeFixture();
  fixture.stripe.loseAnswers(1);
  const topup = await fixture.start(await fixture.openWallet());
  assert.equal(fixture.stripe.sessions.size, 1);
  assert.deepEqual(new Set(fixture.stripe.requests.map(({ key }) => key)), new Set([`topup:${topup.id}`]));
});

test("creates no checkout while Stripe is unreachable, and credits a payment that arrives anyway", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  fixture.stripe.loseAnswers(100);
  await assert.rejects(fixture.start(wallet), ProviderUnavailable);
  const [topup] = await fixture.ledger.topups({ walletId: wallet, states: [], before: null, limit: 10 });
  assert.deepEqual([topup.state, topup.sessionRef], ["failed", null]);
  const [session] = fixture.stripe.sessions.values();
  await fixture.deliverEvent(eventsOf(session).paid());
  assert.equal(await fixture.balance(wallet), PAID);
});

test("events in any order and number credit a payment once and end in the same state", async () => {
  await using fixture = await createStripeFixture();
  const stories: readonly (readonly [events: string[], end: string, leftMicro: number])[] = [
    [["unpaid", "paidLater", "paidLater", "expired"], "succeeded", PAID],
    [["unpaid", "failed", "paid", "paid"], "succeeded", PAID],
    [["paid", "paid", "refunded", "refunded"], "refunded", 0],
    [["paid", "opened", "withdrawn", "won"], "succeeded", PAID],
    [["paid", "opened", "reinstated", "opened"], "succeeded", PAID],
    [["paid", "opened", "lost", "lost"], "refunded", 0],
    [["paid", "opened", "won", "lost2"], "refunded", 0],
    [["paid", "paid", "inquiry", "inquiryClosed"], "succeeded", PAID],
    [["paid", "expired", "failed", "partly"], "succeeded", PAID],
  ];
  let wallets = 0;
  for (const [events, end, leftMicro] of stories) {
    for (const order of orders(events)) {
      const wallet = await fixture.openWallet(`w${++wallets}`);
      const topup = await fixture.start(wallet);
      const of = eventsOf(fixture.stripe.session(topup));
      const eventsByName: Readonly<Record<string, StripeEvent>> = {
        paid: of.paid(),
        unpaid: of.unpaid,
        paidLater: of.paidLater,
        failed: of.failed,
        expired: of.expired,
        refunded: of.refunded,
        partly: of.partlyRefunded,
        opened: of.dispute("created", "needs_response"),
        withdrawn: of.dispute("funds_withdrawn", "needs_response"),
        won: of.dispute("closed", "won"),
        reinstated: of.dispute("funds_reinstated", "won"),
        lost: of.dispute("closed", "lost"),
        lost2: of.dispute("closed", "lost", 2),
        inquiry: of.dispute("created", "warning_needs_response"),
        inquiryClosed: of.dispute("closed", "warning_closed"),
      };
      for (const event of order) await fixture.deliverEvent(eventsByName[event]);
      const seen = [
        await fixture.state(topup),
        await fixture.balance(wallet),
        (await fixture.ledger.wallet(wallet))?.status,
      ];
      assert.deepEqual(seen, [end, leftMicro, "active"], order.join(", "));
      const kinds = await fixture.kinds(wallet);
      const count = (...some: string[]) => kinds.filter((kind) => some.includes(kind)).length;
      assert.equal(count("topup") - count("refund", "dispute"), leftMicro === 0 ? 0 : 1, order.join(", "));
    }
  }
  assert.ok(wallets > 100, `${wallets} orders`);
});

test("a different amount or currency is not credited until the operator settles it for the requested amount", async () => {
  await using fixture = await createStripeFixture();
  for (const [name, wrong] of [
    ["less", { amount_total: 499 }],
    ["more", { amount_total: 501 }],
    ["dollars", { currency: "usd" }],
  ] as const) {
    const wallet = await fixture.openWallet(name);
    const topup = await fixture.start(wallet);
    await fixture.deliverEvent(eventsOf(fixture.stripe.session(topup)).paid(wrong));
    assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["review", 0], name);
    const by = {
      context: fixture.ledgerFixture.context(),
      operated: { operator: "olivia", reason: "seen at the bank" },
    };
    await fixture.ledger.applyTopupEvent(topup.id, { kind: "paid" }, by);
    assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["succeeded", PAID], name);
  }
});

test("an event without amount and currency refers to the requested amount", async () => {
  await using fixture = await createStripeFixture();
  for (const none of [null, undefined]) {
    const wallet = await fixture.openWallet(`without ${none}`);
    const topup = await fixture.start(wallet);
    await fixture.deliverEvent(eventsOf(fixture.stripe.session(topup)).paid({ amount_total: none, currency: none }));
    assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["succeeded", PAID]);
  }
});

test("a completed but unpaid checkout credits nothing", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  const { paid } = eventsOf(fixture.stripe.session(topup));
  for (const payment_status of ["unpaid", "no_payment_required", undefined])
    await fixture.deliverEvent(paid({ payment_status }));
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["pending", 0]);
});

test("a refund of spent money leaves a debt, freezes the wallet, and never makes it negative", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  const of = eventsOf(fixture.stripe.session(topup));
  await fixture.deliverEvent(of.paid());
  const by = { operator: "olivia", reason: "spent", context: fixture.ledgerFixture.context() };
  await fixture.ledger.adjust(wallet, { amountMicro: -4_000_000, ...by });
  await fixture.deliverEvent(of.refunded);
  await fixture.deliverEvent(of.refunded);
  const after = await fixture.ledger.wallet(wallet);
  assert.deepEqual([after?.paidMicro, after?.status, await fixture.state(topup)], [0, "frozen", "refunded"]);
  assert.equal((await fixture.ledger.accountTotals()).get(`receivable:${wallet}`), -4_000_000);
  assert.deepEqual(await fixture.kinds(wallet), ["topup", "adjustment", "refund"]);
});

test("a won dispute settles the debt first, and returns only the withdrawn amount", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  const of = eventsOf(fixture.stripe.session(topup));
  await fixture.deliverEvent(of.paid());
  const by = { operator: "olivia", reason: "spent", context: fixture.ledgerFixture.context() };
  await fixture.ledger.adjust(wallet, { amountMicro: -4_000_000, ...by });
  await fixture.deliverEvent(of.dispute("created", "needs_response"));
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["disputed", 0]);
  await fixture.deliverEvent(of.dispute("closed", "won"));
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["succeeded", 1_000_000]);
  assert.equal((await fixture.ledger.accountTotals()).get(`receivable:${wallet}`), 0);
});

test("rejects a stale and a forged event without any change", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  const event = eventsOf(fixture.stripe.session(topup)).paid();
  const { now } = fixture.ledgerFixture;
  await assert.rejects(fixture.deliverEvent(event, { at: now - 301_000 }), SignatureInvalid);
  await assert.rejects(fixture.deliverEvent(event, { secret: "whsec_guessed" }), SignatureInvalid);
  const verify = fixture.provider.verifyWebhook;
  assert.ok(verify !== null);
  for (const signature of [undefined, "", "t=1,v1=00", `t=${Math.floor(now / 1000)},v1=${"0".repeat(64)}`])
    await assert.rejects(verify(Buffer.from("{}"), { "stripe-signature": signature }), SignatureInvalid);
  assert.deepEqual([await fixture.state(topup), await fixture.balance(wallet)], ["pending", 0]);
  await fixture.deliverEvent(event, { at: now - 299_000 });
  assert.equal(await fixture.balance(wallet), PAID);
});

test("accepts both secrets during a rotation, and only the new one afterwards", async () => {
  await using during = await createStripeFixture({ webhookSecrets: ["whsec_new", "whsec_old"] });
  const wallet = await during.openWallet();
  const of = eventsOf(during.stripe.session(await during.start(wallet)));
  await during.deliverEvent(of.unpaid, { secret: "whsec_old" });
  await during.deliverEvent(of.paid(), { secret: "whsec_new" });
  assert.equal(await during.balance(wallet), PAID);
  await using after = await createStripeFixture({ webhookSecrets: ["whsec_new"] });
  await assert.rejects(after.deliverEvent(of.paid(), { secret: "whsec_old" }), SignatureInvalid);
});

test("acknowledges and ignores irrelevant event types and payments of others", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const of = eventsOf(fixture.stripe.session(await fixture.start(wallet)));
  await fixture.deliverEvent({ type: "invoice.paid", object: { id: "in_1", object: "invoice" } });
  await fixture.deliverEvent({ type: "something.new", object: {} });
  await fixture.deliverEvent({ ...of.paid(), object: { ...of.paid().object, id: "cs_other", metadata: {} } });
  await fixture.deliverEvent({
    ...of.paid(),
    object: { ...of.paid().object, id: "cs_other", metadata: { topup_id: "top_other" } },
  });
  assert.equal(await fixture.balance(wallet), 0);
});

test("an operator's refund is made once and at Stripe first, and its event changes nothing more", async () => {
  await using fixture = await createStripeFixture();
  const wallet = await fixture.openWallet();
  const topup = await fixture.start(wallet);
  const of = eventsOf(fixture.stripe.session(topup));
  const by = { operator: "olivia", reason: "asked for it" };
  assert.equal(await fixture.topUps.refund(topup, by), "state");
  await fixture.deliverEvent(of.paid());
  const paid = await fixture.ledger.topup(topup.id);
  assert.ok(paid !== null);
  fixture.stripe.goDown(true);
  await assert.rejects(fixture.topUps.refund(paid, by), ProviderUnavailable);
  assert.equal(await fixture.balance(wallet), PAID);
  fixture.stripe.goDown(false);
  const refunded = await fixture.topUps.refund(paid, by);
  assert.ok(refunded !== "state" && refunded.state === "refunded");
  await fixture.deliverEvent(of.refunded);
  assert.equal(await fixture.balance(wallet), 0);
  assert.equal(fixture.stripe.refunds.length, 1);
  assert.deepEqual(Object.fromEntries(fixture.stripe.refunds[0]), {
    payment_intent: "pi_1",
    amount: "500",
    "metadata[topup_id]": topup.id,
  });
});

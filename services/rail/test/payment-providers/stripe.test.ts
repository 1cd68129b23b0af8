import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderUnavailable, SignatureInvalid } from "../../src/domain/payments.ts";
import { eventsOf, type StripeEvent } from "../support/stripe-double.ts";
import { orders } from "../support/requests.ts";
import { openTill } from "./fixture.ts";

const PAID = 5_000_000;

test("a checkout carries the amount in euros and the top-up's id, and nothing about wallet or owner", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const topup = await till.start(wallet);
  assert.equal(topup.state, "pending");
  assert.match(topup.checkoutUrl ?? "", /^https:\/\/checkout\.stripe\.test\//);
  assert.equal(topup.expiresAt, (Math.floor(till.scene.now / 1000) + 86_400) * 1000);
  const [{ path, form, key }] = till.stripe.asked;
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

test("an answer that was lost is asked for again under the same key: one checkout", async () => {
  await using till = await openTill();
  till.stripe.loseAnswers(1);
  const topup = await till.start(await till.openWallet());
  assert.equal(till.stripe.sessions.size, 1);
  assert.deepEqual(new Set(till.stripe.asked.map(({ key }) => key)), new Set([`topup:${topup.id}`]));
});

test("Stripe out of reach makes no checkout, and a payment that arrives all the same is credited", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  till.stripe.loseAnswers(100);
  await assert.rejects(till.start(wallet), ProviderUnavailable);
  const [topup] = await till.ledger.topups({ walletId: wallet, states: [], before: null, limit: 10 });
  assert.deepEqual([topup.state, topup.sessionRef], ["failed", null]);
  const [session] = till.stripe.sessions.values();
  await till.tell(eventsOf(session).paid());
  assert.equal(await till.balance(wallet), PAID);
});

test("whatever order events come in, and however often, a payment is credited once and the end is the same", async () => {
  await using till = await openTill();
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
      const wallet = await till.openWallet(`w${++wallets}`);
      const topup = await till.start(wallet);
      const of = eventsOf(till.stripe.session(topup));
      const told: Readonly<Record<string, StripeEvent>> = {
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
      for (const event of order) await till.tell(told[event]);
      const seen = [await till.state(topup), await till.balance(wallet), (await till.ledger.wallet(wallet))?.status];
      assert.deepEqual(seen, [end, leftMicro, "active"], order.join(", "));
      const kinds = await till.kinds(wallet);
      const count = (...some: string[]) => kinds.filter((kind) => some.includes(kind)).length;
      assert.equal(count("topup") - count("refund", "dispute"), leftMicro === 0 ? 0 : 1, order.join(", "));
    }
  }
  assert.ok(wallets > 100, `${wallets} orders`);
});

test("another amount or another currency waits for the operator, uncredited, and is settled for what was asked", async () => {
  await using till = await openTill();
  for (const [name, wrong] of [
    ["less", { amount_total: 499 }],
    ["more", { amount_total: 501 }],
    ["dollars", { currency: "usd" }],
  ] as const) {
    const wallet = await till.openWallet(name);
    const topup = await till.start(wallet);
    await till.tell(eventsOf(till.stripe.session(topup)).paid(wrong));
    assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["review", 0], name);
    const by = { context: till.scene.context(), operated: { operator: "olivia", reason: "seen at the bank" } };
    await till.ledger.applyTopupEvent(topup.id, { kind: "paid" }, by);
    assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["succeeded", PAID], name);
  }
});

test("an event that names no amount and no currency is about what was asked for", async () => {
  await using till = await openTill();
  for (const none of [null, undefined]) {
    const wallet = await till.openWallet(`without ${none}`);
    const topup = await till.start(wallet);
    await till.tell(eventsOf(till.stripe.session(topup)).paid({ amount_total: none, currency: none }));
    assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["succeeded", PAID]);
  }
});

test("a completed checkout that is not paid credits nothing", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const topup = await till.start(wallet);
  const { paid } = eventsOf(till.stripe.session(topup));
  for (const payment_status of ["unpaid", "no_payment_required", undefined]) await till.tell(paid({ payment_status }));
  assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["pending", 0]);
});

test("a refund of money that was spent leaves a debt, freezes the wallet, and takes it below zero never", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const topup = await till.start(wallet);
  const of = eventsOf(till.stripe.session(topup));
  await till.tell(of.paid());
  const by = { operator: "olivia", reason: "spent", context: till.scene.context() };
  await till.ledger.adjust(wallet, { amountMicro: -4_000_000, ...by });
  await till.tell(of.refunded);
  await till.tell(of.refunded);
  const after = await till.ledger.wallet(wallet);
  assert.deepEqual([after?.paidMicro, after?.status, await till.state(topup)], [0, "frozen", "refunded"]);
  assert.equal((await till.ledger.accountTotals()).get(`receivable:${wallet}`), -4_000_000);
  assert.deepEqual(await till.kinds(wallet), ["topup", "adjustment", "refund"]);
});

test("a dispute that was won settles the debt first, and gives back only what was taken", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const topup = await till.start(wallet);
  const of = eventsOf(till.stripe.session(topup));
  await till.tell(of.paid());
  const by = { operator: "olivia", reason: "spent", context: till.scene.context() };
  await till.ledger.adjust(wallet, { amountMicro: -4_000_000, ...by });
  await till.tell(of.dispute("created", "needs_response"));
  assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["disputed", 0]);
  await till.tell(of.dispute("closed", "won"));
  assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["succeeded", 1_000_000]);
  assert.equal((await till.ledger.accountTotals()).get(`receivable:${wallet}`), 0);
});

test("a stale event and a forged one are refused, and change nothing", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const topup = await till.start(wallet);
  const event = eventsOf(till.stripe.session(topup)).paid();
  const { now } = till.scene;
  await assert.rejects(till.tell(event, { at: now - 301_000 }), SignatureInvalid);
  await assert.rejects(till.tell(event, { secret: "whsec_guessed" }), SignatureInvalid);
  const verify = till.provider.verifyWebhook;
  assert.ok(verify !== null);
  for (const signature of [undefined, "", "t=1,v1=00", `t=${Math.floor(now / 1000)},v1=${"0".repeat(64)}`])
    await assert.rejects(verify(Buffer.from("{}"), { "stripe-signature": signature }), SignatureInvalid);
  assert.deepEqual([await till.state(topup), await till.balance(wallet)], ["pending", 0]);
  await till.tell(event, { at: now - 299_000 });
  assert.equal(await till.balance(wallet), PAID);
});

test("while a secret is rotated both are good, afterwards only the new one", async () => {
  await using during = await openTill({ webhookSecrets: ["whsec_new", "whsec_old"] });
  const wallet = await during.openWallet();
  const of = eventsOf(during.stripe.session(await during.start(wallet)));
  await during.tell(of.unpaid, { secret: "whsec_old" });
  await during.tell(of.paid(), { secret: "whsec_new" });
  assert.equal(await during.balance(wallet), PAID);
  await using after = await openTill({ webhookSecrets: ["whsec_new"] });
  await assert.rejects(after.tell(of.paid(), { secret: "whsec_old" }), SignatureInvalid);
});

test("types that mean nothing to us, and payments of somebody else, are heard and forgotten", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const of = eventsOf(till.stripe.session(await till.start(wallet)));
  await till.tell({ type: "invoice.paid", object: { id: "in_1", object: "invoice" } });
  await till.tell({ type: "something.new", object: {} });
  await till.tell({ ...of.paid(), object: { ...of.paid().object, id: "cs_other", metadata: {} } });
  await till.tell({
    ...of.paid(),
    object: { ...of.paid().object, id: "cs_other", metadata: { topup_id: "top_other" } },
  });
  assert.equal(await till.balance(wallet), 0);
});

test("a refund by the operator gives the money back at Stripe first, once, and its own event changes nothing more", async () => {
  await using till = await openTill();
  const wallet = await till.openWallet();
  const topup = await till.start(wallet);
  const of = eventsOf(till.stripe.session(topup));
  const by = { operator: "olivia", reason: "asked for it" };
  assert.equal(await till.topUps.refund(topup, by), "state");
  await till.tell(of.paid());
  const paid = await till.ledger.topup(topup.id);
  assert.ok(paid !== null);
  till.stripe.goDown(true);
  await assert.rejects(till.topUps.refund(paid, by), ProviderUnavailable);
  assert.equal(await till.balance(wallet), PAID);
  till.stripe.goDown(false);
  const refunded = await till.topUps.refund(paid, by);
  assert.ok(refunded !== "state" && refunded.state === "refunded");
  await till.tell(of.refunded);
  assert.equal(await till.balance(wallet), 0);
  assert.equal(till.stripe.refunds.length, 1);
  assert.deepEqual(Object.fromEntries(till.stripe.refunds[0]), {
    payment_intent: "pi_1",
    amount: "500",
    "metadata[topup_id]": topup.id,
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderUnavailable, type PaymentProvider } from "../../src/domain/payments.ts";
import { createManualProvider, createTestProvider } from "../../src/payment-providers/test-provider.ts";
import { onEachStore } from "../support/on-each-store.ts";

onEachStore("top-ups", (createRailFixture) => {
  test("settles a test top-up immediately, for each call without a key and once per key", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const topUp = (key?: string, amount_micro = 20_000) =>
      fixture.ask("/v1/topup", { token, body: { amount_micro }, ...(key !== undefined && { key }) });
    const answer = await topUp();
    const { topup_id, status, provider, balance_micro, checkout_url } = answer.json();
    assert.deepEqual(
      [answer.statusCode, status, provider, balance_micro, checkout_url],
      [201, "succeeded", "test", 120_000, null],
    );
    assert.equal((await topUp()).json().balance_micro, 140_000);
    const keyed = await topUp("t-1");
    const again = await topUp("t-1");
    assert.deepEqual(
      [keyed.json().balance_micro, again.body, again.headers["idempotency-replayed"]],
      [160_000, keyed.body, "true"],
    );
    assert.equal((await topUp("t-1", 30_000)).json().code, "idempotency_key_reused");
    const topup = (await fixture.ask(`/v1/topups/${topup_id}`, { token })).json();
    assert.deepEqual([topup.status, topup.balance_micro], ["succeeded", 160_000]);
  });

  test("rejects top-up amounts that are not whole cents or out of bounds with 400", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    for (const amount_micro of [0, 1, 9_999, 10_001, 15_000, 1_000_010_000, -10_000, 10_000.5, "10000", null]) {
      const answer = await fixture.ask("/v1/topup", { token, body: { amount_micro } });
      assert.deepEqual([answer.statusCode, answer.json().errors[0].path], [400, "/amount_micro"], String(amount_micro));
    }
    const faults = await fixture.ask("/v1/topup", {
      token,
      body: { amount_micro: 5, success_url: "ftp://x", cancel_url: "https://x.test/\r\ny", amount: 1 },
    });
    assert.equal(faults.json().errors.length, 4, faults.body);
    assert.deepEqual((await fixture.ask("/v1/topups", { token })).json(), { items: [], next_cursor: null });
  });

  test("an unreachable provider causes 503 with Retry-After, and the key is free for a retry", async () => {
    let isDown = true;
    const works = createTestProvider();
    const provider = {
      ...works,
      createCheckout: (ask: Parameters<typeof works.createCheckout>[0]) =>
        isDown ? Promise.reject(new ProviderUnavailable("test", "down")) : works.createCheckout(ask),
    };
    await using fixture = await createRailFixture({ provider });
    const { token } = await fixture.openWallet();
    const topUp = () => fixture.ask("/v1/topup", { token, key: "t", body: { amount_micro: 20_000 } });
    const refused = await topUp();
    assert.deepEqual(
      [refused.statusCode, refused.json().code, refused.headers["retry-after"]],
      [503, "provider_unavailable", "5"],
    );
    isDown = false;
    assert.equal((await topUp()).statusCode, 201);
  });

  test("reports a key as in progress during the provider call, then repeats the response", async () => {
    const works = createTestProvider();
    const requestedIds: string[] = [];
    const first = Promise.withResolvers<void>();
    const provider: PaymentProvider = {
      ...works,
      async createCheckout(ask) {
        requestedIds.push(ask.topupId);
        if (requestedIds.length === 1) await first.promise;
        return works.createCheckout(ask);
      },
    };
    await using fixture = await createRailFixture({ provider });
    const { token } = await fixture.openWallet();
    const topUp = () => fixture.ask("/v1/topup", { token, key: "t", body: { amount_micro: 20_000 } });
    const slow = topUp();
    while (requestedIds.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const busy = await topUp();
    assert.deepEqual(
      [busy.statusCode, busy.json().code, busy.headers["retry-after"]],
      [409, "idempotency_in_progress", "1"],
    );
    first.resolve();
    const { statusCode, body } = await slow;
    assert.deepEqual([statusCode, (await topUp()).body], [201, body]);
    assert.equal(requestedIds.length, 1);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().paid_micro, 20_000);
  });

  test("a frozen wallet can neither top up nor purchase: 403", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openPaidWallet(60_000_000);
    await fixture.asOperator(`/v1/admin/wallets/${id}/freeze`, { body: { operator: "op", reason: "why" } });
    const refused = [
      await fixture.ask("/v1/topup", { token, body: { amount_micro: 20_000 } }),
      await fixture.ask("/v1/purchases", { token, body: { sku: "custom-head", ref: "tools" } }),
    ];
    for (const { statusCode, json } of refused) assert.deepEqual([statusCode, json().code], [403, "wallet_frozen"]);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().status, "frozen", "but it can be looked at");
  });

  test("an event is acknowledged after its credit; without provider events the endpoint does not exist", async () => {
    const provider: PaymentProvider = {
      ...createManualProvider(),
      verifyWebhook: (raw) =>
        Promise.resolve({ sessionRef: raw.toString(), topupId: null, about: "payment", event: { kind: "paid" } }),
    };
    await using fixture = await createRailFixture({ provider });
    const { token } = await fixture.openWallet();
    const { topup_id } = (await fixture.ask("/v1/topup", { token, body: { amount_micro: 20_000 } })).json();
    const deliverEvent = () => fixture.ask("/v1/webhooks/stripe", { method: "POST", body: `manual_${topup_id}` });
    for (let times = 0; times < 2; times++) {
      const response = await deliverEvent();
      assert.deepEqual([response.statusCode, response.json()], [200, { received: true }]);
      assert.equal((await fixture.ask(`/v1/topups/${topup_id}`, { token })).json().status, "succeeded");
      assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().paid_micro, 20_000);
    }
    await using without = await createRailFixture();
    assert.equal((await without.ask("/v1/webhooks/stripe", { method: "POST", body: "{}" })).statusCode, 404);
  });
});

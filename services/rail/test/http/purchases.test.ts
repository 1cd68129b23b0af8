import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { compactVerify, createLocalJWKSet } from "jose";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailFixture } from "../support/create-rail-fixture.ts";

async function jwks(fixture: RailFixture) {
  return createLocalJWKSet((await fixture.ask("/.well-known/jwks.json")).json());
}

onEachStore("purchases", (createRailFixture) => {
  test("sells a head once for paid money; promo money does not count, and the 402 contains the missing amount", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openPaidWallet(48_999_999);
    const buy = (ref = "tools", key?: string) =>
      fixture.ask("/v1/purchases", { token, body: { sku: "custom-head", ref }, ...(key !== undefined && { key }) });
    const short = await buy();
    const problem = short.json();
    assert.deepEqual([short.statusCode, problem.code], [402, "wallet_empty"]);
    assert.deepEqual(Object.keys(problem.pay), ["rail", "url", "price_cents", "decisions", "header"]);
    assert.deepEqual(
      [problem.pay.url, problem.price_micro, problem.balance_micro],
      ["http://rail.test/v1/topup", 49_000_000, 49_099_999],
    );
    assert.match(problem.detail, /can spend 48999999 on it/);
    assert.match(String(short.headers["link"]), /rel="payment"/);
    assert.ok(short.headers["payment-required"]);
    assert.equal(short.headers["x-meter-balance-micro"], "49099999");

    await fixture.pay(id, 1);
    const bought = await buy("tools", "p-1");
    assert.deepEqual([bought.statusCode, bought.json().balance_micro], [201, 100_000]);
    const replayed = await buy("tools", "p-1");
    assert.deepEqual([replayed.statusCode, replayed.body], [201, bought.body]);
    const again = await buy();
    assert.deepEqual([again.statusCode, again.json().purchase_id], [200, bought.json().purchase_id]);
    const { payload } = await compactVerify(bought.json().receipt, await jwks(fixture));
    const claims = JSON.parse(Buffer.from(payload).toString());
    assert.deepEqual(
      [claims.jti, claims.op, claims.amt, claims.req],
      [bought.json().purchase_id, "purchase", 49_000_000, undefined],
    );
    const receipt = await fixture.ask(`/v1/wallets/me/receipts/${claims.jti}`, { token });
    assert.deepEqual([receipt.body, receipt.headers["content-type"]], [bought.json().receipt, "application/jwt"]);

    const { items } = (await fixture.ask("/v1/wallets/me/entitlements", { token })).json();
    assert.deepEqual(
      items.map((item: { ref: string }) => item.ref),
      ["tools"],
    );
    const wallet_hash = createHash("sha256").update(token).digest("hex");
    const check = async (ref: string, hash = wallet_hash) =>
      fixture.asGateway(`/internal/v1/entitlements?wallet_hash=${hash}&sku=custom-head&ref=${ref}`);
    assert.deepEqual((await check("tools")).json(), { entitled: true, wallet_id: id });
    assert.deepEqual((await check("other")).json(), { entitled: false, wallet_id: id });
    assert.equal((await check("tools", "0".repeat(64))).json().code, "wallet_not_found");
    assert.equal((await fixture.asGateway("/internal/v1/entitlements")).json().errors.length, 3);
  });

  test("rejects unknown products and invalid head names", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const { items, starter_credit, topup } = (await fixture.ask("/v1/catalog")).json();
    assert.deepEqual(
      items.map((item: { sku: string }) => item.sku),
      ["custom-head"],
    );
    assert.deepEqual(starter_credit, { amount_micro: 100_000, days: 90 });
    const bounds = { step_micro: 10_000, min_micro: 10_000, max_micro: 1_000_000_000 };
    assert.deepEqual(topup, { provider: "test", ...bounds });
    const answer = await fixture.ask("/v1/purchases", { token, body: { sku: "gold", ref: "Not A Name" } });
    assert.deepEqual(
      answer
        .json()
        .errors.map((issue: { path: string }) => issue.path)
        .sort(),
      ["/ref", "/sku"],
    );
  });

  test("20 concurrent purchases of one product create one movement", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openPaidWallet(98_000_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        fixture.ask("/v1/purchases", { token, body: { sku: "custom-head", ref: "tools" } }),
      ),
    );
    assert.equal(new Set(answers.map(({ json }) => json().purchase_id)).size, 1);
    assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 1);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().paid_micro, 49_000_000);
  });
});

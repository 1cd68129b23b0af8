import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyReceipt, type ReceiptKeys } from "@triptych/client";
import { createRailFixture } from "../support/create-rail-fixture.ts";
import { startPayingProxy, type ProxyOptions } from "./paying-proxy.ts";

const REQUEST = { method: "POST", path: "/v1/route", body: { state: "élan" } };

/** A rail and a gateway on their own ports, and a wallet with this many decisions besides its starter credit of 200. */
async function createFixture(more: Partial<ProxyOptions> = {}) {
  const stack = new AsyncDisposableStack();
  const rail = stack.use(await createRailFixture());
  await rail.app.listen({ host: "127.0.0.1", port: 0 });
  const address = rail.app.fastify.server.address();
  assert.ok(address !== null && typeof address === "object");
  const railUrl = `http://127.0.0.1:${address.port}`;
  const proxy = stack.use(await startPayingProxy({ railUrl, serviceToken: rail.serviceToken, ...more }));
  const wallet = await rail.openWallet();
  await until(async () => proxy.billing.state().phase === "live");
  const balance = async () => {
    const answer = await rail.ask("/v1/wallets/me", { token: wallet.token });
    return Number(answer.json().balance_micro);
  };
  const stateOf = async (charge: string | null) => (await rail.ledger.charge(charge ?? ""))?.state;
  return { rail, railUrl, proxy, wallet, balance, stateOf, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, "it never came to that");
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

test("a decision is charged, its receipt proves request and response, and its delivery is acknowledged after the response", async () => {
  await using playing = await createFixture();
  const { proxy, railUrl, wallet, balance, stateOf } = playing;
  const response = await proxy.ask(wallet.token);
  const body = new Uint8Array(await response.arrayBuffer());
  assert.equal(response.status, 200);
  const published = await fetch(`${railUrl}/.well-known/jwks.json`);
  const jwks: ReceiptKeys = JSON.parse(await published.text());
  const verdict = await verifyReceipt(response.headers.get("x-rail-receipt") ?? "", jwks, { request: REQUEST, body });
  assert.ok(verdict.isGood, JSON.stringify(verdict));
  assert.deepEqual([verdict.claims.jti, verdict.claims.bal], [response.headers.get("x-rail-charge"), 99_500]);
  await until(async () => (await stateOf(response.headers.get("x-rail-charge"))) === "delivered");
  assert.equal(await balance(), 99_500);
});

test("a client that disconnects before the response is sent does not pay", async () => {
  let leave = () => {};
  const left = new Promise<void>((resolve) => (leave = resolve));
  await using playing = await createFixture({ beforeAnswer: () => left });
  const { proxy, rail, wallet, balance } = playing;
  const hangUp = new AbortController();
  const call = assert.rejects(proxy.ask(wallet.token, { signal: hangUp.signal }), { name: "AbortError" });
  await until(async () => (await balance()) === 99_500);
  hangUp.abort();
  await call;
  await until(async () => (await balance()) === 100_000);
  leave();
  const kinds = (
    await rail.ledger.entries(wallet.id, { kinds: [], since: null, until: null, before: null, limit: 10 })
  ).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["void", "charge", "starter"]);
});

test("a repeated key returns the same bytes and receipt, from this gateway and from another", async () => {
  await using fixture = await createFixture();
  const { proxy, rail, railUrl, wallet, balance, stateOf } = fixture;
  await using other = await startPayingProxy({ railUrl, serviceToken: rail.serviceToken });
  await until(async () => other.billing.state().phase === "live");
  const answers = async (from: typeof proxy) => {
    const response = await from.ask(wallet.token, { key: "k-1" });
    const { headers } = response;
    return {
      body: await response.text(),
      receipt: headers.get("x-rail-receipt"),
      charge: headers.get("x-rail-charge"),
      again: headers.get("idempotency-replayed"),
    };
  };
  const first = await answers(proxy);
  assert.equal(first.again, null);
  assert.deepEqual(await answers(proxy), { ...first, again: "true" });
  await until(async () => (await stateOf(first.charge)) === "delivered");
  assert.deepEqual(await answers(other), { ...first, again: "true" });
  assert.equal(await balance(), 99_500);
});

test("serves exactly two of three concurrent calls with a balance of two decisions", async () => {
  await using playing = await createFixture();
  const { proxy, rail, wallet, balance } = playing;
  await rail.hello();
  for (const count of [64, 64, 64, 6])
    await rail.batch({ charges: Array.from({ length: count }, () => rail.charge(wallet.token)) });
  await rail.pay(wallet.id, 250);
  assert.equal(await balance(), 1250);
  const both = await Promise.all([proxy.ask(wallet.token), proxy.ask(wallet.token), proxy.ask(wallet.token)]);
  assert.deepEqual(
    both.map(({ status }) => status).sort((a, b) => a - b),
    [200, 200, 402],
  );
  for (const response of both) await response.text();
  assert.equal(await balance(), 250);
});

test("an unreachable rail causes 503, and an unknown token gets 402", async () => {
  await using playing = await createFixture();
  const { proxy, rail, wallet } = playing;
  const unknown = await proxy.ask("rail_test_nobody");
  assert.deepEqual([unknown.status, await unknown.json()], [402, { code: "wallet_unknown" }]);
  await rail.app.stop();
  const away = await proxy.ask(wallet.token);
  assert.deepEqual([away.status, await away.json()], [503, { code: "rail_unavailable" }]);
});

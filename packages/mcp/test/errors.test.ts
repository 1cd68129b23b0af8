import assert from "node:assert/strict";
import { test } from "node:test";
import { problems, type ProblemCode } from "@triptych/contracts";
import { callText, connectInMemory, environmentOf, startFakeService } from "./support/fixture.ts";

const problem = (code: ProblemCode, more: Readonly<Record<string, unknown>> = {}) => {
  const { status, title, explanation: detail } = problems[code];
  return { status, body: { type: `/problems/${code}`, status, title, code, detail, ...more } };
};

test("returns a problem as a tool error with code, detail and every issue", async () => {
  const errors = [
    { path: "?limit", message: "must be at most 100", reason: "maximum" },
    { path: "?type", message: "is not a type", reason: "enum", allowed: ["place", "actor"], suggestions: ["place"] },
  ];
  await using service = await startFakeService(() => problem("validation_failed", { errors }));
  await using connected = await connectInMemory(environmentOf(service.url));
  const { isError, text } = await callText(connected.client, "directory_search", { limit: 500 });
  assert.equal(isError, true);
  assert.match(text, /^The directory responded with 400 validation_failed \(Validation failed\)\.\n/);
  assert.match(text, /- \?limit: must be at most 100/);
  assert.match(text, /- \?type: is not a type Allowed: place, actor\. Did you mean: place\?/);
});

test("adds what to do if the detail does not say it", async () => {
  await using service = await startFakeService(() => problem("unauthenticated", { detail: "No token." }));
  await using connected = await connectInMemory(environmentOf(service.url));
  const { text } = await callText(connected.client, "list_repos");
  assert.match(text, /No token\.\nWhat to do: Send `Authorization: Bearer pnl_…`/);
  assert.match(text, /The user sets PANEL_ACCESS_TOKEN/);
});

test("says how to top up after a 402", async () => {
  const pay = { rail: "http://rail.test", url: "http://rail.test/v1/topup", header: "X-Rail-Wallet" };
  const detail = 'This costs 500 micro-euros. POST http://rail.test/v1/topup with {"amount_micro":1000000}.';
  await using service = await startFakeService(() => problem("wallet_empty", { detail, pay }));
  await using connected = await connectInMemory(environmentOf(service.url, { WALLET_TOKEN: "rail_test_1" }));
  const { isError, text } = await callText(connected.client, "decide_route", { state: "Hello" });
  assert.equal(isError, true);
  assert.match(text, /402 wallet_empty[^]*"amount_micro":1000000[^]*To pay: POST http:\/\/rail\.test\/v1\/topup/);
  assert.match(text, /checkout_url/);
});

test("says how to set a wallet after a 402 without one", async () => {
  await using service = await startFakeService(() => problem("wallet_required"));
  await using connected = await connectInMemory(environmentOf(service.url, { MCP_DECISIONS: "gateway" }));
  const { text } = await callText(connected.client, "decide_route", { state: "Hello" });
  assert.match(text, /402 wallet_required[^]*POST \/v1\/wallets[^]*The user sets WALLET_TOKEN/);
});

test("names the cap that rejected a decision, and says when or whether it resets", async () => {
  const reached = { cap: "per_day", owner: "token", limit_micro: 5_000, spent_micro: 5_000 };
  const askAt = async (resets_at: string | null) => {
    await using service = await startFakeService(() => problem("cap_reached", { ...reached, resets_at }));
    await using connected = await connectInMemory(environmentOf(service.url, { WALLET_TOKEN: "rail_test_1" }));
    const result = await callText(connected.client, "decide_route", { state: "Hello" });
    assert.deepEqual([result.isError, service.requests.length], [true, 1]);
    return result.text;
  };
  const daily = await askAt("2026-11-28T00:00:00.000Z");
  assert.match(
    daily,
    /403 cap_reached[^]*The per_day cap of the token resets at 2026-11-28T00:00:00\.000Z\. Do not retry/,
  );
  assert.match(daily, /Details: .*"limit_micro":5000,"spent_micro":5000/);
  assert.doesNotMatch(daily, /To pay/);
  assert.match(await askAt(null), /The per_day cap of the token does not reset\. Do not retry/);
});

test("says when to retry after a 429", async () => {
  await using service = await startFakeService(() => ({
    ...problem("rate_limited"),
    headers: { "Retry-After": "42" },
  }));
  await using connected = await connectInMemory(environmentOf(service.url));
  const { isError, text } = await callText(connected.client, "directory_search");
  assert.equal(isError, true);
  assert.match(text, /429 rate_limited[^]*Retry after 42 seconds\./);
  assert.equal(service.requests.length, 1);
});

test("names the address and the variable of an unreachable service", async () => {
  const { url } = await (async () => {
    await using service = await startFakeService(() => ({ body: {} }));
    return service;
  })();
  await using connected = await connectInMemory(environmentOf(url));
  const { isError, text } = await callText(connected.client, "wallet_balance");
  assert.equal(isError, true);
  assert.equal(text, `The rail is unreachable at ${url} (ECONNREFUSED). Start it, or set RAIL_URL.`);
});

test("returns the members of a problem, such as the purchase to make", async () => {
  const purchase = { sku: "head", ref: "billing" };
  await using service = await startFakeService(() =>
    problem("entitlement_required", { purchase, request_id: "req_1" }),
  );
  await using connected = await connectInMemory(environmentOf(service.url), { allowsWrites: true });
  const { text } = await callText(connected.client, "train_head", { name: "billing" });
  assert.match(text, /\nDetails: \{"purchase":\{"sku":"head","ref":"billing"\}\}$/);
});

test("lists at most 50 issues", async () => {
  const errors = Array.from({ length: 1_000 }, (_, index) => ({
    path: `/a/${index}`,
    message: "is wrong",
    reason: "x",
  }));
  await using service = await startFakeService(() => problem("validation_failed", { errors }));
  await using connected = await connectInMemory(environmentOf(service.url));
  const { text } = await callText(connected.client, "decide_route", { state: "Hello" });
  assert.match(text, /- \/a\/49: is wrong\n950 more issues are not listed\.$/);
});

test("never returns a credential in an error", async () => {
  await using service = await startFakeService(() => problem("unauthenticated"));
  await using connected = await connectInMemory(environmentOf(service.url, { PANEL_ACCESS_TOKEN: "pnl_secret" }));
  const { text } = await callText(connected.client, "list_repos");
  assert.doesNotMatch(text, /pnl_secret/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyReceipt, type ReceiptKeys } from "@triptych/client";
import { canonicalJson } from "@triptych/contracts";
import { sharedFixture, until } from "../support/create-fixture.ts";

const QUESTIONS = { q: { type: "noul", instructions: "Is it about rain?" } };
const STATE = "What is the weather in Paris tomorrow?";
const SOLD: readonly (readonly [path: string, body: Readonly<Record<string, unknown>>])[] = [
  ["/v1/route", { state: STATE }],
  ["/v1/decide", { state: STATE, options: ["chat", "get_weather"] }],
  ["/v1/noul", { state: STATE }],
  ["/v1/score", { state: STATE }],
  ["/v1/assess", { state: STATE, options: { weather: "rain", other: null } }],
  ["/v1/systemone", { state: STATE, questions: QUESTIONS }],
  ["/v1/decisions", { input: STATE, questions: [{ type: "predicate", instructions: "Is it about rain?" }] }],
];

test("each decision is charged once, and its receipt proves request and response offline, byte for byte", async () => {
  const fixture = await sharedFixture();
  const wallet = await fixture.openWallet();
  const keys: ReceiptKeys = JSON.parse((await fixture.askRail("/.well-known/jwks.json")).text);
  for (const [index, [path, body]] of SOLD.entries()) {
    const payload = `  ${JSON.stringify(body)}\n`;
    const answer = await fixture.ask(path, { token: wallet.token, body: payload });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.text, canonicalJson(answer.json));
    const left = 199 - index;
    assert.equal(answer.headers.get("x-meter-remaining"), String(left));
    assert.equal(answer.headers.get("x-meter-unit"), "decisions");
    assert.equal(answer.headers.get("x-meter-balance-micro"), String(left * 500));
    const receipt = answer.headers.get("x-rail-receipt") ?? "";
    assert.ok(receipt.length <= 800);
    const verdict = await verifyReceipt(receipt, keys, { request: { method: "POST", path, body }, body: answer.bytes });
    assert.ok(verdict.isGood, JSON.stringify(verdict));
    const { jti, op, amt, bal, sub } = verdict.claims;
    assert.deepEqual(
      { jti, op, amt, bal, sub },
      { jti: answer.headers.get("x-rail-charge"), op: path.slice(4), amt: 500, bal: left * 500, sub: wallet.id },
    );
    await until("the charge is delivered", async () => (await fixture.chargeState(wallet, jti)) === "delivered");
  }
  assert.equal(await fixture.balance(wallet), (200 - SOLD.length) * 500);
});

test("a flipped byte of the request or the response is detected", async () => {
  const fixture = await sharedFixture();
  const wallet = await fixture.openWallet();
  const keys: ReceiptKeys = JSON.parse((await fixture.askRail("/.well-known/jwks.json")).text);
  const request = { method: "POST", path: "/v1/route", body: { state: STATE } };
  const answer = await fixture.ask("/v1/route", { token: wallet.token, body: request.body });
  const receipt = answer.headers.get("x-rail-receipt") ?? "";
  const flipped = answer.bytes.with(7, answer.bytes[7] ^ 1);
  assert.equal((await verifyReceipt(receipt, keys, { request, body: flipped })).isGood, false);
  const other = { ...request, body: { state: `${STATE}!` } };
  assert.equal((await verifyReceipt(receipt, keys, { request: other, body: answer.bytes })).isGood, false);
});

test("router and gateway return the same response except for timings, IDs and links", async () => {
  const fixture = await sharedFixture();
  const { token } = await fixture.openWallet();
  const listed = (text: string) =>
    text
      .replace(/"latency_ms":[^,]+/, "")
      .replace(/"id":"req_[^"]+"/, "")
      .replaceAll(fixture.routerUrl, fixture.url);
  for (const [path, body] of SOLD) {
    const paid = await fixture.ask(path, { token, body });
    const free = await fixture.askRouter(path, { token, body });
    assert.equal(listed(paid.text), listed(free.text), path);
    assert.equal(paid.headers.get("content-type"), free.headers.get("content-type"));
  }
  for (const path of ["/v1/models", "/v1/experts"])
    assert.equal((await fixture.ask(path)).text, (await fixture.askRouter(path)).text);
});

test("400 questions in one call count as one decision", async () => {
  const fixture = await sharedFixture();
  const wallet = await fixture.openWallet();
  const questions = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`q${index}`, QUESTIONS.q]));
  const answer = await fixture.ask("/v1/systemone", { bearer: wallet.token, body: { state: STATE, questions } });
  assert.equal(answer.status, 200);
  assert.equal(Object.keys(answer.json["answers"]).length, 400);
  assert.equal(await fixture.balance(wallet), 99_500);
});

test("reports timings in parts that do not exceed the total", async () => {
  const fixture = await sharedFixture();
  const { token } = await fixture.openWallet();
  const answer = await fixture.ask("/v1/route", {
    token,
    body: { state: STATE },
    headers: { "x-request-id": "mine-1" },
  });
  const parts = (answer.headers.get("server-timing") ?? "").split(", ").map((part) => part.split(";dur="));
  assert.deepEqual(
    parts.map(([name]) => name),
    ["wallet", "router", "decide", "charge", "total"],
  );
  const [wallet, router, decide, charge, total] = parts.map(([, duration]) => Number(duration));
  assert.ok(wallet > 0 && decide > 0 && decide <= router && charge > 0);
  assert.ok(wallet + router + charge <= total);
  assert.equal(answer.headers.get("x-request-id"), "mine-1");
  assert.equal(answer.json["id"], "mine-1");
});

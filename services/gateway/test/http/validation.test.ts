import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sharedFixture, type Reply } from "../support/create-fixture.ts";

const FAULTY: readonly (readonly [path: string, body: unknown])[] = [
  ["/v1/route", { stat: "x", min_conf: 2, explain: 99 }],
  ["/v1/route", {}],
  ["/v1/route", "null"],
  ["/v1/decisions", " null\n"],
  ["/v1/route", { state: "x", messages: [{ role: "user", content: "x" }] }],
  ["/v1/route", { state: "x", options: ["get_weathr"] }],
  ["/v1/route", { state: "x", expert: "tols" }],
  ["/v1/route?states=1", { state: " " }],
  ["/v1/decide", { state: "x".repeat(32_769) }],
  ["/v1/noul", { state: "x", options: ["a"] }],
  ["/v1/score", []],
  ["/v1/assess", "{broken"],
  ["/v1/systemone", { state: "x", questions: {} }],
  ["/v1/systemone", { state: "x", questions: { q: { type: "box" }, r: { type: "noul", extra: 1 } } }],
  ["/v1/decisions", { input: "x", questions: [{ type: "levels", levels: [{ label: "a" }] }] }],
  ["/v1/decisions", { questions: 5 }],
];

/** The router's response with the gateway's address and this request's ID. */
function expected(free: Reply, paid: Reply, urls: { readonly routerUrl: string; readonly url: string }): unknown {
  const text = free.text.replaceAll(urls.routerUrl, urls.url);
  return { ...JSON.parse(text), request_id: paid.json.request_id };
}

describe("an invalid request", () => {
  test("gets the router's response in either wire format, with every issue, and is free", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    for (const [path, body] of FAULTY) {
      const paid = await fixture.ask(path, { token: wallet.token, body });
      const free = await fixture.askRouter(path, { body });
      assert.ok(paid.status >= 400 && paid.status < 500, `${path} ${paid.text}`);
      assert.equal(paid.status, free.status, path);
      assert.deepEqual(paid.json, expected(free, paid, fixture), path);
      assert.equal(paid.headers.get("content-type"), free.headers.get("content-type"));
      assert.equal(paid.headers.get("x-rail-receipt"), null);
      assert.equal(paid.headers.get("x-meter-remaining"), "200");
    }
    assert.equal(await fixture.balance(wallet), 100_000);
  });

  test("reports a malformed Idempotency-Key with all other issues", async () => {
    const fixture = await sharedFixture();
    const { token } = await fixture.openWallet();
    const pathsOf = ({ json }: Reply) => json.errors.map(({ path }: { path: string }) => path);
    const native = await fixture.ask("/v1/route?x=1", { token, key: "two words", body: { min_conf: 2 } });
    assert.equal(native.status, 400);
    assert.deepEqual(pathsOf(native).sort(), ["/min_conf", "/state", "?x", "header:Idempotency-Key"]);
    const foreign = await fixture.ask("/v1/systemone", { token, key: "two words", body: { state: "x" } });
    assert.equal(foreign.status, 400);
    assert.deepEqual(pathsOf(foreign), ["/questions", "header:Idempotency-Key"]);
    const alone = await fixture.ask("/v1/route", { token, key: "two words", body: { state: "x" } });
    assert.deepEqual(pathsOf(alone), ["header:Idempotency-Key"]);
    assert.equal(alone.headers.get("x-meter-remaining"), "200");
  });

  test("is rejected if its body cannot be serialized: numbers beyond a double, half a surrogate pair", async () => {
    const fixture = await sharedFixture();
    const { token } = await fixture.openWallet();
    const huge = '{"messages":[{"role":"user","content":"x","weight":1e999}]}';
    for (const body of [huge, String.raw`{"state":"\ud800"}`]) {
      const answer = await fixture.ask("/v1/route", { token, body });
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_json"]);
    }
  });
});

describe("a body with invalid JSON", () => {
  test("is rejected by the gateway itself, whatever the router responds, and is free", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const { token } = wallet;
    for (const body of ["{broken", `{"state":"${"x".repeat(100_000)}`, ""]) {
      const answer = await fixture.ask("/v1/route", { token, body });
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_json"]);
      assert.equal(answer.headers.get("x-meter-remaining"), "200");
    }
    assert.equal(await fixture.balance(wallet), 100_000);
    assert.equal((await fixture.ask("/v1/route", { token, body: { state: "x" } })).status, 200);
  });
});

describe("a request to a wrong path, method or media type", () => {
  test("gets 404, 405 with Allow, 413 or 415, before or after the wallet check in the documented order", async () => {
    const fixture = await sharedFixture();
    const { token } = await fixture.openWallet();
    assert.equal((await fixture.ask("/v1/routes", { body: {} })).status, 404);
    const wrong = await fixture.ask("/v1/route");
    assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST, OPTIONS"]);
    const large = { token, body: { state: "x".repeat(256 * 1024) } };
    assert.equal((await fixture.ask("/v1/route", large)).status, 413);
    const text = { token, body: "state=x", headers: { "content-type": "application/x-www-form-urlencoded" } };
    assert.equal((await fixture.ask("/v1/route", text)).status, 415);
    assert.equal((await fixture.ask("/v1/route", { ...text, token: "" })).status, 402);
  });
});

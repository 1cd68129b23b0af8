/** Two versions of a head: the live one decides, the shadow is only counted. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bringHead, ofOwner } from "../support/imported-heads.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

let fixture: Fixture;
before(async () => {
  fixture = await createFixture();
});
after(() => fixture[Symbol.asyncDispose]());

/** A live version with a second one as its shadow. */
async function withShadow(owner: string, { contrary = false } = {}) {
  const ask = ofOwner(fixture, owner);
  const live = await bringHead(fixture, { owner });
  const second = await bringHead(fixture, { owner, contrary });
  const shadow = await ask(`/v1/heads/${second.id}/shadow`, { body: { enabled: true } });
  assert.deepEqual([shadow.statusCode, shadow.json().state], [200, "shadow"]);
  return { ask, live, second };
}

describe("a shadow version", () => {
  const state = "please reset my password";
  const criteria = { chat: null, password: null, refund: null, weather: null };
  const choices = Object.keys(criteria).map((value) => ({ value }));
  const request = [
    ["/v1/route", { state, explain: true }],
    ["/v1/route", { state, expert: "acme", explain: true }],
    ["/v1/decide", { state, expert: "acme", options: ["password", "chat"] }],
    ["/v1/assess", { state, expert: "acme" }],
    ["/v1/noul", { state }],
    ["/v1/score", { state }],
    ["/v1/systemone", { state, questions: { q: { type: "choice", criteria } } }],
    ["/v1/decisions", { model: "triptych-1/acme", input: state, questions: [{ type: "choice", choices }] }],
    ["/v1/experts", undefined],
    ["/v1/models", undefined],
  ] as const;

  test("never appears in a response, header, list or metric, however different its decision", async () => {
    const ask = ofOwner(fixture, "wal_seen");
    await bringHead(fixture, { owner: "wal_seen" });
    const second = await bringHead(fixture, { owner: "wal_seen", contrary: true });
    const answers = () =>
      Promise.all(
        request.map(async ([path, body]) => {
          const answer = await ask(path, { body, headers: { "x-request-id": "same" } });
          assert.equal(answer.statusCode, 200, answer.body);
          return [Object.keys(answer.headers).toSorted(), { ...answer.json(), latency_ms: 0 }];
        }),
      );
    const before = await answers();
    await ask(`/v1/heads/${second.id}/shadow`, { body: { enabled: true } });
    assert.deepEqual(await answers(), before);

    const { shadow } = (await ask(`/v1/heads/${second.id}`)).json();
    assert.deepEqual([shadow.n, shadow.agreement], [5, 0]);
    const { body: metrics } = await fixture.ask("/metrics");
    assert.ok(!metrics.includes(second.id));
    const counted = [...metrics.matchAll(/^router_decisions_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
    assert.equal(
      counted.reduce((sum, count) => sum + count, 0),
      2 * request.filter(([, body]) => body !== undefined).length,
    );
  });

  test("has counts, and the live version has none", async () => {
    const { ask, live, second } = await withShadow("wal_counted");
    await ask("/v1/route", { body: { state, expert: "acme" } });
    const { shadow } = (await ask(`/v1/heads/${second.id}`)).json();
    assert.deepEqual([shadow.n, shadow.agreement], [1, 1]);
    assert.equal((await ask(`/v1/heads/${live.id}`)).json().shadow, undefined);
  });

  test("is promoted after 200 agreeing decisions, earlier only with force, and the retired version can return", async () => {
    const { ask, live, second } = await withShadow("wal_agreed");
    const refused = await ask(`/v1/heads/${second.id}/promote`, { body: {} });
    assert.deepEqual([refused.statusCode, refused.json().code], [409, "promotion_gate"]);
    assert.equal(refused.json().shadow.n, 0);
    for (let count = 0; count < 200; count++)
      await ask("/v1/decide", { body: { state: `will it rain ${count}`, expert: "acme" } });
    const promoted = await ask(`/v1/heads/${second.id}/promote`, { body: {} });
    assert.deepEqual([promoted.statusCode, promoted.json().state], [200, "live"]);
    assert.equal((await ask(`/v1/heads/${live.id}`)).json().state, "retired");
    assert.equal((await ask(`/v1/heads/${live.id}/shadow`, { body: { enabled: true } })).json().code, "head_not_ready");
    assert.equal((await ask(`/v1/heads/${live.id}/promote`, { body: {} })).json().state, "live");
    assert.equal((await ask(`/v1/heads/${second.id}/promote`, { body: { force: true } })).json().state, "live");
  });

  test("that disagrees can be promoted by labels in its favor, after at least 200 decisions", async () => {
    const { ask, second } = await withShadow("wal_labelled", { contrary: true });
    // The contrary version's decision on a question about the weather.
    const items = Array.from({ length: 30 }, (_, index) => ({ state: `will it rain ${index}`, route: "refund" }));
    await ask("/v1/feedback", { body: { expert: "acme", items } });
    const { shadow } = (await ask(`/v1/heads/${second.id}`)).json();
    assert.deepEqual([shadow.labelled, shadow.live_correct, shadow.shadow_correct], [30, 0, 30]);
    assert.ok(shadow.wilson_low >= 0.85);
    const promote = async () => (await ask(`/v1/heads/${second.id}/promote`, { body: {} })).json();
    assert.equal((await promote()).code, "promotion_gate");
    for (let count = 0; count < 200; count++)
      await ask("/v1/decide", { body: { state: `will it rain ${count}`, expert: "acme" } });
    assert.equal((await promote()).state, "live");
    assert.equal(
      (await ask("/v1/decide", { body: { state: "will it rain", expert: "acme" } })).json().choice,
      "refund",
    );
  });

  test("can be taken out of the shadow state, and both transitions are idempotent", async () => {
    const { ask, second } = await withShadow("wal_left");
    for (const [enabled, state] of [
      [true, "shadow"],
      [false, "ready"],
      [false, "ready"],
    ] as const)
      assert.equal((await ask(`/v1/heads/${second.id}/shadow`, { body: { enabled } })).json().state, state);
  });
});

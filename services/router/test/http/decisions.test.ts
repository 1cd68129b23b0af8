/** The five native endpoints: response content, and their agreement. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { ENDPOINTS, createDecisionFixture, without } from "../support/decision-fixture.ts";

const fixture = await createDecisionFixture();
after(() => fixture[Symbol.asyncDispose]());
const { ask, decided, schemas } = fixture;

describe("a response", () => {
  test("is canonical JSON of the published shape, with the request id and timings in headers", async () => {
    for (const path of ENDPOINTS) {
      const answer = await ask(path, {
        body: { state: "will it rain tomorrow", explain: 3 },
        headers: { "x-request-id": "mine-1" },
      });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.body, canonicalJson(answer.json()), path);
      assert.deepEqual(schemas.ofAnswer(path, 200, answer.json()), [], path);
      assert.equal(answer.json().id, "mine-1");
      assert.equal(answer.headers["x-request-id"], "mine-1");
      assert.equal(answer.headers["cache-control"], "no-store");
      assert.match(String(answer.headers["server-timing"]), /^parse;dur=[\d.]+, decide;dur=[\d.]+, total;dur=[\d.]+$/);
    }
  });

  test("contains the route, its confidence and the action", async () => {
    const body = await decided("/v1/route", { state: "will it rain tomorrow" });
    assert.equal(body.action, "tool_call");
    assert.equal(body.route, "weather");
    assert.equal(body.expert, "tools");
    assert.equal(body.domain, "weather");
    assert.equal(body.reason_text, "Known route above the floor 0.55.");
    assert.deepEqual(body.usage, { decisions: 1, input_tokens: 4, truncated: false });
    assert.equal(body.set_size, body.set.length);
    assert.equal(body.gate_confidence, undefined);
  });

  test("small talk is generated, a request for a person is delegated with its route", async () => {
    assert.equal((await decided("/v1/route", { state: "hello there" })).action, "generate");
    const body = await decided("/v1/route", { state: "I want to talk to a human" });
    assert.deepEqual([body.action, body.route, body.reason], ["delegate", "escalate", "route_escalate"]);
    assert.ok(body.probabilities.escalate > 0.5);
  });

  test("marks a long text as truncated", async () => {
    const { usage } = await decided("/v1/route", { state: "rain ".repeat(1000) });
    assert.deepEqual(usage, { decisions: 1, input_tokens: 1000, truncated: true });
  });
});

describe("the five endpoints", () => {
  const texts = [
    "will it rain",
    "I want to talk to a human",
    "quantum refund password",
    "hello",
    "…",
    "my lawyer: refund!",
  ];
  const shapes = [{}, { options: ["weather", "chat", "refund"] }, { options: { a: "rain and sun", b: "money back" } }]
    .concat([{ expert: "helpdesk" } as object])
    .flatMap((shape) => [shape, { ...shape, min_conf: 0.97 }, { ...shape, max_error: 0.1 }]);

  test("agree with each other on every request", async () => {
    for (const state of texts)
      for (const shape of shapes) {
        const request = { state, explain: 4, ...shape };
        const route = await decided("/v1/route", request);
        const decide = await decided("/v1/decide", request);
        const noul = await decided("/v1/noul", { state, explain: 4 });
        const score = await decided("/v1/score", { state, explain: 4 });
        const assess = await decided("/v1/assess", request);
        assert.deepEqual(assess.decision, without(decide));
        assert.deepEqual(assess.escalation, without(noul));
        assert.deepEqual(assess.complexity, without(score));
        assert.deepEqual([assess.action, assess.reason], [route.action, route.reason]);
        assert.deepEqual(
          [decide.choice, decide.confidence, decide.reason],
          [route.route, route.confidence, route.reason],
        );
        assert.deepEqual([decide.probabilities, decide.explanation], [route.probabilities, route.explanation]);
        const values: number[] = Object.values(route.probabilities);
        assert.equal(route.probabilities[route.route], Math.max(...values), "whatever the action is");
        assert.deepEqual([noul.p_yes, score.complexity, score.tier], [route.p_yes, route.tier, route.tier]);
        assert.equal(decide.abstain, route.action === "delegate" && route.reason !== "noul_escalate");
        assert.equal(noul.escalate, noul.p_yes >= noul.threshold);
        assert.equal(assess.expert, route.expert);
      }
  });

  test("respond to the same request with the same numbers", async () => {
    const request = { state: "change the password, please", explain: 5 };
    for (const path of ENDPOINTS)
      assert.deepEqual(without(await decided(path, request)), without(await decided(path, request)), path);
  });
});

/** An owner's heads on the native endpoints: active, pinned, and invisible to other owners. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { OF_ACME } from "../support/compat-fixture.ts";
import { customExpert } from "../support/custom-expert.ts";
import { createDecisionFixture } from "../support/decision-fixture.ts";
import { createFixture } from "../support/create-fixture.ts";

const fixture = await createDecisionFixture();
after(() => fixture[Symbol.asyncDispose]());
const { ask, decided } = fixture;

describe("an owner's heads", () => {
  test("take part in the gate, which reports its confidence in the chosen expert", async () => {
    const body = await decided("/v1/route", { state: "will it rain tomorrow" }, OF_ACME);
    assert.ok(body.gate_confidence > 0 && body.gate_confidence <= 1);
    assert.equal((await decided("/v1/route", { state: "will it rain tomorrow" })).gate_confidence, undefined);
  });

  test("lead to a delegation if the gate cannot separate two of them, unless the request sets a floor", async () => {
    await using twins = await createFixture({ custom: [customExpert("twin", { like: "tools", auto: true })] });
    const route = async (more: object) =>
      (await twins.ask("/v1/route", { body: { state: "will it rain", ...more }, headers: OF_ACME })).json();
    const body = await route({});
    assert.deepEqual([body.gate_confidence, body.reason, body.expert], [0.5, "low_gate_confidence", "tools"]);
    assert.equal((await route({ min_conf: 0.5 })).action, "tool_call");
    assert.equal((await route({ expert: "twin" })).gate_confidence, undefined);
  });

  test("with a list of options, only experts with all options are active", async () => {
    const body = await decided("/v1/route", { state: "will it rain", options: ["weather", "refund"] }, OF_ACME);
    assert.deepEqual([body.expert, body.gate_confidence], ["tools", undefined]);
  });

  test("a conformal head abstains unless its set has exactly one route or the request sets a floor", async () => {
    const request = { state: "reset my password", expert: "careful" };
    const body = await decided("/v1/route", request, OF_ACME);
    assert.deepEqual([body.reason, body.set, body.set_size], ["conformal_abstain", ["password", "refund"], 2]);
    assert.match(body.reason_text, /^As many as 2 routes/);
    for (const floor of [{ min_conf: 0 }, { max_error: 0.5 }]) {
      const floored = await decided("/v1/route", { ...request, ...floor }, OF_ACME);
      assert.notEqual(floored.reason, "conformal_abstain");
      assert.equal(floored.route, body.route);
    }
  });

  test("are invisible to other owners", async () => {
    const request = { state: "reset it", expert: "acme_desk" };
    assert.equal((await decided("/v1/decide", request, OF_ACME)).expert, "acme_desk");
    assert.equal((await ask("/v1/decide", { body: request })).statusCode, 404);
    const named = { "x-router-owner": "acme" };
    assert.equal((await ask("/v1/decide", { body: request, headers: named })).statusCode, 404);
  });
});

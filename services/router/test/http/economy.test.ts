/**
 * `economy` of /v1/route and /v1/decide: the cheapest route by the caller's prices and the decision's probabilities.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { SERVICE_TOKEN } from "../support/create-fixture.ts";
import { createDecisionFixture, without } from "../support/decision-fixture.ts";

const fixture = await createDecisionFixture();
after(() => fixture[Symbol.asyncDispose]());
const { ask, decided } = fixture;

const state = "will it rain tomorrow";
const options = { small: "rain and sun", large: "money back" };
const prices = {
  small: { input: 250_000, output: 1_000_000 },
  large: { input: 2_500_000, cached_input: 0, output: 10_000_000 },
};
const tokens = { new_tokens: 100, output_tokens: 0 };

async function issuesOf(body: object, path = "/v1/route") {
  const answer = await ask(path, { body });
  assert.equal(answer.statusCode, 400, answer.body);
  assert.equal(answer.json().code, "validation_failed");
  const errors: { path: string; reason: string; suggestions?: string[] }[] = answer.json().errors;
  const sorted = errors.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return sorted.map(({ path, reason, suggestions }) => [path, reason, ...(suggestions ?? [])]);
}

describe("economy", () => {
  test("computes the expected cost of each priced route, and leaves the rest of the response unchanged", async () => {
    for (const path of ["/v1/route", "/v1/decide"]) {
      const plain = await decided(path, { state, options });
      const { economy, ...rest } = await decided(path, {
        state,
        options,
        economy: { ...tokens, cached_tokens: 1000, error_cost_micro: 20_000, incumbent: "large", prices },
      });
      assert.deepEqual(without(rest), without(plain));
      const { small, large } = plain.probabilities;
      assert.deepEqual(economy.expected_cost_micro, {
        small: (1000 * 250_000 + 100 * 250_000) / 1_000_000 + (1 - small) * 20_000,
        large: (100 * 2_500_000) / 1_000_000 + (1 - large) * 20_000,
      });
      assert.deepEqual([economy.choice, economy.action], ["small", "switch"]);
    }
  });

  test("a warm cache keeps an incumbent that would otherwise be more expensive", async () => {
    const economy = { new_tokens: 10, output_tokens: 1, prices, incumbent: "large" };
    const cold = await decided("/v1/decide", { state, options, economy });
    const warm = await decided("/v1/decide", { state, options, economy: { ...economy, cached_tokens: 100_000 } });
    assert.deepEqual([cold.economy.choice, cold.economy.action], ["small", "switch"]);
    assert.deepEqual([warm.economy.choice, warm.economy.action], ["large", "keep"]);
  });

  test("ties go to the incumbent, then to the first label", async () => {
    const same = { input: 5, output: 7 };
    const tied = { ...tokens, prices: { small: same, large: same } };
    const choiceOf = async (economy: object) => (await decided("/v1/route", { state, options, economy })).economy;
    assert.equal((await choiceOf(tied)).choice, "large");
    assert.equal((await choiceOf({ ...tied, incumbent: "small" })).choice, "small");
    assert.equal((await choiceOf({ ...tied, incumbent: "small" })).action, "keep");
  });

  test("ignores routes without a price, even the incumbent", async () => {
    const economy = { ...tokens, incumbent: "large", prices: { small: prices.small } };
    const answer = await decided("/v1/route", { state, options, economy });
    assert.deepEqual(Object.keys(answer.economy.expected_cost_micro), ["small"]);
    assert.deepEqual([answer.economy.choice, answer.economy.action], ["small", "switch"]);
  });

  test("works for the routes of a head and for a restricted head", async () => {
    const economy = { ...tokens, prices: { password: prices.small, refund: prices.large } };
    const whole = await decided("/v1/route", { state, expert: "helpdesk", economy });
    assert.equal(whole.economy.choice, "password");
    const restricted = { ...economy, prices: { refund: prices.large } };
    const some = await decided("/v1/decide", { state, expert: "helpdesk", options: ["refund"], economy: restricted });
    assert.equal(some.economy.choice, "refund");
  });

  test("labels such as __proto__ are ordinary labels", async () => {
    const body = `{"state":"rain","options":{"__proto__":"sun","a/b":"rain"},"economy":{"new_tokens":1,"output_tokens":1,"incumbent":"__proto__","prices":{"__proto__":{"input":1,"output":1},"a/b":{"input":2,"output":2}}}}`;
    const answer = await ask("/v1/route", { body });
    assert.equal(answer.statusCode, 200, answer.body);
    const { choice, action, expected_cost_micro: costs } = answer.json().economy;
    assert.deepEqual([choice, action, Object.keys(costs)], ["__proto__", "keep", ["__proto__", "a/b"]]);
  });
});

describe("economy 400", () => {
  test("lists every issue of the body at once", async () => {
    const economy = {
      incumbent: "smal",
      cached_tokens: -1,
      new_tokens: 1.5,
      output_tokens: 1e10,
      error_cost_micro: "5",
      prices: { large: { input: 0.5, output: -1 }, "a/b": prices.small },
      unknown: 1,
    };
    assert.deepEqual(await issuesOf({ state: "", options, economy }), [
      ["/economy/cached_tokens", "minimum"],
      ["/economy/error_cost_micro", "type"],
      ["/economy/incumbent", "option_unknown", "small"],
      ["/economy/new_tokens", "type"],
      ["/economy/output_tokens", "maximum"],
      ["/economy/prices/a~1b", "option_unknown"],
      ["/economy/prices/large/input", "type"],
      ["/economy/prices/large/output", "minimum"],
      ["/economy/unknown", "unknown_field"],
      ["/state", "minLength"],
    ]);
  });

  test("requires the tokens and at least one price", async () => {
    assert.deepEqual(await issuesOf({ state, economy: {} }), [
      ["/economy/new_tokens", "required"],
      ["/economy/output_tokens", "required"],
      ["/economy/prices", "required"],
    ]);
    assert.deepEqual(await issuesOf({ state, economy: { ...tokens, prices: {} } }), [
      ["/economy/prices", "minProperties"],
    ]);
  });

  test("a label must be one of the listed options, or a route of the expert", async () => {
    const economy = { ...tokens, prices: { weather: prices.small } };
    assert.deepEqual(await issuesOf({ state, options: ["chat"], economy }), [
      ["/economy/prices/weather", "option_unknown"],
    ]);
    assert.deepEqual(await issuesOf({ state, expert: "helpdesk", economy }), [
      ["/economy/prices/weather", "option_unknown"],
    ]);
    assert.deepEqual(
      await issuesOf({ state, expert: "helpdesk", economy: { ...tokens, prices: { refnd: prices.small } } }),
      [["/economy/prices/refnd", "option_unknown", "refund"]],
    );
  });

  test("with several candidate experts, a label must be a route of each", async () => {
    const economy = { ...tokens, prices: { weather: prices.small, refund: prices.small } };
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}`, "x-router-owner": "acme" };
    const answer = await ask("/v1/decide", { body: { state, economy }, headers });
    assert.equal(answer.statusCode, 400);
    assert.deepEqual(
      answer.json().errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
      [
        [
          "/economy/prices/weather",
          "Several experts may decide and `acme_desk` has no route with this name: set `expert`.",
        ],
      ],
    );
  });

  test("an unknown expert is 404, and /v1/assess has no economy", async () => {
    const economy = { ...tokens, prices: { weather: prices.small } };
    const unknown = await ask("/v1/route", { body: { state, expert: "nobody", economy } });
    assert.deepEqual([unknown.statusCode, unknown.json().code], [404, "expert_not_found"]);
    assert.deepEqual(await issuesOf({ state, economy }, "/v1/assess"), [["/economy", "unknown_field"]]);
  });
});

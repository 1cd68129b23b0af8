import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE } from "../src/run/usage.ts";
import { createSpending } from "../src/agents/usage-tracker.ts";

const MODEL_PROXY = {
  addressOf: () => null,
  pass: "",
  broken: null,
  isEstimated: false,
  async [Symbol.asyncDispose]() {},
};

test("converts an agent's dollars to euros, and prefers the operator's prices", () => {
  const reported = { ...NO_USAGE, inputTokens: 10, costMicro: 1_000 };
  assert.equal(createSpending(null, 0.9).open("coder")(reported).costMicro, 900);
  for (const [counted, expected] of [
    [null, 900],
    [40, 40],
  ] as const) {
    let spent = NO_USAGE;
    const end = createSpending({ ...MODEL_PROXY, spent: () => spent }, 0.9).open("coder");
    spent = { ...NO_USAGE, inputTokens: 30, costMicro: counted };
    assert.deepEqual(end(reported), { ...NO_USAGE, inputTokens: 30, costMicro: expected });
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseList } from "structured-headers";
import { policyFields, rateLimitHeaders } from "../src/index.ts";

const names = { minute: "minute", day: "items-day", unit: "items" };
const rateLimit = {
  at: 0,
  minute: { limit: 120, remaining: 118, resetSeconds: 42 },
  day: { date: "2026-11-20", limit: 2000, used: 0, remaining: 2000, resetSeconds: 36_012 },
};

test("the headers have the exact format of the contract and include the items being sent", () => {
  assert.deepEqual(rateLimitHeaders(rateLimit, names, 20), {
    "ratelimit-policy": '"minute";q=120;w=60, "items-day";q=2000;w=86400',
    ratelimit: '"minute";r=118;t=42, "items-day";r=1980;t=36012',
    "x-quota-limit": "2000",
    "x-quota-remaining": "1980",
    "x-quota-reset": "36012",
    "x-quota-unit": "items",
  });
});

test("a key without a cap sends only the minute policy and no quota fields", () => {
  const uncapped = { ...rateLimit, day: { ...rateLimit.day, limit: null, remaining: null } };
  assert.deepEqual(rateLimitHeaders(uncapped, names, 20), {
    "ratelimit-policy": '"minute";q=120;w=60',
    ratelimit: '"minute";r=118;t=42',
  });
});

test("an independent structured-fields parser reads every policy", () => {
  const figure = fc.nat(2 ** 31 - 1);
  const policy = fc.record({
    name: fc.string({ maxLength: 20 }),
    quota: figure,
    windowSeconds: figure,
    remaining: figure,
    resetSeconds: figure,
  });
  fc.assert(
    fc.property(fc.array(policy, { minLength: 1, maxLength: 4 }), (policies) => {
      const fields = policyFields(policies);
      const entries = (of: string) =>
        parseList(fields[of] ?? "").map(([name, parameters]) => [name, Object.fromEntries(parameters)]);
      assert.deepEqual(
        entries("ratelimit-policy"),
        policies.map((p) => [p.name, { q: p.quota, w: p.windowSeconds }]),
      );
      assert.deepEqual(
        entries("ratelimit"),
        policies.map((p) => [p.name, { r: p.remaining, t: p.resetSeconds }]),
      );
    }),
    { seed: 20_261_121, numRuns: 300 },
  );
});

test("clamps a number of more than 15 digits to the largest structured-fields integer", () => {
  const [entry] = parseList(
    policyFields([{ name: "day", quota: Number.MAX_SAFE_INTEGER, windowSeconds: 1, remaining: 0, resetSeconds: 0 }])[
      "ratelimit-policy"
    ] ?? "",
  );
  assert.equal(entry?.[1].get("q"), 999_999_999_999_999);
});

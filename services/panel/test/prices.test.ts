import assert from "node:assert/strict";
import { test } from "node:test";
import { readPrices } from "../src/prices.ts";

test("reads prices by model, with cached input at the input price by default", () => {
  const text = '{"a":{"input":2,"cached":1,"output":8},"b":{"input":3,"output":9}}';
  assert.deepEqual(readPrices(text), {
    a: { input: 2, cached: 1, output: 8 },
    b: { input: 3, cached: 3, output: 9 },
  });
  assert.deepEqual(readPrices(undefined), {});
});

test("rejects invalid prices by variable name, without their values", () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`m${n}`, { input: 1, output: 1 }]));
  for (const text of [
    "",
    "[]",
    "7000001",
    '{"a":{"input":-1,"output":7000001}}',
    '{"a":{"in":7000001}}',
    JSON.stringify(many),
  ])
    assert.throws(
      () => readPrices(text),
      (error) => error instanceof Error && /PANEL_PRICES/.test(error.message) && !error.message.includes("7000001"),
    );
});

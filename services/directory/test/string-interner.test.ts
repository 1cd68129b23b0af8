import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createStringInterner } from "../src/domain/string-interner.ts";
import { runs } from "./support/runs.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 3 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units).toWellFormed()),
);

test("numbers strings like a Map and returns them unchanged", () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 300 }), (texts) => {
      const [numbers, expected] = [createStringInterner(), new Map<string, number>()];
      for (const text of texts) {
        assert.equal(numbers.find(text), expected.get(text) ?? -1);
        if (!expected.has(text)) expected.set(text, expected.size);
        assert.equal(numbers.numberOf(text), expected.get(text));
      }
      assert.equal(numbers.size, expected.size);
      for (const [text, number] of expected) assert.equal(numbers.textAt(number), text);
    }),
    { seed: 24, numRuns: runs(200) },
  );
});

test("distinguishes hundreds of thousands of strings", () => {
  const numbers = createStringInterner();
  for (let index = 0; index < 300_000; index++) assert.equal(numbers.numberOf(`place/${index * 7}`), index);
  for (let index = 0; index < 300_000; index += 997) assert.equal(numbers.find(`place/${index * 7}`), index);
  assert.equal(numbers.find("place/8"), -1);
  assert.equal(numbers.textAt(299_999), "place/2099993");
});

test("rejects a string longer than a memory chunk", () => {
  assert.throws(() => createStringInterner().numberOf("x".repeat(1 << 20)), RangeError);
  const numbers = createStringInterner();
  assert.equal(numbers.numberOf("x".repeat((1 << 20) - 1)), 0);
  assert.equal(numbers.numberOf("y".repeat(500_000)), 1);
  assert.equal(numbers.textAt(0).length, (1 << 20) - 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { expandPhrasing, slotsIn } from "../../../src/domain/heads/expand-phrasing.ts";

const slots = (values: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(values));
const letters = (count: number, start = "v") => Array.from({ length: count }, (_, index) => `${start}${index}`);

test("a phrasing without slots expands to itself", () => {
  assert.deepEqual(expandPhrasing("hello there", slots({ a: ["x"] }), 200), ["hello there"]);
  assert.deepEqual(slotsIn("hello { there } {1a} {}"), []);
});

test("returns all combinations once if there are few", () => {
  const texts = expandPhrasing("{a} and {b}", slots({ a: ["1", "2"], b: ["x", "y", "z"] }), 200);
  assert.deepEqual(texts.toSorted(), ["1 and x", "1 and y", "1 and z", "2 and x", "2 and y", "2 and z"]);
});

test("a repeated slot has the same value in both positions", () => {
  assert.deepEqual(slotsIn("{a}, I said {a}"), ["a"]);
  assert.deepEqual(expandPhrasing("{a}, I said {a}", slots({ a: ["x", "y"] }), 200), ["x, I said x", "y, I said y"]);
});

test("a slot without values stays verbatim, and a value that looks like a slot is not expanded", () => {
  assert.deepEqual(expandPhrasing("{a} {b}", slots({ a: ["{b}", "$&"] }), 200), ["{b} {b}", "$& {b}"]);
});

test("samples many combinations without repeats, using every slot value about equally often", () => {
  for (const [a, b, c] of [
    [20, 20, 1],
    [200, 200, 200],
    [7, 11, 13],
    [2, 150, 3],
  ] as const) {
    const values = { a: letters(a), b: letters(b), c: letters(c) };
    const texts = expandPhrasing("{a}/{b}/{c}", slots(values), 200);
    assert.deepEqual([texts.length, new Set(texts).size], [200, 200]);
    for (const [index, count] of [a, b, c].entries()) {
      const seen = new Map<string, number>();
      for (const text of texts) seen.set(text.split("/")[index], (seen.get(text.split("/")[index]) ?? 0) + 1);
      assert.ok(seen.size >= Math.min(count, 200) * 0.6, `${a} ${b} ${c}: ${seen.size} of ${count} values`);
      assert.ok(
        Math.max(...seen.values()) <= 4 * Math.ceil(200 / count),
        `${a} ${b} ${c}: ${Math.max(...seen.values())}`,
      );
    }
  }
});

test("the same phrasing always gives the same texts, for any number of combinations", () => {
  const values = slots(Object.fromEntries(letters(16, "s").map((name) => [name, letters(200)])));
  const phrasing = letters(16, "s")
    .map((name) => `{${name}}`)
    .join(" ");
  const texts = expandPhrasing(phrasing, values, 200);
  assert.equal(new Set(texts).size, 200);
  assert.deepEqual(expandPhrasing(phrasing, values, 200), texts);
});

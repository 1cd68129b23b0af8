import assert from "node:assert/strict";
import { test } from "node:test";
import { csvCell, editDistance, isRecord, median, memoize, quantile, truncate } from "../src/index.ts";

test("a record is an object that is neither null nor an array", () => {
  assert.deepEqual([{}, { a: 1 }, null, [], "a", 1, undefined].map(isRecord), [true, true, ...Array(5).fill(false)]);
});

test("a quantile is one of the values (nearest rank) and needs at least one value", () => {
  assert.deepEqual([quantile([3, 1, 2, 10], 0), quantile([3, 1, 2, 10], 0.75), quantile([3, 1], 1)], [1, 10, 3]);
  assert.equal(median([9, 1, 5]), 5);
  assert.throws(() => quantile([], 0.5), /without values/);
});

test("the edit distance counts insertions, removals, replacements and swapped neighbors", () => {
  const pairs = [
    ["", "abc"],
    ["abc", "abc"],
    ["kitten", "sitting"],
    ["brest", "brets"],
    ["ab", "xaby"],
  ] as const;
  assert.deepEqual(
    pairs.map(([a, b]) => editDistance(a, b)),
    [3, 0, 3, 1, 2],
  );
});

test("a truncated text ends with an ellipsis and splits no surrogate pair", () => {
  assert.deepEqual([truncate("abc", 3), truncate("abcd", 3), truncate("a😀b😀", 3)], ["abc", "ab…", "a😀…"]);
});

test("a memoized function computes a result once, and again after more than `max` other texts", () => {
  const computed: string[] = [];
  const upper = memoize((text) => {
    computed.push(text);
    return text.toUpperCase();
  }, 2);
  assert.deepEqual(["a", "b", "a", "c", "a"].map(upper), ["A", "B", "A", "C", "A"]);
  assert.deepEqual(computed, ["a", "b", "c", "a"]);
});

test("a CSV cell is quoted if a parser would otherwise end it or take it for a comment", () => {
  assert.deepEqual(["a b", "a,b", 'a"b', "a\nb", "#a", "a#"].map(csvCell), [
    "a b",
    '"a,b"',
    '"a""b"',
    '"a\nb"',
    '"#a"',
    "a#",
  ]);
});

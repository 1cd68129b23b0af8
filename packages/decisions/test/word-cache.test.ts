import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashOfLeft, hashOfWord } from "../src/text/rows.ts";
import { createWordCache, BLOCK_SIZE } from "../src/trunk/word-cache.ts";

/** A word's vector is its length and its first letter; `written` are the words that had to be put together, in order. */
function keepLengths(most: number) {
  const written: string[] = [];
  const words = createWordCache(
    2,
    (word, vectors, base) => {
      written.push(word);
      vectors[base] = word.length;
      vectors[base + 1] = word.charCodeAt(0);
    },
    new Float32Array((most + BLOCK_SIZE) * 2),
  );
  const vectorAt = (slot: number) => [...words.vectors.subarray(2 * slot, 2 * slot + 2)];
  return { words, written, vectorAt };
}

describe("known words", () => {
  test("are put together once, with the hashes that they have in pairs", () => {
    const { words, written, vectorAt } = keepLengths(10);
    const slot = words.slotOf("weather");
    assert.equal(words.slotOf("weather"), slot);
    assert.deepEqual(written, ["weather"]);
    assert.deepEqual(vectorAt(slot), ["weather".length, "w".charCodeAt(0)]);
    assert.equal(words.asLeft[slot], hashOfLeft("weather"));
    assert.equal(words.asRight[slot], hashOfWord("weather"));
  });

  test("are forgotten when too many others came, and keep their place for a text that is being read", () => {
    const most = 3;
    const { words, written, vectorAt } = keepLengths(most);
    const slot = words.slotOf("first");
    for (let n = 0; n < most + BLOCK_SIZE - 1; n++) words.slotOf(`a${n}`);
    assert.deepEqual(vectorAt(slot), ["first".length, "f".charCodeAt(0)]);
    words.slotOf("first");
    assert.equal(written.filter((word) => word === "first").length, 2);
  });

  test("are no endless texts: what is longer than any word is read anew each time", () => {
    const { words, written } = keepLengths(10);
    const endless = "x".repeat(65);
    words.slotOf(endless);
    words.slotOf(endless);
    assert.deepEqual(written, [endless, endless]);
  });
});

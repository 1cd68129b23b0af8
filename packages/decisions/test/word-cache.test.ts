import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashOfLeft, hashOfWord } from "../src/text/rows.ts";
import { createWordCache, BLOCK_SIZE } from "../src/trunk/word-cache.ts";

/** A word's vector is its length and first letter; `written` lists the computed words in order. */
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
  test("are computed once, with their hashes for pairs", () => {
    const { words, written, vectorAt } = keepLengths(10);
    const slot = words.slotOf("weather");
    assert.equal(words.slotOf("weather"), slot);
    assert.deepEqual(written, ["weather"]);
    assert.deepEqual(vectorAt(slot), ["weather".length, "w".charCodeAt(0)]);
    assert.equal(words.asLeft[slot], hashOfLeft("weather"));
    assert.equal(words.asRight[slot], hashOfWord("weather"));
  });

  test("are evicted when too many others come, but keep their slot while their text is read", () => {
    const most = 3;
    const { words, written, vectorAt } = keepLengths(most);
    const slot = words.slotOf("first");
    for (let n = 0; n < most + BLOCK_SIZE - 1; n++) words.slotOf(`a${n}`);
    assert.deepEqual(vectorAt(slot), ["first".length, "f".charCodeAt(0)]);
    words.slotOf("first");
    assert.equal(written.filter((word) => word === "first").length, 2);
  });

  test("exclude overlong texts, which are computed each time", () => {
    const { words, written } = keepLengths(10);
    const endless = "x".repeat(65);
    words.slotOf(endless);
    words.slotOf(endless);
    assert.deepEqual(written, [endless, endless]);
  });
});

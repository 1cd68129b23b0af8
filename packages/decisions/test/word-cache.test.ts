import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashOfLeft, hashOfWord } from "../src/text/rows.ts";
import { keepWords, PLACES_AT_ONCE } from "../src/trunk/word-cache.ts";

/** A word's vector is its length and its first letter; `written` are the words that had to be put together, in order. */
function keepLengths(most: number) {
  const written: string[] = [];
  const words = keepWords(
    2,
    (word, vectors, base) => {
      written.push(word);
      vectors[base] = word.length;
      vectors[base + 1] = word.charCodeAt(0);
    },
    new Float32Array((most + PLACES_AT_ONCE) * 2),
  );
  const vectorAt = (place: number) => [...words.vectors.subarray(2 * place, 2 * place + 2)];
  return { words, written, vectorAt };
}

describe("known words", () => {
  test("are put together once, with the hashes that they have in pairs", () => {
    const { words, written, vectorAt } = keepLengths(10);
    const place = words.placeOf("weather");
    assert.equal(words.placeOf("weather"), place);
    assert.deepEqual(written, ["weather"]);
    assert.deepEqual(vectorAt(place), ["weather".length, "w".charCodeAt(0)]);
    assert.equal(words.asLeft[place], hashOfLeft("weather"));
    assert.equal(words.asRight[place], hashOfWord("weather"));
  });

  test("are forgotten when too many others came, and keep their place for a text that is being read", () => {
    const most = 3;
    const { words, written, vectorAt } = keepLengths(most);
    const place = words.placeOf("first");
    for (let n = 0; n < most + PLACES_AT_ONCE - 1; n++) words.placeOf(`a${n}`);
    assert.deepEqual(vectorAt(place), ["first".length, "f".charCodeAt(0)]);
    words.placeOf("first");
    assert.equal(written.filter((word) => word === "first").length, 2);
  });

  test("are no endless texts: what is longer than any word is read anew each time", () => {
    const { words, written } = keepLengths(10);
    const endless = "x".repeat(65);
    words.placeOf(endless);
    words.placeOf(endless);
    assert.deepEqual(written, [endless, endless]);
  });
});

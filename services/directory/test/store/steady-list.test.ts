import assert from "node:assert/strict";
import { test } from "node:test";
import { padInList } from "../../src/store/batching.ts";

test("pads lists to a few lengths with the same values", () => {
  const lengths = new Set<number>();
  for (let length = 1; length <= 2000; length++) {
    const values = Array.from({ length }, (_, index) => index);
    const steady = padInList(values);
    lengths.add(steady.length);
    assert.deepEqual([...new Set(steady)], values);
  }
  assert.deepEqual([...lengths], [16, 256, 512, 768, 1024, 1280, 1536, 1792, 2048]);
});

test("leaves an empty list empty", () => {
  assert.deepEqual(padInList([]), []);
});

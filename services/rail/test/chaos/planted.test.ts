import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlanted } from "../../chaos/planted.ts";

test("finds a planted secret in one chunk, across two chunks, and in earlier output", () => {
  const printed: readonly (readonly string[])[] = [["a token-7 b"], ["a tok", "en-7 b"]];
  for (const pieces of printed) {
    const [before, after] = [createPlanted(), createPlanted()];
    before.plant("token-7");
    for (const piece of pieces) for (const planted of [before, after]) planted.scan(piece);
    after.plant("token-7");
    assert.deepEqual(
      [before, after].map(({ violations }) => violations.map(({ law }) => law)),
      [["L11"], ["L11"]],
    );
  }
});

test("accepts output near a secret that does not contain it", () => {
  const planted = createPlanted();
  planted.plant("token-7");
  for (const piece of ["token-", "8 token", "-6"]) planted.scan(piece);
  assert.deepEqual(planted.violations, []);
});

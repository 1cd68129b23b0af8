import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { poolRandom, symbolsOfNumber, ulid } from "../src/index.ts";

const bounded = { seed: 20_261_121, numRuns: 200 };

test("IDs sort by creation time", () => {
  const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(time, time, (a, b) => {
      fc.pre(a !== b);
      assert.equal(ulid("req", a, randomBytes) < ulid("req", b, randomBytes), a < b);
    }),
    bounded,
  );
});

test("an ID consists of its prefix, ten time symbols, and one symbol per random byte", () => {
  const id = ulid("req", 33, (count) => Uint8Array.from({ length: count }, (_, index) => index + 32));
  assert.equal(id, "req_00000000110123456789abcdef");
});

test("a number is encoded with exactly the requested number of symbols; excess digits are dropped", () => {
  assert.deepEqual([symbolsOfNumber(0, 3), symbolsOfNumber(31, 2), symbolsOfNumber(1025, 2)], ["000", "0z", "01"]);
});

test("a pool returns each random byte once, whatever the sizes of the requests", () => {
  let made = 0;
  const counting = (count: number) => Uint8Array.from({ length: count }, () => made++ % 251);
  const random = poolRandom(counting);
  const taken = Array.from({ length: 600 }, () => random(13));

  assert.ok(taken.every(({ length }) => length === 13));
  const whole = 4_096 - (4_096 % 13);
  const first = taken.flatMap((bytes) => [...bytes]).slice(0, whole);
  assert.deepEqual(
    first,
    Array.from({ length: whole }, (_, index) => index % 251),
  );
  assert.equal(random(5_000).length, 5_000);
});

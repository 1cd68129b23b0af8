import assert from "node:assert/strict";
import { test } from "node:test";
import { exp, log, sigmoid } from "../src/math/exp-log.ts";
import { xorshift } from "../src/math/xorshift.ts";

test("exp and log are within one ulp of the platform's own", () => {
  const random = xorshift(7);
  for (let round = 0; round < 20_000; round++) {
    const x = (random() - 0.5) * 1400;
    assert.ok(near(exp(x), Math.exp(x)), `exp(${x})`);
    const positive = Math.exp((random() - 0.5) * 1400);
    assert.ok(near(log(positive), Math.log(positive)), `log(${positive})`);
  }
});

test("exp and log handle the limits of their range", () => {
  assert.equal(exp(0), 1);
  assert.equal(exp(-746), 0);
  assert.equal(exp(710), Infinity);
  assert.equal(exp(Number.NEGATIVE_INFINITY), 0);
  assert.ok(Number.isNaN(exp(Number.NaN)));
  assert.equal(log(1), 0);
  assert.equal(log(0), -Infinity);
  assert.ok(Number.isNaN(log(-1)));
  assert.ok(near(log(5e-324), Math.log(5e-324)));
});

test("a sigmoid and its mirror image sum to one", () => {
  for (const x of [0, 1e-9, 3, 40, 800]) assert.ok(Math.abs(sigmoid(x) + sigmoid(-x) - 1) < 1e-15);
});

function near(ours: number, theirs: number): boolean {
  return ours === theirs || Math.abs(ours - theirs) <= Math.abs(theirs) * 2 ** -51 || Math.abs(theirs) < 1e-307;
}

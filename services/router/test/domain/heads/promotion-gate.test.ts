import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_TALLY } from "../../../src/domain/heads/head.ts";
import { passesGate, toShadowReport, wilsonLow } from "../../../src/domain/heads/promotion-gate.ts";

test("Wilson's lower bound matches a manual calculation", () => {
  assert.ok(Math.abs(wilsonLow(90, 100) - 0.82563) < 1e-5);
  assert.ok(Math.abs(wilsonLow(10, 10) - 0.72247) < 1e-5);
  assert.equal(wilsonLow(0, 10), 0);
});

test("requires 200 decisions and 90 % agreement, or labels in its favor", () => {
  const passes = (more: object) => passesGate({ ...NO_TALLY, ...more });
  assert.equal(passes({ n: 200, agreed: 180 }), true);
  assert.equal(passes({ n: 199, agreed: 199 }), false);
  assert.equal(passes({ n: 200, agreed: 179 }), false);
  assert.equal(passes({ n: 200, agreed: 0, labelled: 100, shadowCorrect: 92 }), true);
  assert.equal(passes({ n: 200, agreed: 0, labelled: 100, shadowCorrect: 91 }), false);
  assert.equal(passes({ n: 199, agreed: 0, labelled: 1000, shadowCorrect: 1000 }), false);
});

test("shares without counts are absent", () => {
  const { agreement, wilson_low } = toShadowReport(NO_TALLY);
  assert.deepEqual([agreement, wilson_low], [null, null]);
});

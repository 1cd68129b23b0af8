import assert from "node:assert/strict";
import { test } from "node:test";
import { thresholdFor } from "@triptych/decisions";
import type { RiskCurve } from "../../src/domain/engine.ts";
import { createThresholds } from "../../src/domain/thresholds.ts";
import { seeded, type Random } from "../support/seeded.ts";

/** Resembles a real calibration: errors become more frequent as confidence falls. */
function randomCurve(random: Random): RiskCurve {
  const hardness = random.next() ** 2;
  let wrong = 0;
  const rows = 20 + random.below(2000);
  const all = Array.from({ length: rows }, (_, row) => {
    if (random.chance(hardness * (0.05 + (row / rows) ** 2))) wrong += 1;
    return [1 - row / rows, row + 1, wrong] as const;
  });
  const step = Math.ceil(rows / 256);
  return all.filter((_, row) => row % step === step - 1);
}

test("a stricter error rate never needs less confidence, for any curve", () => {
  const random = seeded(31);
  for (let round = 0; round < 25; round++) {
    const curve = randomCurve(random);
    const thresholds = createThresholds(thresholdFor);
    const rates = Array.from({ length: 20 }, () => 0.001 + random.next() * 0.499).toSorted((a, b) => a - b);
    const found = rates.map((rate) => thresholds.of(curve, rate) ?? Infinity);
    assert.deepEqual(
      found,
      found.toSorted((a, b) => b - a),
      JSON.stringify(rates),
    );
  }
});

test("an error at high confidence does not block a looser error rate if a stricter one passes", () => {
  const curve: RiskCurve = Array.from({ length: 4 }, (_, point) => [1 - point / 400, (point + 1) * 5, 1]);
  assert.equal(thresholdFor(curve, 0.5), null);
  const thresholds = createThresholds(thresholdFor);
  assert.notEqual(thresholds.of(curve, 0.4), null);
  assert.equal(thresholds.of(curve, 0.5), thresholds.of(curve, 0.4));
});

test("without calibration rows there is no threshold", () => {
  assert.equal(createThresholds(thresholdFor).of([], 0.5), null);
});

test("computes the thresholds of a curve once", () => {
  let proofs = 0;
  const thresholds = createThresholds((curve, rate) => {
    proofs += 1;
    return thresholdFor(curve, rate);
  });
  const curve = randomCurve(seeded(3));
  thresholds.of(curve, 0.2);
  const first = proofs;
  for (let step = 0; step < 100; step++) thresholds.of(curve, 0.1 + step / 1000);
  assert.equal(proofs, first);
});

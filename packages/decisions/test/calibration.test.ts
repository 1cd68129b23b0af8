import assert from "node:assert/strict";
import * as fc from "fast-check";
import { test } from "node:test";
import { conformalSet, qhatOf, binomialAtMost, riskCurve, thresholdFor } from "../src/calibration/risk.ts";
import { fitConfidence, confidenceOf } from "../src/calibration/confidence.ts";
import { fitLogistic, fitStandardized, logisticOf } from "../src/calibration/logistic.ts";
import { fitTemperature } from "../src/calibration/temperature.ts";
import { areaUnderRoc, calibrationError, figuresOf } from "../src/evaluate/metrics.ts";
import { softmax } from "../src/head/logits.ts";
import { xorshift } from "../src/math/xorshift.ts";

test("the binomial tail equals the sum of its terms", () => {
  assert.ok(Math.abs(binomialAtMost(0, 10, 0.1) - 0.9 ** 10) < 1e-12);
  assert.ok(Math.abs(binomialAtMost(2, 4, 0.5) - 11 / 16) < 1e-12);
  assert.equal(binomialAtMost(4, 4, 0.5), 1);
  assert.ok(binomialAtMost(0, 100_000, 0.5) >= 0);
});

test("the requested error rate holds in at least 95 of 100 draws", () => {
  const random = xorshift(3);
  const draw = (n: number) => Array.from({ length: n }, () => random());
  // A row with confidence c is correct with probability c.
  const right = (confidence: readonly number[]) => confidence.map((c) => (random() < c ? 1 : 0));
  let withinRate = 0;
  const draws = 200;
  for (let round = 0; round < draws; round++) {
    const calibration = draw(600);
    const threshold = thresholdFor(riskCurve(calibration, right(calibration)), 0.1) ?? 1;
    // The true risk above t is the mean of 1 - c over c uniform in [t, 1].
    if ((1 - threshold) / 2 <= 0.1) withinRate++;
  }
  assert.ok(withinRate >= 0.93 * draws, `${withinRate} of ${draws}`);
});

test("returns no threshold for too few rows or too many errors", () => {
  assert.equal(thresholdFor(riskCurve([0.9, 0.8], [1, 1]), 0.05), null);
  const n = 200;
  const confidence = Array.from({ length: n }, (_, row) => row / n);
  assert.equal(
    thresholdFor(
      riskCurve(
        confidence,
        confidence.map(() => 0),
      ),
      0.2,
    ),
    null,
  );
  assert.equal(
    thresholdFor(
      riskCurve(
        confidence,
        confidence.map(() => 1),
      ),
      0.2,
    ),
    0,
  );
});

test("a few errors among the most confident of many rows do not end the sequence", () => {
  const confidence = Array.from({ length: 6000 }, (_, row) => 1 - row / 6000);
  const curve = riskCurve(
    confidence,
    confidence.map((_, row) => ([10, 20, 30].includes(row) ? 0 : 1)),
  );
  assert.equal(thresholdFor(curve, 0.02), confidence.at(-1));
});

test("a lower error target never lowers the threshold", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
      const random = xorshift(seed);
      const confidence = Array.from({ length: 300 }, () => random());
      const curve = riskCurve(
        confidence,
        confidence.map((c) => (random() < c ? 1 : 0)),
      );
      let before = Infinity;
      for (const errorRate of [0.02, 0.05, 0.1, 0.2, 0.4]) {
        const threshold = thresholdFor(curve, errorRate) ?? Infinity;
        assert.ok(threshold <= before);
        before = threshold;
      }
    }),
    { numRuns: 50 },
  );
});

test("a temperature corrects overconfident logits", () => {
  const random = xorshift(4);
  const classes = 4;
  const n = 4000;
  const logits = new Float64Array(n * classes);
  const labels = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    for (let c = 0; c < classes; c++) logits[row * classes + c] = 3 * (random() - 0.5);
    const p = softmax(logits.subarray(row * classes, (row + 1) * classes));
    let left = random();
    labels[row] = p.findIndex((share) => (left -= share) < 0);
    for (let c = 0; c < classes; c++) logits[row * classes + c] *= 5;
  }
  assert.ok(Math.abs(fitTemperature({ logits, labels, classes }) - 5) < 0.5);
});

test("a logistic regression finds its weights and keeps its sign constraints", () => {
  const random = xorshift(6);
  const n = 5000;
  const features = Float64Array.from({ length: 2 * n }, () => 2 * random() - 1);
  const targets = Array.from({ length: n }, (_, row) =>
    random() < 1 / (1 + Math.exp(-(0.5 + 2 * features[2 * row] - features[2 * row + 1]))) ? 1 : 0,
  );
  const free = fitLogistic({ features, width: 2, targets });
  assert.ok(
    Math.abs(free.bias - 0.5) < 0.2 && Math.abs(free.weights[0] - 2) < 0.3 && Math.abs(free.weights[1] + 1) < 0.3,
  );
  const constrained = fitLogistic({ features, width: 2, targets, rising: [0, 1] });
  assert.equal(constrained.weights[1], 0);
  assert.ok(logisticOf(constrained, [1, 0]) > logisticOf(constrained, [0, 0]));
});

test("confidence never falls if top probability, margin or scope rises", () => {
  const random = xorshift(8);
  const inputs = Array.from({ length: 500 }, () => {
    const top = 0.2 + 0.8 * random();
    return { top, margin: top * random(), scope: random() };
  });
  const map = fitConfidence(
    inputs,
    inputs.map(({ top }) => (random() < top ? 1 : 0)),
  );
  const at = (top: number, margin: number, scope: number) => confidenceOf(map, { top, margin, scope });
  for (const p of [0.3, 0.5, 0.7, 0.9]) {
    assert.ok(at(p + 0.05, 0.2, 0.5) >= at(p, 0.2, 0.5));
    assert.ok(at(0.6, p, 0.5) >= at(0.6, p - 0.1, 0.5));
    assert.ok(at(0.6, 0.2, p) >= at(0.6, 0.2, p - 0.1));
  }
});

test("a conformal set contains the right class at its stated rate", () => {
  const random = xorshift(10);
  const rows = (n: number) =>
    Array.from({ length: n }, () => {
      const p = softmax(Array.from({ length: 5 }, () => 4 * random()));
      let left = random();
      return { p, label: p.findIndex((share) => (left -= share) < 0) };
    });
  const qhat = qhatOf(
    rows(1000).map(({ p, label }) => p[label]),
    0.1,
  );
  const fresh = rows(4000);
  const covered = fresh.filter(({ p, label }) => conformalSet(p, qhat, p.indexOf(Math.max(...p))).includes(label));
  assert.ok(Math.abs(covered.length / fresh.length - 0.9) < 0.03);
  assert.equal(qhatOf([0.9, 0.8], 0.05), 1);
});

test("metrics equal those of a small table computed by hand", () => {
  const probabilities = Float64Array.of(0.8, 0.2, 0.4, 0.6, 0.7, 0.3, 0.1, 0.9);
  const figures = figuresOf({
    probabilities,
    classes: 2,
    labels: Int32Array.of(0, 1, 1, -1),
    confidence: Float64Array.of(0.8, 0.6, 0.7, 0.9),
  });
  assert.equal(figures.accuracy, 0.5);
  assert.ok(Math.abs(figures.macroF1 - 2 / 3) < 1e-12, "a row of no class is none of another");
  assert.ok(Math.abs(figures.nll + (Math.log(0.8) + Math.log(0.6) + Math.log(0.3)) / 3) < 1e-12);
  assert.equal(figures.wrongAt90, 1);
  assert.ok(Math.abs(figures.ece - Math.abs(0.75 - 0.5)) < 1e-12);
  assert.equal(calibrationError([], []), 0);
  assert.equal(areaUnderRoc([0.9, 0.8], [0.1, 0.8]), 0.875);
});

test("the units of a feature do not affect a logistic regression on one scale", () => {
  const random = xorshift(5);
  // The last feature is constant.
  const features = Float64Array.from({ length: 600 }, (_, at) => (at % 3 === 2 ? 7 : random()));
  const targets = Array.from({ length: 200 }, (_, row) => (features[3 * row] + random() > 1 ? 1 : 0));
  const inThousands = features.map((value, at) => (at % 3 === 0 ? value / 1000 : value));
  const first = fitStandardized({ features, width: 3, targets, ridge: 10 });
  const other = fitStandardized({ features: inThousands, width: 3, targets, ridge: 10 });
  const plain = fitLogistic({ features: inThousands, width: 3, targets, ridge: 10 });
  const at = (map: typeof first, set: Float64Array, row: number) => logisticOf(map, set.subarray(3 * row, 3 * row + 3));
  for (let row = 0; row < 200; row++)
    assert.ok(Math.abs(at(first, features, row) - at(other, inThousands, row)) < 1e-9, `row ${row}`);
  // If the ridge ignores the scale, the informative feature gets too little weight.
  assert.ok(Math.abs(plain.weights[0] / 1000) < first.weights[0] / 10);
});

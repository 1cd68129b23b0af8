/** `check` on 100 new samples of one distribution, and on samples with 3 % of the labels shifted. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { compare, type Baseline } from "../../src/measure/compare.ts";
import { figuresAt, thresholdOf, type JudgedRow } from "../../src/measure/figures.ts";
import { seeded, type Random } from "../support/seeded.ts";

const ROWS = 4000;
const MAX_ERROR = 0.02;

/** A calibrated table: an answer of confidence 0.9 is right in nine of ten rows. */
function draw(random: Random, shift: number): JudgedRow[] {
  return Array.from({ length: ROWS }, () => {
    const confidence = 1 - 0.9 * random.next() ** 4;
    const isRight = random.next() < confidence && random.next() >= shift;
    return { choice: "a", label: isRight ? "a" : "b", confidence, isOffered: true, model: "table" };
  });
}

describe("a lock of 4 000 rows", () => {
  const random = seeded(31);
  let threshold = 0;
  let baseline: Baseline;
  before(() => {
    const rows = draw(random, 0);
    threshold = thresholdOf(rows, MAX_ERROR) ?? 1;
    const figures = figuresAt(rows, threshold);
    baseline = { max_error: MAX_ERROR, figures, tolerance: { error_rate: 0, coverage: 0, ece: 0 } };
    assert.ok(figures.coverage > 0.5 && figures.error_rate <= MAX_ERROR);
  });
  const holds = (shift: number) =>
    compare(baseline, figuresAt(draw(random, shift), threshold), { isSameAnswers: false }).every((item) => item.holds);
  const count = (draws: number, shift: number) =>
    Array.from({ length: draws }, () => holds(shift)).filter(Boolean).length;

  test("passes on at least 95 of 100 new samples", () => {
    const held = count(100, 0);
    assert.ok(held >= 95, `${held} of 100`);
  });

  test("fails on every sample with 3 % of the labels shifted", () => {
    assert.equal(count(20, 0.03), 0);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { feedbackFigures } from "../../../src/domain/heads/feedback-figures.ts";

const rows = (count: number, confidence: number, right: number) =>
  Array.from({ length: count }, (_, index) => ({ confidence, isRight: index < right }));

test("statistics match a manual calculation", () => {
  const figures = feedbackFigures([...rows(20, 0.5, 5), ...rows(20, 0.9, 19)], 0.8);
  assert.deepEqual([figures.n, figures.accuracy], [40, 0.6]);
  // Two bins of twenty: 0.5 against 0.25, and 0.9 against 0.95.
  assert.ok(Math.abs((figures.ece ?? 1) - (0.5 * 0.25 + 0.5 * 0.05)) < 1e-12);
  assert.ok(Math.abs((figures.drift ?? 1) - 0.2) < 1e-12);
});

test("without rows there are no statistics, and without a report no drift", () => {
  assert.deepEqual(feedbackFigures([], 0.8), { n: 0, accuracy: null, ece: null, drift: null });
  assert.equal(feedbackFigures(rows(3, 0.5, 1), null).drift, null);
});

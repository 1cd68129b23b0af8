import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, monthOf, PLAN_TERMS, planAllowing } from "../../src/domain/plans.ts";

test("has the limits of section 1.1 for each plan", () => {
  const rows = Object.values(PLAN_TERMS).map((plan) => Object.values(plan).join(" "));
  assert.deepEqual(rows, [
    "false 0 100 5 20 3 1 1 1 30",
    "true 50 2000 50 200 20 4 1 2 90",
    "true 500 20000 1000 500  32 4 4 365",
  ]);
});

test("suggests the smallest plan with room for one more", () => {
  assert.deepEqual(
    [4, 5, 50, 1_000].map((current) => planAllowing("repos", current)),
    ["free", "pro", "team", null],
  );
});

test("starts months and days at midnight UTC", () => {
  const at = Date.parse("2026-12-31T23:59:59.999Z");
  assert.deepEqual(monthOf(at), { start: Date.parse("2026-12-01T00:00:00Z"), end: Date.parse("2027-01-01T00:00:00Z") });
  assert.deepEqual(dayOf(at), { start: Date.parse("2026-12-31T00:00:00Z"), end: Date.parse("2027-01-01T00:00:00Z") });
});

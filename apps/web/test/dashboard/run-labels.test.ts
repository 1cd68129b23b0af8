import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf } from "../../dashboard/src/labels/runs.ts";

const base = {
  state: "pushed",
  phase: "success",
  result: null,
  pr: null,
  kind: "maintain",
  diff: null,
  explore: null,
  warnings: [],
} as const;
const verified = (exitCode: number) => ({
  baseline: { exit_code: exitCode, duration_ms: 5, cached: false },
  attempts: [],
  gate: {
    cmd: "node gate.mjs",
    baseline: { exit_code: 1, duration_ms: 5 },
    result: { exit_code: 0, duration_ms: 5 },
    exit_code: 0,
    duration_ms: 5,
  },
  verdict: "passed" as const,
});
const sentenceOf = (exitCode: number) =>
  outcomeOf({ ...base, warnings: [], verify: verified(exitCode) })?.sentence ?? "";

test("reports checks that failed before only for a red verify command, not for a red gate", () => {
  assert.equal(sentenceOf(0), "The checks pass. The branch was pushed.");
  assert.equal(sentenceOf(1), "The checks failed before and pass now. The branch was pushed.");
});

test("does not point at candidates after an explore run without findings", () => {
  const counts = { confirmed: 0, fixed: 0, suppressed: 1, dropped_green: 1, unproved: 0, refused: 0 };
  const outcome = (proposed: number) =>
    outcomeOf({
      ...base,
      state: "succeeded",
      kind: "explore",
      warnings: [],
      verify: verified(0),
      explore: { checks_run: [], checks_skipped: [], proposed, ...counts },
    });
  assert.deepEqual([outcome(0)?.sentence, outcome(0)?.next], ["Explored the repository: no new candidates.", ""]);
  assert.deepEqual(
    [outcome(1)?.sentence, outcome(1)?.next],
    ["Explored the repository: 1 new candidate.", "Review the candidates."],
  );
});

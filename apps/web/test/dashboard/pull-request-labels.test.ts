import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf, followUpRefusal, mergeSummary } from "../../dashboard/src/labels/pull-requests.ts";
import { attentionLabel, outcomeOf } from "../../dashboard/src/labels/runs.ts";

test("offers no follow-up while one is in progress", () => {
  const runs = (...states: readonly ("queued" | "running" | "pushed" | "pr_open" | "failed")[]) => ({
    follow_ups: states.map((state, index) => ({ run_id: `run_${index}`, cause: "checks" as const, state })),
  });
  assert.equal(followUpRefusal(runs()), null);
  assert.equal(followUpRefusal(runs("pr_open", "failed")), null);
  for (const state of ["queued", "running", "pushed"] as const)
    assert.equal(followUpRefusal(runs("failed", state)), "A follow-up run is in progress.");
});

test("says what a merged pull request costs only if the cost is known", () => {
  const summary = (merge_rate_30d: number | null, cost_per_merged_pr_micro_30d: number | null) =>
    mergeSummary({ merge_rate_30d, cost_per_merged_pr_micro_30d });
  assert.equal(summary(null, null), null);
  assert.equal(summary(0.75, null), "75% of the pull requests that ended in the last 30 days were merged.");
  assert.match(summary(1, 120_000) ?? "", /^100% .* were merged, €0\.1200 per merged pull request\.$/);
});

test("names the next step for an open pull request, and another one after the last follow-up", () => {
  const pr = {
    number: 7,
    url: "https://git.example.org/7",
    state: "open" as const,
    draft: false,
    adopted: false,
    checks: { state: "failed" as const, failed: ["test"] },
    mergeable: null,
    review: "none" as const,
  };
  const verify = { baseline: null, attempts: [], gate: null, verdict: null };
  const run = { state: "pr_open", kind: "maintain", pr, verify, diff: null, explore: null, warnings: [] } as const;
  const open = outcomeOf({
    ...run,
    verify,
    warnings: [],
    phase: "success",
    result: { code: "ok", message: "", retryable: false },
  });
  assert.equal(open?.next, "Review and merge it on your Git host.");
  const result = { code: "follow_up_exhausted", message: "", retryable: false } as const;
  const exhausted = outcomeOf({ ...run, verify, warnings: [], phase: "attention", result });
  assert.equal(exhausted?.next, "Fix it yourself, or start another follow-up run.");
  assert.deepEqual(
    [attentionLabel({ state: "pr_open" }), attentionLabel({ state: "pushed" })],
    ["PR needs work", "PR missing"],
  );
});

test("treats an unknown cause in a form as failing checks", () => {
  assert.deepEqual(["review", "conflict", "x"].map(causeOf), ["review", "conflict", "checks"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { problems, type ProblemCode } from "@triptych/contracts";
import { detailOf } from "../../src/domain/domain-error.ts";

const VALUES = {
  feature: "explore",
  required_plan: "pro",
  current_plan: "free",
  required_scope: "write",
  limit: 5,
  current: 6,
  repo_id: "rep_1",
  revision: 8,
  run_id: "run_1",
  current_state: "selected",
  branch: "maint/run_1",
  candidate_id: "cnd_1",
  head_sha: "ab12",
  pr_url: "https://git.example/1",
  status_reason: "no route",
  forge_status: 500,
};
type Member = keyof typeof VALUES;

/** Problem codes and the members that their details must contain. */
const MEMBERS: Readonly<Partial<Record<ProblemCode, readonly Member[]>>> = {
  plan_required: ["required_plan", "current_plan"],
  scope_required: ["required_scope"],
  quota_exceeded: ["limit", "current", "required_plan"],
  repo_exists: ["repo_id"],
  revision_conflict: ["revision"],
  run_already_active: ["run_id", "current_state"],
  explore_already_active: ["run_id", "current_state"],
  run_not_cancellable: ["current_state"],
  run_not_pushed: ["current_state"],
  run_not_retryable: ["current_state"],
  candidate_not_proposed: ["current_state", "run_id"],
  pr_unsupported: ["branch"],
};

test("includes the values of members in error details", () => {
  for (const [code, members] of Object.entries(MEMBERS)) {
    const detail = detailOf(code as ProblemCode, VALUES) ?? "";
    for (const member of members) assert.ok(detail.includes(String(VALUES[member])), `${code}: ${detail}`);
  }
});

test("never mentions a response member by name in the text of a 403 or 409", () => {
  const more = ["repo_paused", "repo_unreachable", "candidate_rejected", "candidate_stale", "pr_closed"] as const;
  const codes = [...Object.keys(MEMBERS), ...more, "duplicate_patch", "effect_in_progress", "forge_error"];
  for (const code of codes as ProblemCode[])
    for (const text of [problems[code].explanation, detailOf(code, VALUES) ?? ""])
      for (const member of Object.keys(VALUES)) assert.ok(!text.includes(`\`${member}\``), `${code}: ${text}`);
});

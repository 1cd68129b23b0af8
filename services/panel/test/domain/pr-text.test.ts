import assert from "node:assert/strict";
import { test } from "node:test";
import { prTextOf } from "../../src/domain/pr-text.ts";
import type { ReviewComment } from "../../src/domain/records.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";

const reviewed = (approved: boolean, comments: readonly ReviewComment[]) => {
  const verify = { baseline: null, attempts: [], gate: null, verdict: "passed" as const };
  const facts = { verify, diff: null, warnings: [], review: { approved, comments } };
  return prTextOf({ id: "run_1", focus: "Repair the sum.", facts, order: { settings: DEFAULT_SETTINGS } });
};

test("a change that its reviewer did not approve is a draft that carries the open comments, in a fence that they cannot close", () => {
  const { body, isDraftAnyway } = reviewed(false, [
    { path: "sum.js", line: 3, text: "```\n@everybody this overflows" },
    { path: "", line: null, text: "No test." },
  ]);
  assert.ok(isDraftAnyway);
  assert.match(body, /\*\*Draft:\*\* nobody who reviewed/);
  assert.match(body, /\n````text\nsum\.js:3 {2}```\n@everybody this overflows\nNo test\.\n````/);
});

test("more comments than a forge would take are cut, and that is said", () => {
  const comments = Array.from({ length: 200 }, () => ({ path: "a", line: 1, text: "x".repeat(4_000) }));
  const { body } = reviewed(false, comments);
  assert.match(body, /the first 50 of 200/);
  assert.ok(body.length < 25_000, `${body.length}`);
});

test("an approved change says nothing of its review", () => {
  const { body, isDraftAnyway } = reviewed(true, [{ path: "a", line: 1, text: "Nice." }]);
  assert.ok(!isDraftAnyway);
  assert.doesNotMatch(body, /Draft|Nice/);
});

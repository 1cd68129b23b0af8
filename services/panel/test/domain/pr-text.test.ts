import assert from "node:assert/strict";
import { test } from "node:test";
import { VERDICTS } from "@triptych/contracts";
import { prTextOf } from "../../src/domain/pr-text.ts";
import type { ReviewComment, RunFacts } from "../../src/domain/records.ts";
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

const baseline = (exit_code: number) => ({ exit_code, duration_ms: 5, cached: false });
const green = { exit_code: 0, duration_ms: 790 };
const attempts = [{ n: 1, ...green, verify: green, gate: null }];

interface Judged {
  readonly verdict: RunFacts["verify"]["verdict"];
  readonly before?: number;
  readonly focus?: string;
}

function judged({ verdict, before = 0, focus = "Mend it." }: Judged, more: Partial<RunFacts> = {}) {
  const verify = { baseline: baseline(before), attempts, gate: null, verdict };
  const facts = { verify, diff: null, warnings: [], ...more };
  return prTextOf({ id: "run_1", focus, facts, order: { settings: DEFAULT_SETTINGS } });
}

test("only what passed is presented as finished; each other verdict says at the top what it is, as a draft", () => {
  const telling: Readonly<Record<string, RegExp>> = {
    passed: /^The checks pass\./,
    gate_only: /^\*\*Draft:\*\* the gate passes; .* still are\./,
    flaky: /^\*\*Draft:\*\* the checks failed once and passed/,
    skipped: /^\*\*Draft:\*\* .*nothing was checked/,
  };
  for (const verdict of [...VERDICTS, null]) {
    const { body, isDraftAnyway } = judged({ verdict });
    assert.equal(isDraftAnyway, verdict !== "passed", String(verdict));
    assert.match(body, telling[verdict ?? "skipped"] ?? /^\*\*Draft:\*\*/, String(verdict));
    assert.match(body, /\n<!-- panel-run: run_1 -->$/);
  }
});

test("what was red before is said to be fixed, checks and size are told, changed tests are pointed at", () => {
  const diff = { files: 2, insertions: 1, deletions: 3, patch_id: "9f" };
  const { body } = judged({ verdict: "passed", before: 1 }, { diff, warnings: ["tests_changed"] });
  assert.match(body, /^\*\*Fixed:\*\* the checks failed before this change and pass now\./);
  assert.match(body, /\| 1 \| 0 \| 790 ms \|/);
  assert.match(body, /2 files, 1 line added, 3 removed\./);
  assert.match(body, /tests that existed before were changed or deleted/);
});

test("a focus is data: it stands in a fence that it cannot close, and is one line of a title", () => {
  const focus = "Close #1 @ada\n````\n# Big <img src=x>\u0000\n";
  const { title, body } = judged({ verdict: "passed", focus });
  assert.equal(title, "Close #1 @ada");
  const [, fence = "", inside] = /\n(`{3,})text\n([\s\S]*)\n\1\n/.exec(body) ?? [];
  assert.equal(inside, focus);
  assert.ok(!focus.includes(fence));
  assert.equal(Array.from(judged({ verdict: "passed", focus: "😀".repeat(300) }).title).length, 120);
});

test("does not say that the checks failed when only the gate of a candidate did", () => {
  const before = { exit_code: 1, duration_ms: 5 };
  const gate = { cmd: "node gate.mjs", baseline: before, result: green };
  const verify = {
    baseline: baseline(0),
    attempts: [{ n: 1, ...green, verify: green, gate: green }],
    gate,
    verdict: "passed" as const,
  };
  const { body } = judged({ verdict: "passed" }, { verify });
  assert.match(body, /^The checks pass\./);
  assert.doesNotMatch(body, /fixed|failed before/i);
});

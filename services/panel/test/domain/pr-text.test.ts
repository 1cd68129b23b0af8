import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, constant, constantFrom, oneof, property, record, string } from "fast-check";
import { VERDICTS } from "@triptych/contracts";
import { PR_BODY_BYTES_MAX, prTextOf } from "../../src/domain/pr-text.ts";
import type { RunFacts } from "../../src/domain/records.ts";
import type { ReviewComment } from "../../src/domain/run-agents.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";

const SPEC = { verifyCmd: "npm test", settings: DEFAULT_SETTINGS };

const reviewed = (approved: boolean, comments: readonly ReviewComment[]) => {
  const verify = { baseline: null, attempts: [], gate: null, verdict: "passed" as const };
  const facts = { verify, diff: null, warnings: [], review: { approved, comments } };
  return prTextOf({ id: "run_1", focus: "Repair the sum.", facts, spec: SPEC });
};

test("marks an unapproved change as a draft and fences its open review comments", () => {
  const { body, isDraftAnyway } = reviewed(false, [
    { path: "sum.js", line: 3, text: "```\n@everybody this overflows" },
    { path: "", line: null, text: "No test." },
  ]);
  assert.ok(isDraftAnyway);
  assert.match(body, /\*\*Draft:\*\* no reviewer approved/);
  assert.match(body, /\n````text\nsum\.js:3 {2}```\n@everybody this overflows\nNo test\.\n````/);
});

test("truncates many comments and says so", () => {
  const comments = Array.from({ length: 200 }, () => ({ path: "a", line: 1, text: "x".repeat(4_000) }));
  const { body } = reviewed(false, comments);
  assert.match(body, /the first 50 of 200/);
  assert.ok(body.length < 25_000, `${body.length}`);
});

test("omits the review of an approved change", () => {
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
  return prTextOf({ id: "run_1", focus, facts, spec: SPEC });
}

test("presents only passed changes as finished, and others as drafts with the verdict", () => {
  const telling: Readonly<Record<string, RegExp>> = {
    passed: /^The checks pass\./,
    gate_only: /^\*\*Draft:\*\* the gate passes; .* still fail\./,
    flaky: /^\*\*Draft:\*\* the checks are flaky: they failed once and passed/,
    skipped: /^\*\*Draft:\*\* .*nothing was checked/,
  };
  for (const verdict of [...VERDICTS, null]) {
    const { body, isDraftAnyway } = judged({ verdict });
    assert.equal(isDraftAnyway, verdict !== "passed", String(verdict));
    assert.match(body, telling[verdict ?? "skipped"] ?? /^\*\*Draft:\*\*/, String(verdict));
    assert.match(body, /\n<!-- panel-run: run_1 -->$/);
  }
});

test("reports fixed checks, exit codes, size and changed tests", () => {
  const diff = { files: 2, insertions: 1, deletions: 3, patch_id: "9f" };
  const { body } = judged({ verdict: "passed", before: 1 }, { diff, warnings: ["tests_changed"] });
  assert.match(body, /^\*\*Fixed:\*\* the checks failed before this change and pass now\./);
  assert.match(body, /Test command: exit code 1 before, exit code 0 after \(0\.8 s\)\n\n```sh\nnpm test\n```/);
  assert.match(body, /2 files, 1 line added, 3 removed\./);
  assert.match(body, /edits or deletes existing tests/);
});

test("fences the focus in the body, and keeps the title on one line", () => {
  const focus = "Close #1 @ada\n````\n# Big <img src=x>\u0000\n";
  const { title, body } = judged({ verdict: "passed", focus });
  assert.equal(title, "Close #1 @ada");
  const [, fence = "", inside] = /\n(`{3,})text\n([\s\S]*)\n\1\n/.exec(body) ?? [];
  assert.equal(inside, focus);
  assert.ok(!focus.includes(fence));
});

test("does not say that the checks failed when only the gate of a candidate did", () => {
  const before = { exit_code: 1, duration_ms: 5 };
  const gate = { cmd: "node gate.mjs", baseline: before, result: green, ...green };
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

const CANDIDATE = {
  title: "Update mocha to 12.0.3 (from 3.5.3)",
  rationale: "mocha is nine majors behind.",
  evidence: [{ path: "package.json", line: 12, sha: "ab12", excerpt: '"mocha": "^3.5.3",\n"nyc": "1"' }],
};
const FOCUS =
  "Bring mocha from 3.5.3 to 12.0.3, in package.json and, where there is one, in the lock file. It is the newest.";

test("includes title, rationale, evidence, both commands, agent and link of a candidate", () => {
  const failed = { exit_code: 1, duration_ms: 1 };
  const slow = { exit_code: 0, duration_ms: 200_400 };
  const verify = {
    baseline: baseline(0),
    attempts: [
      { n: 1, ...failed, verify: green, gate: failed },
      { n: 2, ...green, verify: green, gate: slow },
    ],
    gate: { cmd: "triptych gate dep-at-least mocha 12.0.3", baseline: failed, result: slow, ...slow },
    verdict: "passed" as const,
  };
  const agents = [{ role: "coder" as const, cli: "codex", model: "gpt`-x" }];
  const facts = { verify, diff: null, warnings: [], agents };
  const spec = { ...SPEC, candidate: CANDIDATE };
  const { title, body } = prTextOf({ id: "run_1", focus: FOCUS, facts, spec }, "https://panel.example/");
  assert.equal(title, CANDIDATE.title);
  for (const part of [
    "Why:\n\n```text\nmocha is nine majors behind.\n```",
    'Evidence:\n\n```text\npackage.json:12  "mocha": "^3.5.3",\n```',
    "Test command: exit code 0 before, exit code 0 after (0.8 s)\n\n```sh\nnpm test\n```",
    "Gate: exit code 1 before, exit code 0 after (3 min 20 s)\n\n```sh\ntriptych gate dep-at-least mocha 12.0.3\n```",
    "Agent: `codex` with `gpt-x` (coder)",
    "Run: https://panel.example/runs/run_1\\\nSigned statement: https://panel.example/api/runs/run_1/statement",
  ])
    assert.ok(body.includes(part), `${part}\n---\n${body}`);
});

const USAGE = {
  input_tokens: 2_000,
  cached_tokens: 0,
  output_tokens: 100,
  cost_micro: 12_300,
  turns: 2,
  cost_source: "reported" as const,
  by_role: {},
};
const PUSHED = { base: { branch: "main", sha: "ab12" }, headSha: "cd34", usage: USAGE };

test("states commits, agent version, usage and attempts", () => {
  const agents = [{ role: "coder" as const, cli: "codex", version: "0.169.0", model: "gpt-x" }];
  const { body } = judged({ verdict: "passed" }, { ...PUSHED, agents });
  for (const part of [
    "Base: `ab12`, head: `cd34`",
    "Agent: `codex` `0.169.0` with `gpt-x` (coder)",
    "Usage: 2100 tokens (2000 in, 100 out), EUR 0.0123 (reported)",
    "Attempts at the checks: 1",
  ])
    assert.ok(body.includes(part), `${part}\n---\n${body}`);
  const unknown = judged({ verdict: "passed" }, { ...PUSHED, usage: { ...USAGE, cost_micro: null } });
  assert.match(unknown.body, /\(2000 in, 100 out\), cost unknown/);
  const repaired = { ...PUSHED, agents: [{ role: "coder" as const, cli: "mend", model: null }] };
  const { body: withoutModel } = judged({ verdict: "passed" }, repaired);
  assert.match(withoutModel, /^No model was used\.\\?$/m);
  assert.doesNotMatch(withoutModel, /Usage:/);
});

const withLogs = (before: string | null, after: string | null) => {
  const verify = { baseline: baseline(1), attempts, gate: null, verdict: "passed" as const };
  const facts = { verify, diff: null, warnings: [], ...PUSHED };
  const none = { before: null, after: null };
  return prTextOf({ id: "run_1", focus: "Mend it.", facts, spec: SPEC }, "https://panel.example", {
    verify: { before, after },
    gate: none,
  }).body;
};

test("folds the last 40 lines of the logs before and after the change", () => {
  const lines = Array.from({ length: 60 }, (_, n) => `line ${n + 1}`).join("\n");
  const body = withLogs(`${lines}\n`, "all good\n");
  assert.ok(
    body.includes(
      "<details><summary>Test command: last 40 lines before the change</summary>\n\n```text\nline 21\nline 22\n",
    ),
    body,
  );
  assert.ok(body.includes("line 60\n```\n\n</details>"));
  assert.ok(body.includes("after the change</summary>\n\n```text\nall good\n```\n\n</details>"));
});

/** The body without the content of its fenced blocks, as CommonMark delimits them. */
function outsideFences(body: string): string {
  let fence: string | null = null;
  return body
    .split(/\r\n|\r|\n/)
    .filter((line) => {
      const [, ticks] = /^ {0,3}(`{3,})[^`]*$/.exec(line) ?? [];
      if (fence === null) {
        fence = ticks ?? null;
        return true;
      }
      const isEnd = ticks !== undefined && ticks.length >= fence.length && line.trim() === ticks;
      if (isEnd) fence = null;
      return isEnd;
    })
    .map((line) => line.replace(/^`{3,}/, "```"))
    .join("\n");
}

test("lets a hostile log change nothing outside its block", () => {
  const hostile = constantFrom(
    "```\n</details>\n# Merged by the owner\n",
    "`".repeat(9_000),
    "\n````text\n",
    "<img src=x onerror=alert(1)>",
    "<!-- panel-run: run_2 -->",
    "\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007",
    "\u202egnp.exe\u2066",
    "@everyone closes #1",
    "\r\n~~~\r",
    "\u0000\u0008\u009b31m",
    "漢".repeat(9_000),
    "\ud800",
  );
  const log = array(oneof(hostile, string({ unit: "binary" })), { maxLength: 60 }).map((parts) => parts.join(""));
  const benign = outsideFences(withLogs("ok", "ok"));
  assertProperty(
    property(log, log, (before, after) => {
      const body = withLogs(before, after);
      assert.equal(outsideFences(body), benign);
      assert.ok(Buffer.byteLength(body) <= PR_BODY_BYTES_MAX);
      assert.doesNotMatch(body, /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
    }),
    { numRuns: 200 },
  );
});

test("cuts the beginning of a 10 MB log, and marks the cut", () => {
  const body = withLogs(null, `${"x".repeat(10_000_000)}\nlast line`);
  assert.match(body, /\n```text\n\[shortened\]\nx+\nlast line\n```\n/);
  assert.ok(Buffer.byteLength(body) < 8 * 1024);
});

test("keeps title and body within the limits of every forge, whatever the input", () => {
  const text = oneof(string({ unit: "grapheme" }), constantFrom("`".repeat(9_000), "漢".repeat(9_000), "```"));
  const long = (most: number) => text.map((character) => character.repeat(200).slice(0, most).toWellFormed());
  const comment = record({ path: text, line: constant(null), text: long(4_000) });
  const parts = record({
    focus: long(4_000),
    command: long(2_000),
    rationale: long(2_000),
    title: long(120),
    excerpt: long(2_000),
    path: long(1_000),
    prefix: long(100),
    comments: array(comment, { maxLength: 60 }),
  });
  assertProperty(
    property(parts, ({ focus, command, rationale, title, excerpt, path, prefix, comments }) => {
      const gate = { cmd: command, baseline: null, result: green, ...green };
      const facts = {
        verify: { baseline: null, attempts, gate, verdict: "passed" as const },
        diff: null,
        warnings: ["tests_changed"],
        review: { approved: false, comments },
      };
      const evidence = Array.from({ length: 10 }, () => ({ path, line: 1, sha: null, excerpt }));
      const settings = { ...DEFAULT_SETTINGS, pr: { ...DEFAULT_SETTINGS.pr, title_prefix: prefix } };
      const spec = { verifyCmd: command, settings, candidate: { title, rationale, evidence } };
      const tails = { before: comments.map(({ text }) => text).join(""), after: focus };
      const logs = { verify: tails, gate: tails };
      const agents = Array.from({ length: 20 }, () => ({
        role: "coder" as const,
        cli: path,
        version: path,
        model: path,
      }));
      const about = { id: "run_1", focus, facts: { ...facts, ...PUSHED, agents }, spec };
      const made = prTextOf(about, "https://panel.example", logs);
      assert.ok(Buffer.byteLength(made.body) <= PR_BODY_BYTES_MAX, `${Buffer.byteLength(made.body)}`);
      assert.ok(Array.from(made.title).length <= 72 && made.title.trim() !== "");
    }),
    { numRuns: 60 },
  );
});

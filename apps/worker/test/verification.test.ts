import assert from "node:assert/strict";
import { test } from "node:test";
import { readScript } from "../src/index.ts";
import { coderPrompt } from "../src/phases/team/prompts.ts";
import { createMatcher, judgeChanges, readAdded, readDiffSize, warningsOf, type Change } from "@triptych/change-policy";
import { judgeBaseline, verdictOf, type Check, type Checks, type Verdict } from "../src/run/verdict.ts";

/** `verify` and `gate` as two letters: g green, r red, - none. */
function checks(color: string): Checks {
  const read = (letter: string): Check => (letter === "g" ? "green" : letter === "r" ? "red" : "none");
  return { verify: read(color[0]), gate: read(color[1]) };
}

const table: readonly (readonly [baseline: string, attempts: readonly string[], Verdict])[] = [
  ["g-", ["g-"], "passed"],
  ["r-", ["g-"], "passed"],
  ["gr", ["gg"], "passed"],
  ["rr", ["gg"], "passed"],
  ["--", ["g-"], "passed"],
  ["g-", ["r-"], "failed"],
  ["--", ["r-"], "failed"],
  ["gr", ["gr"], "failed"],
  ["gr", ["rg"], "failed"],
  ["rr", ["rr"], "failed"],
  ["rr", ["gr"], "failed"],
  ["r-", ["r-"], "baseline_broken"],
  ["r-", ["r-", "r-"], "baseline_broken"],
  ["rr", ["rg"], "gate_only"],
  ["-r", ["-g"], "passed"],
  ["-r", ["-r"], "failed"],
  ["g-", ["r-", "g-"], "flaky"],
  ["r-", ["r-", "g-"], "flaky"],
  ["rr", ["gr", "gg"], "flaky"],
  ["--", ["--"], "skipped"],
  ["--", [], "skipped"],
];
for (const [baseline, attempts, verdict] of table)
  test(`returns ${verdict} for ${baseline} before and ${attempts.join(" then ") || "nothing"} after`, () => {
    assert.equal(verdictOf(checks(baseline), attempts.map(checks)), verdict);
  });

test("compares the base with the state that the gate declares", () => {
  assert.equal(judgeBaseline(checks("gg"), "must_fail"), "gate_not_red");
  assert.equal(judgeBaseline(checks("gr"), "must_fail"), "go_on");
  assert.equal(judgeBaseline(checks("gr"), "must_pass"), "baseline_broken");
  assert.equal(judgeBaseline(checks("gg"), "must_pass"), "go_on");
  assert.equal(judgeBaseline(checks("gg"), "none"), "go_on");
});

test("matches folders, names with dots and newlines by globs, and no name that only shares a prefix", () => {
  const matches = createMatcher([".github/**", "src/*.ts", "docs", "**/secret?.txt"]);
  for (const path of [
    ".github/workflows/a.yml",
    ".GitHub/x",
    "src/.a.ts",
    "docs/a/b",
    "docs",
    "a/b\nc/secret1.txt",
    "secret2.txt",
  ])
    assert.ok(matches(path), path);
  for (const path of [".githubx/a", "src/a/b.ts", "docs2/a", "x/.github/a", "secret12.txt"])
    assert.ok(!matches(path), path);
});

const change = (path: string, changes: Partial<Change> = {}): Change => ({
  path,
  modeBefore: "100644",
  modeAfter: "100644",
  linksTo: null,
  ...changes,
});
const policy = { protectedPaths: [".github/**"], limits: { maxChangedFiles: 2, maxDiffLines: 10 } };

test("reports every violation of a change, the most severe first, with quoted names", () => {
  const link = { modeAfter: "120000", linksTo: "../../etc" };
  const changes = [
    change("a\nb", link),
    change("x/.GIT/config"),
    change(".github/a"),
    change("m", { modeAfter: "160000" }),
  ];
  const violations = judgeChanges(changes, { files: 4, insertions: 6, deletions: 5 }, policy);
  assert.deepEqual(
    violations.map(({ code, message }) => `${code} ${message}`),
    [
      'policy_violation "a\\nb" links outside the tree',
      'policy_violation "x/.GIT/config" is inside a .git folder',
      'policy_violation "m" is a nested repository',
      'protected_path ".github/a" is protected by the repository settings',
      "diff_too_large 4 files changed; the limit is 2",
      "diff_too_large 11 changed lines; the limit is 10",
    ],
  );
});

test("does not count lines of lock files against the line limit", () => {
  const limits = { maxChangedFiles: 2, maxDiffLines: 10 };
  const size = readDiffSize(["900\t700\tpackages/a/package-lock.json", "1\t1\tpackage.json"]);
  assert.deepEqual(size, { files: 2, insertions: 901, deletions: 701, lockLines: 1_600 });
  assert.deepEqual(judgeChanges([], size, { protectedPaths: [], limits }), []);
  const [violation] = judgeChanges([], readDiffSize(["9\t2\tnot-a-yarn.lock.js"]), { protectedPaths: [], limits });
  assert.equal(violation?.message, "11 changed lines; the limit is 10");
});

test("allows a link within the tree, and a null cap limits nothing", () => {
  const links = ["../b", "./c/../../b", "d/e"].map((linksTo) => change("a/l", { modeAfter: "120000", linksTo }));
  const open = { protectedPaths: [], limits: { maxChangedFiles: null, maxDiffLines: null } };
  assert.deepEqual(judgeChanges(links, { files: 1e6, insertions: 1e9, deletions: 0 }, open), []);
  for (const linksTo of ["/etc", "../../b", "c/../../../b", ".git/config"])
    assert.equal(
      judgeChanges([change("a/l", { modeAfter: "120000", linksTo })], { files: 1, insertions: 1, deletions: 0 }, open)
        .length,
      1,
    );
});

test("warns about a changed test, but not about a new one", () => {
  for (const path of ["test/a.js", "a.test.ts", "pkg/test_a.py", "a_test.go", "test.js", "src/__tests__/x.js"]) {
    assert.deepEqual(warningsOf([change(path)]), ["tests_changed"], path);
    assert.deepEqual(warningsOf([change(path, { modeBefore: "000000" })]), []);
  }
  assert.deepEqual(warningsOf([change("src/latest.ts"), change("contest/a.js")]), []);
});

test("counts added lines that look like diff headers", () => {
  const diff =
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,3 @@\n-old\n+++ b/y\n+@@ -0,0 +1 @@\n+key\n\\ No newline at end of file\n";
  assert.deepEqual(readAdded(diff), [{ path: "x", text: "++ b/y\n@@ -0,0 +1 @@\nkey", lines: [1, 2, 3] }]);
});

test("prints an added file's name with accents unchanged and control characters quoted", () => {
  const added = (name: string) => readAdded(`--- /dev/null\n+++ ${name}\n@@ -0,0 +1 @@\n+x\n`)[0]?.path;
  assert.deepEqual(["b/département/été.txt", "b/a b.txt\t", String.raw`"b/a\t\"b\".txt"`].map(added), [
    "département/été.txt",
    "a b.txt",
    String.raw`"a\t\"b\".txt"`,
  ]);
});

test("uses a fence longer than any in the text", () => {
  const nothing = { verifyCommand: null, plan: null, redOutput: null, comments: [], conventions: [] };
  const prompt = coderPrompt({ focus: "Do", memories: ["```\n# Task"], ...nothing });
  assert.match(prompt, /\n````\n```\n# Task\n````\n/);
});

test("rejects an invalid script with all its errors", () => {
  const rounds = [[{ do: "write", path: "../x", text: 1 }], [{ do: "delay", ms: -1 }]];
  assert.throws(
    () => readScript({ rounds }),
    (error: unknown) => {
      assert.ok(error instanceof Error);
      for (const pointer of ["/rounds/0/0/path", "/rounds/0/0/text", "/rounds/1/0/ms"])
        assert.ok(error.message.includes(pointer), error.message);
      return true;
    },
  );
  assert.throws(() => readScript({ rounds: [[{ do: "dance" }]], extra: true }), /extra.*\/rounds\/0\/0\/do/);
  assert.doesNotThrow(() => readScript({ rounds: [[{ do: "delete", path: "a..b/c" }]] }));
});

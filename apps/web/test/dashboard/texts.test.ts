import assert from "node:assert/strict";
import { test } from "node:test";
import { patchOf, differences, pointerOf } from "../../dashboard/src/screens/repo/settings-patch.ts";
import { LIMITS } from "../../dashboard/src/screens/repo/limit-fields.ts";
import { FOLLOW_UP, PULL_REQUEST, WORK } from "../../dashboard/src/screens/repo/settings-fields.ts";
import { parseDiff } from "../../dashboard/src/labels/diff.ts";
import { cutLine, plainText } from "../../dashboard/src/labels/plain-text.ts";

test("removes color codes and replaces control characters with visible ones", () => {
  assert.equal(plainText("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x"), "red x");
  assert.equal(plainText("a\r\nb\tc\u0000\u0008\u001b"), "a\nb\tc\u2400\u2408\u241b");
  assert.equal(plainText("user\u202Etxt.exe\u2066"), "user[U+202E]txt.exe[U+2066]");
  assert.equal(plainText("<b>é 漢</b>"), "<b>é 漢</b>");
});

test("truncates a long line and reports the omitted length", () => {
  assert.deepEqual(cutLine("x".repeat(10), 4), { text: "xxxx", left: 6 });
  assert.deepEqual(cutLine("short", 10), { text: "short", left: 0 });
});

test("parses a diff into files with numbered lines, and header-like lines in a hunk as lines", () => {
  const diff = [
    "diff --git a/src/a.js b/src/a.js",
    "index f2ff781..e76b3b3 100644",
    "--- a/src/a.js",
    "+++ b/src/a.js",
    "@@ -1,3 +1,3 @@",
    " one",
    "-two",
    "--- not a head",
    "+three",
    "+++ nor this",
    "diff --git a/old.js b/new name.js",
    "similarity index 100%",
    "rename from old.js",
    "rename to new name.js",
    "diff --git a/x.bin b/x.bin",
    "new file mode 100644",
    "Binary files /dev/null and b/x.bin differ",
    "",
  ].join("\n");
  const [first, second, third] = parseDiff(diff);
  assert.deepEqual([first?.path, first?.insertions, first?.deletions], ["src/a.js", 2, 2]);
  assert.deepEqual(
    first?.lines.slice(1).map(({ sign, before, after, text }) => [sign, before, after, text]),
    [
      [" ", 1, 1, "one"],
      ["-", 2, null, "two"],
      ["-", 3, null, "-- not a head"],
      ["+", null, 2, "three"],
      ["+", null, 3, "++ nor this"],
    ],
  );
  assert.deepEqual([second?.path, second?.note], ["new name.js", "was old.js"]);
  assert.deepEqual([third?.path, third?.note], ["x.bin", "binary"]);
  assert.deepEqual(parseDiff("").length, 0);
});

test("unquotes file names from git, except for escapes of control characters", () => {
  const diff = [
    'diff --git "a/a \\"b\\"\\t.js" "b/a \\"b\\"\\t.js"',
    '--- "a/a \\"b\\"\\t.js"',
    '+++ "b/a \\"b\\"\\t.js"',
    "@@ -1 +1 @@",
    "-one",
    "+two",
    'diff --git a/old.js "b/back\\\\slash.js"',
    'rename from "old\\n.js"',
    'diff --git "a/d\\303\\251partement/\\303\\251t\\303\\251.txt" "b/d\\303\\251partement/\\303\\251t\\303\\251.txt"',
    "deleted file mode 100644",
    "diff --git a/département/été.txt b/département/été.txt",
  ].join("\n");
  assert.deepEqual(
    parseDiff(diff).map(({ path, note }) => [path, note]),
    [
      [String.raw`a "b"\t.js`, ""],
      ["back\\slash.js", String.raw`was old\n.js`],
      ["département/été.txt", "removed"],
      ["département/été.txt", ""],
    ],
  );
});

const SEEN = {
  name: "acme",
  focus: "Keep it well.",
  verify_cmd: null,
  verify: { setup_cmd: null, timeout_s: 900, retries: 1, baseline: true },
  limits: { timeout_s: 3_600, max_cost_micro: 2_000_000, max_tokens: 5 },
  pr: { auto: true, draft: true, labels: ["maintenance"], reviewers: [], title_prefix: "" },
};

test("sends only changed settings, each in the format of its kind", () => {
  const typed: Record<string, string> = {
    name: "acme",
    focus: "Keep it well.",
    verify_cmd: "npm test",
    "verify.timeout_s": "60",
    "verify.retries": "1",
    "verify.baseline": "",
    "limits.timeout_s": "3600",
    "limits.max_cost_micro": "0,5",
    "limits.max_tokens": "",
    "pr.auto": "on",
    "pr.draft": "on",
    "pr.labels": " bot \n\nmaintenance",
  };
  const fields = [...WORK.fields, ...LIMITS.fields.slice(0, 4), ...PULL_REQUEST.fields];
  const changes = differences(fields, SEEN, ({ path }) => typed[path] ?? "");
  assert.deepEqual(patchOf(changes), {
    verify_cmd: "npm test",
    verify: { timeout_s: 60, baseline: false },
    limits: { max_cost_micro: 500_000, max_tokens: null },
    pr: { labels: ["bot", "maintenance"] },
  });
  assert.equal(pointerOf("limits.max_tokens"), "/limits/max_tokens");
});

test("sends an invalid number as typed, so that the panel can report it", () => {
  const [timeout] = WORK.fields.filter(({ path }) => path === "verify.timeout_s");
  assert.deepEqual(patchOf(differences(timeout === undefined ? [] : [timeout], SEEN, () => "soon")), {
    verify: { timeout_s: "soon" },
  });
});

test("sends checked boxes in a fixed order, and only if they changed", () => {
  const seen = { follow_up: { enabled: false, max_attempts: 3, on: ["review", "checks"], ignore_label: "no-agent" } };
  const typed = (on: string) => (field: { readonly path: string }) =>
    ({ "follow_up.on": on, "follow_up.max_attempts": "3", "follow_up.ignore_label": "no-agent" })[field.path] ?? "";
  const sent = (on: string) => patchOf(differences(FOLLOW_UP.fields, seen, typed(on)));
  assert.deepEqual(sent("checks\nreview"), {});
  assert.deepEqual(sent("checks\nconflict"), { follow_up: { on: ["checks", "conflict"] } });
  assert.deepEqual(sent(""), { follow_up: { on: [] } });
});

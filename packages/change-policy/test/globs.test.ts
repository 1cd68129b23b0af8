import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, constantFrom, property } from "fast-check";
import { createMatcher, globIssue, judgeChanges } from "../src/index.ts";

/** The matcher before 0.2.0: it supported `*`, `?` and `**`, and matched everything else literally. */
function earlierMatcher(glob: string): (path: string) => boolean {
  const trimmed = glob.replace(/^\.?\/+/, "").replace(/\/+$/, "");
  const source = trimmed.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    if (part === "**/") return "(?:[^]*/)?";
    if (part === "**") return "[^]*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replaceAll(/[\\^$.+()[\]{}|/-]/g, "\\$&");
  });
  const pattern = new RegExp(`^${source}(?:/[^]*)?$`, "i");
  return (path) => pattern.test(path);
}

const LITERALS = ["a", "b", "A", ".x", "-", "+", "(", ")", "@", "|", "$", "^", "#", " ", ",", "é", "\n"];

function isPath(text: string): boolean {
  return text.split("/").every((name) => !["", ".", ".."].includes(name));
}

test("matches old globs as earlier releases did, plus the folder itself", () => {
  const globs = array(constantFrom(...LITERALS, "*", "**", "?", "/", "/"), { minLength: 1, maxLength: 7 });
  const paths = array(constantFrom(...LITERALS, "/", "/"), { minLength: 1, maxLength: 7 });
  assertProperty(
    property(globs, array(paths, { minLength: 4, maxLength: 4 }), (parts, candidates) => {
      const glob = parts.join("").replaceAll(/\*{3,}/g, "**");
      if (globIssue(glob) !== null) return;
      const [matches, earlier] = [createMatcher([glob]), earlierMatcher(glob)];
      for (const path of candidates.map((segments) => segments.join("")).filter(isPath)) {
        const folder = glob.replace(/\/\*\*\/*$/, "");
        const expected = earlier(path) || (folder !== glob && createMatcher([folder])(path));
        assert.equal(matches(path), expected, JSON.stringify([glob, path]));
      }
    }),
    { numRuns: 5_000, seed: 27 },
  );
});

const PROTECTED: readonly (readonly [glob: string, path: string])[] = [
  [".github/{workflows,actions}/**", ".GitHub/actions/build/action.yml"],
  ["src/[ab].ts", "src/b.ts"],
  ["src/[!ab].ts", "src/c.ts"],
  ["src/[^a-c].ts", "src/d.ts"],
  ["config.{yml,yaml}", "config.yaml"],
  ["{ci,deploy}", "deploy/run.sh"],
  ["{a*,b?}/x", "bc/x"],
  ["app/[id]/page.tsx", "app/[id]/page.tsx"],
  ["app/(site)/**", "app/(site)/page.tsx"],
  ["{a,b}", "{a,b}"],
  ["**.key", "deep/er/server.key"],
  ["docs**", "docs-old/x"],
  ["a**z", "ab/c/yz"],
  [".github/**", ".github"],
  [".github/**", ".github/workflows/a\nb.yml"],
  ["**", "any/path"],
];
for (const [glob, path] of PROTECTED)
  test(`a change of ${JSON.stringify(path)} is protected by ${glob}`, () => {
    const change = { path, modeBefore: "100644", modeAfter: "100644", linksTo: null };
    const policy = { protectedPaths: [glob], limits: { maxChangedFiles: null, maxDiffLines: null } };
    const violations = judgeChanges([change], { files: 1, insertions: 1, deletions: 0 }, policy);
    assert.deepEqual(
      violations.map(({ code }) => code),
      ["protected_path"],
    );
  });

test("does not match similar paths", () => {
  const pairs = [
    ["src/[ab].ts", "src/c.ts"],
    ["src/[!ab].ts", "src/a.ts"],
    [".github/{workflows,actions}/**", ".github/other/x"],
    ["{a,b}.ts", "c.ts"],
    ["[a-c]", "d"],
    ["a/*/c", "a/b/d/c"],
  ] as const;
  for (const [glob, path] of pairs) assert.equal(createMatcher([glob])(path), false, `${glob} ${path}`);
});

const UNREADABLE = [
  "a{b",
  "a}b",
  "{a}",
  "{a,}",
  "{,a}",
  "{a,{b,c}}",
  "{a/b,c}",
  "[a",
  "a]",
  "[]",
  "[b-a]",
  "**/[",
  "a[b/c]d",
  "[[...slug]]",
  "+(a|b).ts",
  "!(a).ts",
  "@(a|b)",
  "!docs/**",
  "a\\*b",
  "a//b",
  "../a",
  "a/./b",
  "/",
  "",
  "a\0b",
  "*a*b*c*",
  "a**b**c**d**e",
  "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
  "x".repeat(201),
];
for (const glob of UNREADABLE)
  test(`rejects the glob ${JSON.stringify(glob.slice(0, 40))}, and protects every path if it is already stored`, () => {
    assert.notEqual(globIssue(glob), null);
    assert.ok(createMatcher([glob])("any/path"));
  });

test("an invalid stored glob allows no new files, and is named in the issue", () => {
  const change = { path: "sum.js", modeBefore: "000000", modeAfter: "100644", linksTo: null };
  const policy = { protectedPaths: ["a{b"], mayAddIn: ["a{b"], limits: { maxChangedFiles: 1, maxDiffLines: 1 } };
  const violations = judgeChanges([change], { files: 1, insertions: 1, deletions: 0 }, policy);
  assert.deepEqual(
    violations.map(({ code }) => code),
    ["protected_path", "protected_path"],
  );
  assert.match(violations[0]?.message ?? "", /"a\{b" .* brace/);
});

test("matches an adversarial path in bounded time", () => {
  const pairs = [
    ["**/a/**/a/**/a/**/b", `${"a/".repeat(2_000)}c`],
    ["**/*a*a*b/**/*a*a*b/**/c", `${`${"a".repeat(255)}/`.repeat(16)}d`],
    ["**a**a**b", `${"a".repeat(255)}/`.repeat(16) + "c"],
    ["{aa*,a}{aa*,a*}b", "a".repeat(255)],
  ] as const;
  const begun = process.cpuUsage();
  for (const [glob, path] of pairs) assert.equal(createMatcher([glob])(path), false, glob);
  const used = process.cpuUsage(begun);
  assert.ok(used.user < 5_000_000, `${used.user} us`);
});

test("rejects a name that exceeds the file system limit", () => {
  const change = { path: `a/${"b".repeat(256)}`, modeBefore: "000000", modeAfter: "100644", linksTo: null };
  const policy = { protectedPaths: [], limits: { maxChangedFiles: null, maxDiffLines: null } };
  const [violation] = judgeChanges([change], { files: 1, insertions: 1, deletions: 0 }, policy);
  assert.equal(violation?.code, "policy_violation");
});

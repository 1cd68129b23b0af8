/** Behavior of the tests on a machine where a required tool is missing or does not start. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Tests without requirements, and a file per tool, all in one process as in `npm test`. */
const FILES = [
  "packages/redaction/test/redaction.test.ts",
  "test/pages.long.test.ts",
  "services/panel/test/store/copy-panel.test.ts",
  "apps/worker/test/sandbox/readers.test.ts",
];
const NEED_TOOL = [
  "every page in a browser",
  "moves the deliveries of runs together with their rows, to PostgreSQL and back",
  "leaves the tree unchanged by 8 readers that try to write",
];

test("skips exactly the tests whose tool (browser, PostgreSQL, bubblewrap) does not start", async () => {
  const { code, skipped, failed, passed } = await runWithoutTools({});
  assert.deepEqual(skipped, NEED_TOOL.toSorted());
  assert.deepEqual(failed, []);
  assert.ok(passed > 0);
  assert.equal(code, 0);
});

test("fails exactly these tests in CI", async () => {
  const { code, skipped, failed, passed } = await runWithoutTools({ CI: "true" });
  assert.deepEqual(skipped, []);
  assert.deepEqual(failed, NEED_TOOL.toSorted());
  assert.ok(passed > 0);
  assert.equal(code, 1);
});

async function runWithoutTools(variables: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "missing-tools-"));
  try {
    for (const program of ["bwrap", "initdb", "postgres"])
      writeFileSync(join(folder, program), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const { CI: _inherited, NODE_TEST_CONTEXT: _context, ...inherited } = process.env;
    const path = `${folder}${delimiter}${inherited["PATH"] ?? ""}`;
    const env = { ...inherited, PATH: path, CHROMIUM: join(folder, "bwrap"), POSTGRES_BIN: folder, ...variables };
    const child = spawn(process.execPath, ["--test", "--test-isolation=none", "--test-timeout=60000", ...FILES], {
      cwd: ROOT,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (report += text));
    const [code] = await once(child, "close");
    const [tests = ""] = report.split("✖ failing tests:");
    return {
      code: Number(code),
      skipped: namesOf(tests, "﹣"),
      failed: namesOf(tests, "✖"),
      passed: Number(/^ℹ pass (\d+)$/m.exec(report)?.[1]),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Names of the top-level tests and suites with this mark in the report. */
function namesOf(report: string, mark: string): readonly string[] {
  return Array.from(report.matchAll(new RegExp(`^${mark} (.*?) \\(\\d`, "gm")), ([, name = ""]) => name).toSorted();
}

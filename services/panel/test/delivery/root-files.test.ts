import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { detectCommands } from "../../src/repo-reachability/detect-commands.ts";
import { readRootFiles } from "../../src/repo-reachability/root-files.ts";
import { panelGit } from "../../src/git/git.ts";
import { git } from "../support/delivery-fixture.ts";

async function detect(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "detect-"));
  try {
    await git(folder, "init", "--quiet", ".");
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    await git(folder, "add", "--all");
    await git(folder, "commit", "--quiet", "--message=First");
    return detectCommands(await readRootFiles(panelGit(join(folder, ".git")), "HEAD"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("reads test scripts of workspace members from a commit", async () => {
  const workspaces = JSON.stringify({ workspaces: ["packages/*"] });
  const member = JSON.stringify({ scripts: { test: "node --test" } });
  const files = { "package.json": workspaces, "package-lock.json": "{}", "packages/a/package.json": member };
  assert.deepEqual(await detect(files), { setup_cmd: "npm ci", verify_cmd: "npm test --workspaces --if-present" });
  assert.equal((await detect({ ...files, "packages/a/package.json": "{}" })).verify_cmd, null);
});

test("reads the head of a lock file, names in tests/ and a folder with the name of a file", async () => {
  const lock = `__metadata:\n  version: 8\n${"x".repeat(2 * 1024 * 1024)}\n`;
  const manifest = JSON.stringify({ dependencies: { a: "1" } });
  const berry = await detect({ "package.json": manifest, "yarn.lock": lock, "Makefile/readme": "test:\n" });
  assert.equal(berry.setup_cmd, "npx --yes @yarnpkg/cli-dist@4 install --immutable");
  const python = await detect({ "setup.py": "", "tests/test_a.py": "" });
  assert.equal(python.verify_cmd, ".venv/bin/python -m pytest");
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createGit, readTextFiles } from "@triptych/git";

const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const PATHS = [
  "AGENTS.md",
  "CLAUDE.md",
  "CONTRIBUTING.md",
  ".github/CONTRIBUTING.md",
  ".github/PULL_REQUEST_TEMPLATE.md",
];

function makeRepository(write: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), "text-files-"));
  write(folder);
  const run = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.test", ...args], { cwd: folder });
  run("init", "--quiet", "--template=");
  run("add", "--all");
  run("commit", "--quiet", "--message=First");
  const sha = run("rev-parse", "HEAD").toString().trim();
  return {
    read: (bytesMax = 100) =>
      readTextFiles(createGit({ gitFolder: join(folder, ".git"), environment }), { sha, paths: PATHS, bytesMax }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test("reads text files of a commit in the requested order, ignoring the case of their names", async () => {
  using repository = makeRepository((folder) => {
    mkdirSync(join(folder, ".github"));
    writeFileSync(join(folder, ".github", "pull_request_template.md"), "## What\n");
    writeFileSync(join(folder, "AGENTS.md"), "Run the tests.\n");
    writeFileSync(join(folder, "README.md"), "no\n");
  });
  assert.deepEqual(await repository.read(), [
    { path: "AGENTS.md", text: "Run the tests.\n" },
    { path: ".github/pull_request_template.md", text: "## What\n" },
  ]);
});

test("truncates a long file, and skips links, folders, binary files and files in a linked folder", async () => {
  using repository = makeRepository((folder) => {
    writeFileSync(join(folder, "AGENTS.md"), "x".repeat(500));
    symlinkSync("/etc/passwd", join(folder, "CLAUDE.md"));
    writeFileSync(join(folder, "CONTRIBUTING.md"), "text\0with a zero");
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs", "CONTRIBUTING.md"), "linked\n");
    symlinkSync("docs", join(folder, ".github"));
  });
  assert.deepEqual(await repository.read(), [{ path: "AGENTS.md", text: "x".repeat(100) }]);
});

test("returns an empty list for a commit without these files", async () => {
  using repository = makeRepository((folder) => writeFileSync(join(folder, "README.md"), "# Sum\n"));
  assert.deepEqual(await repository.read(), []);
});

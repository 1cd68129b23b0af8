import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createGit, gitEnvironment, GitError } from "@triptych/git";

const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const git = createGit({ gitFolder: "/dev/null", environment });

test("git sees only the settings passed to it: lists repeat a key, and added settings come last", () => {
  const settings = { "core.fsync": "all", "transfer.hideRefs": ["refs", "!refs/heads/main"] };
  const env = gitEnvironment({ environment, settings });
  const lines = execFileSync("git", ["config", "--list"], { cwd: "/", env, encoding: "utf8" }).trim().split("\n");
  for (const line of ["core.fsync=all", "core.hookspath=/dev/null", "credential.helper=", "protocol.allow=never"])
    assert.ok(lines.includes(line), line);
  assert.deepEqual(lines.slice(-2), ["transfer.hiderefs=refs", "transfer.hiderefs=!refs/heads/main"]);
  assert.equal(lines.length, Number(env["GIT_CONFIG_COUNT"]));
});

test("a failure contains the command, its exit code and git's message", async () => {
  await assert.rejects(git.run(["rev-parse", "--verify", "HEAD"]), (error) => {
    assert.ok(error instanceof GitError);
    assert.equal(error.exitCode, 128);
    assert.match(error.message, /^git rev-parse failed \(exit code 128\): fatal: not a git repository/);
    return true;
  });
});

test("an aborted command throws the signal's reason", async () => {
  const reason = new Error("cancelled");
  const controller = new AbortController();
  const running = git.run(["hash-object", "--no-filters", "/dev/zero"], { signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(running, reason);
  await assert.rejects(git.run(["version"], { signal: controller.signal }), reason);
});

test("a command with a file size limit cannot write a larger file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "git-"));
  try {
    const bare = createGit({ gitFolder: join(folder, "bare.git"), environment });
    await bare.run(["init", "--quiet", "--bare"]);
    const path = join(folder, "large");
    await writeFile(path, Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * index) % 251)));
    const settings = { "core.compression": "0" };
    await assert.rejects(bare.run(["hash-object", "-w", path], { settings, fileBytes: 4096 }), GitError);
    assert.match((await bare.run(["hash-object", "-w", path], { settings })).toString("latin1"), /^[0-9a-f]{40}\n$/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

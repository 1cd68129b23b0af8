import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Agent } from "../src/index.ts";
import { git, makeRepository } from "./support/repository.ts";
import { runStory } from "./support/run-story.ts";
import { createCommandAgent } from "../src/agents/command.ts";

const CHECK = { command: "grep -qx both text.txt", setupCommand: null, timeoutS: 60, retries: 0, baseline: true };

/** `maint/run_0` and `main` both edit the same line; `other.txt` is new on main. */
function openConflict(head: string, base: string) {
  const repository = makeRepository({ "text.txt": "first\n" });
  const tree = join(repository.folder, "tree");
  git(repository.folder, "clone", "--quiet", repository.bare, tree);
  const commit = (branch: string, files: Readonly<Record<string, string>>) => {
    git(tree, "checkout", "--quiet", "-B", branch, repository.sha);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(tree, name), text);
    git(tree, "add", "--all");
    git(tree, "commit", "--quiet", "--message=Change");
    git(tree, "push", "--quiet", "--force", "origin", branch);
    return git(tree, "rev-parse", "HEAD");
  };
  const main = commit("main", { "text.txt": base, "other.txt": "other\n" });
  const sha = commit("maint/run_0", { "text.txt": head, "own.txt": "own\n" });
  const followUp = { merge: "main", evidence: [] };
  const clone = { repository: "sum", url: repository.url, branch: "maint/run_0", sha, bearer: null };
  return { repository, main, sha, request: { clone, followUp, verify: CHECK, focus: "Resolve conflicts with `main`" } };
}

const member = (command: readonly string[]) => ({ cli: "command", model: null, command: [...command] });
const shell = (script: string) => ["/bin/sh", "-c", script];
const agentOf = (script: string): Agent => createCommandAgent(shell(script));

test("lets an agent resolve the conflicts and delivers one merge commit", async () => {
  const { repository, main, sha, request } = openConflict("ours\n", "theirs\n");
  await using _ = repository;
  const script = "grep -q '^<<<<<<<' text.txt && echo both > text.txt";
  const { outcome } = await runStory(repository, { agent: agentOf(script), member: member(shell(script)), request });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.equal(outcome.diff.files, 1);
  const parents = git(join(repository.folder, "tree"), "fetch", outcome.bundle.path, "maint/run_01");
  assert.equal(parents, "");
  const listed = git(join(repository.folder, "tree"), "rev-list", "--parents", "-n1", "FETCH_HEAD");
  assert.deepEqual(listed.split(" "), [outcome.headSha, sha, main]);
  const names = git(join(repository.folder, "tree"), "ls-tree", "--name-only", "FETCH_HEAD");
  assert.deepEqual(names.split("\n"), ["other.txt", "own.txt", "text.txt"]);
});

test("needs no agent if the branches merge cleanly and the checks pass", async () => {
  const { repository, main, sha, request } = openConflict("both\n", "first\n");
  await using _ = repository;
  const script = "exit 1";
  const { outcome } = await runStory(repository, { agent: agentOf(script), member: member(shell(script)), request });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  git(join(repository.folder, "tree"), "fetch", "--quiet", outcome.bundle.path, "maint/run_01");
  const listed = git(join(repository.folder, "tree"), "rev-list", "--parents", "-n1", "FETCH_HEAD");
  assert.deepEqual(listed.split(" "), [outcome.headSha, sha, main]);
});

test("fails as merge_conflict if conflict markers remain", async () => {
  const { repository, request } = openConflict("ours\n", "theirs\n");
  await using _ = repository;
  const script = "echo both >> text.txt";
  const { outcome } = await runStory(repository, { agent: agentOf(script), member: member(shell(script)), request });
  assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
  assert.equal(outcome.code, "merge_conflict");
});

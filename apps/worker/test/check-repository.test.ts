/** Setup and checks get a `.git` at the base commit; their writes to it are discarded. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createCommandAgent } from "../src/index.ts";
import type { IsolationOptions } from "../src/run/run-request.ts";
import { inSandbox, isolation } from "./sandbox/open-sandbox.ts";
import { NO_MODELS } from "./support/no-models.ts";
import { git, makeRepository, RED_FILES, VERIFY } from "./support/repository.ts";
import { runStory } from "./support/run-story.ts";

/** Setup asserts the state of a clean checkout, then tries to change history, settings, hooks and the borrowed objects. */
const setupAt = (sha: string) =>
  [
    "set -e",
    `test "$(git rev-parse HEAD)" = ${sha}`,
    'test "$(git rev-parse --abbrev-ref HEAD)" = main',
    // The agent's change is unstaged.
    'test -z "$(git status --porcelain | grep -v "^ M sum.mjs$")"',
    'test "$(git log -1 --format=%s)" = First',
    "git ls-files --error-unmatch sum.mjs",
    'test "$(git describe)" = v1.2.0',
    'test "$(git describe --tags --match "light*")" = light-1',
    'test -z "$(git tag --list elsewhere)"',
    'test -z "$(git remote)"',
    "git config core.hooksPath .husky/_",
    "git config user.name Eve && git config user.email eve@example.test",
    "echo planted > planted.txt && git add planted.txt && git commit --quiet --no-verify -m Planted",
    "rm planted.txt",
    'objects=$(cat .git/objects/info/alternates); echo "writable: $(touch "$objects/planted" 2>/dev/null && echo yes || echo no)"',
    "rm -f $objects/planted",
  ].join("\n");

/** Each command gets a new one; after the change the index is still that of the base. */
const VERIFY_WITH_GIT = [
  "set -e",
  'test "$(git log -1 --format=%s)" = First',
  'test "$(git config --local core.hooksPath)" = /dev/null',
  "git status --porcelain | grep -q planted && exit 1",
  VERIFY,
  'test "$(git diff --name-only)" = sum.mjs',
].join("\n");

/** An annotated and a lightweight tag on the branch, and one outside its history. */
function tag({ bare, sha }: Awaited<ReturnType<typeof makeRepository>>): void {
  const tree = git(bare, "rev-parse", "main^{tree}");
  git(bare, "tag", "--annotate", "--message=Release", "v1.2.0", sha);
  git(bare, "tag", "light-1", sha);
  git(bare, "tag", "elsewhere", git(bare, "commit-tree", "-m", "Apart", tree));
}

const AGENT = createCommandAgent([
  "/bin/sh",
  "-c",
  "test ! -e .git && sed -i 's/a - b/a + b/' sum.mjs && mkdir .git && echo x > .git/planted",
]);

for (const level of ["worktree", "sandbox"] as const)
  test(
    `gives setup and checks a .git at the base, of their own: ${level}`,
    level === "sandbox" ? inSandbox : {},
    async () => {
      await using repository = makeRepository(RED_FILES);
      tag(repository);
      const isolationOptions: IsolationOptions = { levelRequired: level, network: "model_only", allowHosts: [] };
      const { outcome, items } = await runStory(repository, {
        agent: AGENT,
        ...(level === "sandbox" && { createSandbox: isolation.sandboxes(NO_MODELS) }),
        request: {
          isolation: isolationOptions,
          verify: {
            command: VERIFY_WITH_GIT,
            setupCommand: setupAt(repository.sha),
            timeoutS: 60,
            retries: 0,
            baseline: true,
          },
        },
      });
      assert.ok(outcome.kind === "delivered", JSON.stringify([outcome, items]));
      if (level === "sandbox") assert.ok(items.some(({ text }) => text.includes("writable: no")));
      const quarantine = join(repository.folder, "quarantine.git");
      git(repository.folder, "clone", "--quiet", "--bare", repository.bare, quarantine);
      git(quarantine, "fetch", "--quiet", outcome.bundle.path, `refs/heads/${outcome.branch}:refs/heads/arrived`);
      assert.equal(git(quarantine, "diff", "--name-only", "main", "arrived"), "sum.mjs");
      assert.equal(git(quarantine, "rev-parse", "arrived^"), repository.sha);
    },
  );

/** Dependencies in runs: installed once, restored for later runs and verdicts, and never from what an agent wrote. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { createCommandAgent, createScriptedAgent, readScript } from "../../src/index.ts";
import type { RunRequest } from "../../src/run/run-request.ts";
import { LOCKED_FILES, openTestDependencies, type TestDependencies } from "../support/dependency-cache.ts";
import { makeRepository, RED_FILES, VERIFY, type TestRepository } from "../support/repository.ts";
import { runStory, type Story, type StoryOptions } from "../support/run-story.ts";
import { scoutOn } from "../support/explore-story.ts";
import { inSandbox, isolation } from "../sandbox/open-sandbox.ts";
import { NO_MODELS } from "../support/no-models.ts";

const FILES = { ...RED_FILES, ...LOCKED_FILES };
const REPAIR = { do: "replace", path: "sum.mjs", find: "a - b", with: "a + b" };
const scripted = (...steps: readonly object[]) => createScriptedAgent(readScript({ rounds: [steps] }), async () => {});
const CHECKED = `grep -q installed node_modules/a/index.js && ${VERIFY}`;
const verifyOf = (setupCommand: string, command = CHECKED): Partial<RunRequest> => ({
  verify: { command, setupCommand, timeoutS: 60, retries: 0, baseline: true },
});

function storyWith(dependencies: TestDependencies) {
  let count = 0;
  return (repository: TestRepository, options: Partial<StoryOptions> = {}) =>
    runStory(repository, {
      agent: scripted(REPAIR),
      request: verifyOf("npm ci"),
      dependencies: dependencies.tools,
      hostEnvironment: dependencies.hostEnvironment,
      folder: `run-${count++}`,
      ...options,
    });
}

const messages = ({ items }: Story) =>
  items.filter(({ text }) => text.startsWith("Dependencies")).map(({ text }) => text);

test("installs once, then restores for every later run and for verdicts, and says so", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const run = storyWith(dependencies);
  const request = verifyOf("npm ci && echo ready > built");
  const first = await run(repository, { request });
  assert.equal(first.outcome.kind, "delivered", JSON.stringify(first.outcome));
  assert.equal(dependencies.installs(), 1);
  assert.match(
    messages(first).join("\n"),
    /^Dependencies cached \(package-lock\.json, \d+\.\d s\)\nDependencies restored/,
  );
  const second = await run(repository, { request });
  assert.equal(second.outcome.kind, "delivered");
  assert.equal(dependencies.installs(), 1);
  assert.match(messages(second)[0] ?? "", /^Dependencies restored from cache \(package-lock\.json, \d+\.\d s\)$/);
});

test("installs again if the change touches the lock file", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const agent = scripted(REPAIR, { do: "replace", path: "package-lock.json", find: "1.0.0", with: "1.0.1" });
  const { outcome } = await storyWith(dependencies)(repository, { agent });
  assert.equal(outcome.kind, "delivered", JSON.stringify(outcome));
  assert.equal(dependencies.installs(), 2);
  await dependencies.settled();
  assert.equal(readdirSync(dependencies.cacheFolder).length, 1);
});

test("runs any other setup command again for a change, and restores it for the same commit", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const run = storyWith(dependencies);
  const request = verifyOf("npm install");
  await run(repository, { request });
  assert.equal(dependencies.installs(), 2);
  const { outcome } = await run(repository, { request });
  assert.equal(outcome.kind, "delivered");
  assert.equal(dependencies.installs(), 3);
});

test("keeps an agent's changes of installed dependencies out of later runs", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const run = storyWith(dependencies);
  const poison = "echo poisoned > node_modules/a/index.js; echo x > node_modules/b; sed -i 's/a - b/a + b/' sum.mjs";
  const first = await run(repository, { agent: createCommandAgent(["/bin/sh", "-c", poison]) });
  assert.equal(first.outcome.kind, "delivered", JSON.stringify(first.outcome));
  const second = await run(repository, {
    agent: createCommandAgent(["/bin/sh", "-c", "cat node_modules/a/index.js; ls node_modules"]),
  });
  const printed = second.items.filter(({ from }) => from.role === "coder").map(({ text }) => text);
  assert.match(printed.join(""), /^installed\na\n/);
  assert.doesNotMatch(printed.join(""), /poisoned|^b$/m);
  assert.equal(dependencies.installs(), 1);
});

test("installs again after an agent without a sandbox wrote into the cache", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const run = storyWith(dependencies);
  const script = `for f in '${dependencies.cacheFolder}'/*/tree/node_modules/a/index.js; do echo poisoned0 > "$f"; done; sed -i 's/a - b/a + b/' sum.mjs`;
  const first = await run(repository, { agent: createCommandAgent(["/bin/sh", "-c", script]) });
  // Its own verdict does not use the changed entry either.
  assert.equal(first.outcome.kind, "delivered", JSON.stringify(first.outcome));
  assert.equal(dependencies.installs(), 2);
  const second = await run(repository);
  assert.equal(second.outcome.kind, "delivered");
  assert.equal(dependencies.installs(), 3);
});

test("restores the clean entry after an agent without a sandbox wrote into the spare copies", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const run = storyWith(dependencies);
  await run(repository);
  await dependencies.settled();
  // Waits until the spare copy that replaces the one of this run is there.
  const script = `cd '${dependencies.cacheFolder}'/*/ && while ! test -e ready-tree/seal; do sleep 0.05; done
    echo poisoned0 > ready-tree/files/node_modules/a/index.js && cd - && sed -i 's/a - b/a + b/' sum.mjs`;
  const first = await run(repository, { agent: createCommandAgent(["/bin/sh", "-c", script]) });
  assert.equal(first.outcome.kind, "delivered", JSON.stringify(first.outcome));
  assert.equal(dependencies.installs(), 1);
});

test("hides the cache from an agent in a sandbox", inSandbox, async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder, { isProtected: true });
  const setup = "mkdir -p node_modules/a && echo installed > node_modules/a/index.js";
  const { outcome, items } = await storyWith(dependencies)(repository, {
    agent: createCommandAgent(["/bin/sh", "-c", `ls '${dependencies.cacheFolder}' || sed -i 's/a - b/a + b/' sum.mjs`]),
    request: { ...verifyOf(setup), isolation: { levelRequired: "sandbox", network: "none", allowHosts: [] } },
    createSandbox: isolation.sandboxes(NO_MODELS),
  });
  assert.equal(outcome.kind, "delivered", JSON.stringify(outcome));
  assert.ok(items.some(({ text }) => text.startsWith("Dependencies cached")));
});

const UNCACHED: readonly (readonly [string, string, RegExp | null])[] = [
  ["a failed setup", "npm ci && exit 3", null],
  [
    "a setup that changes a tracked file",
    "npm install && echo x >> sum.test.sh",
    /not cached: the setup command changed 1 tracked files$/,
  ],
];
for (const [what, command, reason] of UNCACHED)
  test(`does not keep the result of ${what}`, async () => {
    await using repository = makeRepository(FILES);
    await using dependencies = await openTestDependencies(repository.folder);
    // Pinned by its commit, so that the whole command is the install.
    const request = verifyOf(command.replace("npm ci", "npm install"));
    const story = await storyWith(dependencies)(repository, { request });
    assert.deepEqual(readdirSync(dependencies.cacheFolder), []);
    if (reason === null) assert.deepEqual(messages(story), []);
    else assert.match(messages(story).join(), reason);
  });

test("keeps nothing to restore for a setup that creates nothing", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  const run = storyWith(dependencies);
  for (let count = 0; count < 2; count++) {
    const { outcome } = await run(repository, { request: verifyOf("true", VERIFY) });
    assert.equal(outcome.kind, "delivered", JSON.stringify(outcome));
  }
});

test("restores for an explore run", async () => {
  await using repository = makeRepository(FILES);
  await using dependencies = await openTestDependencies(repository.folder);
  await storyWith(dependencies)(repository);
  const { outcome, items } = await scoutOn(repository, {
    request: { ...verifyOf("npm ci"), isolation: { levelRequired: "worktree", network: "open", allowHosts: [] } },
    dependencies: dependencies.tools,
    hostEnvironment: dependencies.hostEnvironment,
  });
  assert.equal(outcome.kind, "found", JSON.stringify(outcome));
  assert.equal(dependencies.installs(), 1);
  assert.ok(items.some(({ text }) => text.startsWith("Dependencies restored from cache")));
});

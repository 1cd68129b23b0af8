/** The gate of an update and its repair: with options, against a loopback registry, by the real npm where it is installed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findProgram } from "../../src/agents/find-program.ts";
import { AT_BASE, GATE_AT, gateLine } from "../../src/scouts/gate-command/gate-protocol.ts";
import { askGate } from "../../src/scouts/gate-command/gate.ts";
import { createMend } from "../../src/scouts/mend/mend.ts";
import { planRepair } from "../../src/scouts/mend/plan-repair.ts";
import { foundBy, scoutOn } from "../support/explore-story.ts";
import { inFolder, inFolderPath, type Files } from "../support/inspect.ts";
import { startNpmRegistry, type Published } from "../support/npm-registry.ts";
import { git, makeRepository } from "../support/repository.ts";
import { runStory } from "../support/run-story.ts";

const skip = (await findProgram("npm", process.env)) === undefined ? "npm is not in PATH" : false;

const PACKAGES: Readonly<Record<string, Published>> = {
  left: {
    versions: {
      "1.0.0": {},
      "1.2.0": { dependencies: { deep: "^1.0.0" } },
      "1.3.0": { dependencies: { deep: "^1.0.0" } },
    },
    age: { "1.0.0": 900, "1.2.0": 100, "1.3.0": 2 },
  },
  "@acme/right": { versions: { "2.0.0": {}, "2.0.9": {} }, age: { "2.0.0": 900, "2.0.9": 30 } },
  deep: { versions: { "1.0.0": {}, "1.0.1": {} }, age: { "1.0.0": 50, "1.0.1": 1 } },
};
const manifestOf = (dependencies: Readonly<Record<string, string>>) =>
  `${JSON.stringify({ name: "app", version: "1.0.0", dependencies }, null, 2)}\n`;
const lockOf = (versions: Readonly<Record<string, string>>) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]),
    ),
  });

test("fails a gate with --min-age for a newer version that is too young, but not at the base", async () => {
  await using registry = await startNpmRegistry({ ...PACKAGES, dateless: { versions: { "1.0.0": {}, "1.1.0": {} } } });
  const ask = async (used: string, more: Readonly<Record<string, string>> = {}, name = "left") => {
    const files: Files = {
      "package.json": manifestOf({ [name]: "^1.0.0" }),
      "package-lock.json": lockOf({ [name]: used }),
    };
    const environment = { npm_config_registry: registry.address, ...more };
    return inFolderPath(files, (folder) =>
      askGate(["dep-at-least", name, "1.1.0", "--min-age", "7"], { folder, environment }),
    );
  };
  assert.deepEqual(await ask("1.0.0"), { code: 1, message: "left is older than 1.1.0." });
  assert.deepEqual(await ask("1.1.0"), { code: 0, message: "left is 1.1.0 or newer." });
  assert.deepEqual(registry.requests, []);
  assert.equal((await ask("1.2.0")).code, 0);
  const young = { code: 1, message: "left is at 1.3.0: it was released less than 7 days ago. Use 1.1.0." };
  assert.deepEqual(await ask("1.3.0"), young);
  assert.equal((await ask("1.3.0", { [GATE_AT]: AT_BASE })).code, 0);
  assert.match(
    (await ask("1.2.0", {}, "dateless")).message,
    /its age of at least 7 days cannot be checked\. Use 1\.1\.0\./,
  );
  const unreachable = await ask("1.2.0", { npm_config_registry: "http://127.0.0.1:1" });
  assert.deepEqual(
    [unreachable.code, unreachable.message],
    [1, "left is at 1.2.0: its age of at least 7 days cannot be checked (the npm registry is unreachable). Use 1.1.0."],
  );
});

test("checks each manifest that a gate names, and rejects bad options with exit code 2", async () => {
  const files: Files = {
    "one/package.json": manifestOf({ left: "1.2.0" }),
    "two/package.json": manifestOf({ left: "1.0.0" }),
    "other/package.json": manifestOf({}),
  };
  await inFolderPath(files, async (folder) => {
    const ask = (...args: string[]) => askGate(["dep-at-least", "left", "1.2.0", ...args], { folder, environment: {} });
    assert.equal((await ask("--in", "one/package.json", "--in", "other/package.json")).code, 0);
    assert.equal((await ask("--in", "one/package.json", "--in", "two/package.json")).code, 1);
    assert.deepEqual(await ask(), { code: 1, message: "package.json is missing or invalid." });
    for (const bad of [
      ["--in"],
      ["--min-age"],
      ["--min-age", "x"],
      ["--min-age", "-1"],
      ["--other"],
      ["--in", "one/package.json", "left"],
    ])
      assert.equal((await ask(...bad)).code, 2, bad.join(" "));
  });
});

test("plans exact pins for an update with a minimum age, and keeps ranges that include the version", async () => {
  const lock = lockOf({ left: "1.0.0", "@acme/right": "2.0.0" });
  const plan = async (left: string, args: readonly string[], more: Files = {}) =>
    inFolder(
      { "package.json": manifestOf({ left, "@acme/right": "~2.0.0" }), "package-lock.json": lock, ...more },
      (tree) =>
        planRepair(gateLine("dep-at-least", "left", "1.2.0", "@acme/right", "2.0.9", ...args), { tree, year: 2030 }),
    );
  const repair = await plan("^1.0.0", ["--min-age", "7"]);
  assert.deepEqual(repair?.edits, [
    { path: "package.json", text: manifestOf({ left: "^1.2.0", "@acme/right": "~2.0.9" }) },
  ]);
  assert.deepEqual(repair?.pins?.edits, [
    { path: "package.json", text: manifestOf({ left: "1.2.0", "@acme/right": "2.0.9" }) },
  ]);
  assert.equal((await plan("^1.0.0", []))?.pins, null);
  const kept = await plan("1.x", []);
  assert.deepEqual(kept?.edits, [{ path: "package.json", text: manifestOf({ left: "1.x", "@acme/right": "~2.0.9" }) }]);
  assert.notEqual(kept?.pins, null);
  assert.equal(await plan("git+https://example.test/left.git", []), null);
  const classic = await plan("^1.0.0", ["--min-age", "7"], {
    "package-lock.json": "",
    "yarn.lock": "# yarn lockfile v1\n",
  });
  assert.equal(classic, null, "two lock files");
});

test("restores the ranges in a yarn lock file after an update to exact versions", async () => {
  const rename = async (yarn: string, lock: string) => {
    const repair = await inFolder({ "package.json": manifestOf({ left: "^1.0.0" }), "yarn.lock": yarn }, (tree) =>
      planRepair(gateLine("dep-at-least", "left", "1.2.0", "--min-age", "7"), { tree, year: 2030 }),
    );
    assert.ok(repair?.pins != null);
    return repair.pins.ranges.reduce((text, pin) => repair.lockTool?.renameRange?.(text, pin) ?? text, lock);
  };
  assert.equal(
    await rename(
      '# yarn lockfile v1\n\n\nleft@^1.0.0:\n  version "1.0.0"\n',
      '# yarn lockfile v1\n\n\nleft@1.2.0, left@^1.1.0:\n  version "1.2.0"\n\nbig-left@1.2.0:\n',
    ),
    '# yarn lockfile v1\n\n\nleft@^1.2.0, left@^1.1.0:\n  version "1.2.0"\n\nbig-left@1.2.0:\n',
  );
  assert.equal(
    await rename(
      '__metadata:\n  version: 8\n\n"left@npm:^1.0.0":\n  version: 1.0.0\n',
      '"left@npm:1.2.0":\n  version: 1.2.0\n',
    ),
    '"left@npm:^1.2.0":\n  version: 1.2.0\n',
  );
});

test("proves a group by its gate: red before, green after, all packages, no young version", { skip }, async () => {
  await using registry = await startNpmRegistry(PACKAGES);
  const lock = lockOf({ left: "1.0.0", "@acme/right": "2.0.0" });
  await using repository = makeRepository({
    "package.json": manifestOf({ left: "^1.0.0", "@acme/right": "~2.0.0" }),
    "package-lock.json": lock,
  });
  const { candidates } = foundBy(
    await scoutOn(repository, {
      request: { checks: ["deps_outdated"], deps: { minReleaseAgeDays: 7, group: "minor" } },
      today: Date.now(),
      outside: { fetch, registryAddress: async () => registry.address },
    }),
  );
  assert.deepEqual(
    candidates.map(({ title, gate, gate_proof, mendable }) => [title, gate.cmd, gate_proof.exit_code, mendable]),
    [["Update @acme/right and left", "triptych gate dep-at-least @acme/right 2.0.9 left 1.2.0 --min-age 7", 1, true]],
  );
  const command = candidates[0]?.gate.cmd ?? "";
  const run = (agent: Parameters<typeof runStory>[1]["agent"]) =>
    runStory(repository, {
      agent,
      request: {
        verify: { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
        gate: { command, baseline: "must_fail", timeoutS: 60, frozenPaths: [] },
      },
    });
  const { outcome } = await run(createMend(command, { year: 2030, registryAddress: async () => registry.address }));
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.equal(outcome.report.verdict, "passed");
  const there = `${repository.folder}/there.git`;
  git(repository.folder, "clone", "--quiet", "--bare", repository.bare, there);
  git(there, "fetch", "--quiet", outcome.bundle.path, `refs/heads/${outcome.branch}:refs/heads/arrived`);
  const locked = JSON.parse(git(there, "show", "arrived:package-lock.json"));
  const versionOf = (name: string) => locked.packages[`node_modules/${name}`].version;
  assert.deepEqual(["left", "@acme/right", "deep"].map(versionOf), ["1.2.0", "2.0.9", "1.0.0"]);
  assert.deepEqual(JSON.parse(git(there, "show", "arrived:package.json")).dependencies, {
    left: "^1.2.0",
    "@acme/right": "~2.0.9",
  });
});

/** Lock file updates by each package manager. The managers are fakes that record their calls and write a file. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gateLine } from "../../src/scouts/gate-command/gate-protocol.ts";
import { canUpdateLock } from "../../src/scouts/mend/can-update-lock.ts";
import { lockToolOf } from "../../src/scouts/mend/lock-tool.ts";
import { createMend } from "../../src/scouts/mend/mend.ts";
import { planRepair } from "../../src/scouts/mend/plan-repair.ts";
import { readManifest } from "../../src/scouts/reading/npm-packages.ts";
import { inFolder, type Files } from "../support/inspect.ts";
import { git, makeRepository, type TestRepository } from "../support/repository.ts";
import { runStory } from "../support/run-story.ts";

const PNPM_LOCK = (version: string) =>
  `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      left:\n        specifier: ^1.0.0\n        version: ${version}\n\npackages:\n\n  left@${version}:\n    resolution: {}\n`;
const FILES = {
  "package.json": '{\n  "dependencies": {\n    "left": "^1.0.0"\n  }\n}\n',
  "pnpm-lock.yaml": PNPM_LOCK("1.0.0"),
};
const GATE = gateLine("dep-at-least", "left", "2.0.0");
const REGISTRY = "http://registry.test";

interface Programs {
  readonly folder: string;
  /** Calls other than version queries, in order. */
  calls(): readonly string[];
}

/** Prepends these programs to PATH; `{log}` in a script is the call log. */
function programs(repository: TestRepository, scripts: Readonly<Record<string, string>>): Programs {
  const folder = join(repository.folder, "programs");
  const log = join(repository.folder, "calls");
  mkdirSync(folder);
  for (const [name, script] of Object.entries(scripts)) {
    const noted = `[ "$1" = --version ] || echo ${name} "$@" >> '${log}'`;
    writeFileSync(join(folder, name), `#!/bin/sh\n${noted}\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, calls: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []) };
}

async function mendIn(repository: TestRepository, { folder }: Programs, setupCommand: string | null = null) {
  return runStory(repository, {
    agent: createMend(GATE, { year: 2030, registryAddress: async () => REGISTRY }),
    request: {
      maxRounds: 3,
      verify: { command: null, setupCommand, timeoutS: 60, retries: 0, baseline: true },
      gate: { command: GATE, baseline: "must_fail", timeoutS: 60, frozenPaths: [] },
    },
    hostEnvironment: { PATH: `${folder}:${process.env["PATH"]}` },
  });
}

const version = (number: string) => `if [ "$1" = --version ]; then echo ${number}; exit; fi`;
const WRITES = `cat > pnpm-lock.yaml <<'END'\n${PNPM_LOCK("2.0.0")}END`;
const PNPM_CALL = `install --lockfile-only --ignore-scripts --no-frozen-lockfile --registry ${REGISTRY}`;

test("updates the lock with the installed package manager, and delivers both files", async () => {
  await using repository = makeRepository(FILES);
  const tools = programs(repository, { pnpm: `${version("10.28.0")}\n${WRITES}` });
  const { outcome } = await mendIn(repository, tools);
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.deepEqual(tools.calls(), [`pnpm ${PNPM_CALL}`]);
  const there = join(repository.folder, "there.git");
  git(repository.folder, "clone", "--quiet", "--bare", repository.bare, there);
  git(there, "fetch", "--quiet", outcome.bundle.path, `refs/heads/${outcome.branch}:refs/heads/arrived`);
  assert.equal(git(there, "diff", "--name-only", "main", "arrived"), "package.json\npnpm-lock.yaml");
});

test("lets npm fetch the package manager if the installed one writes another format", async () => {
  await using repository = makeRepository(FILES);
  const tools = programs(repository, { pnpm: version("7.0.0"), npm: WRITES });
  assert.equal((await mendIn(repository, tools)).outcome.kind, "delivered");
  assert.deepEqual(tools.calls(), [`npm exec --yes --registry ${REGISTRY} --package=pnpm@10 -- pnpm ${PNPM_CALL}`]);
});

test("reports the exit code and last lines of a failing package manager in the run and on the bus", async () => {
  await using repository = makeRepository(FILES);
  const tools = programs(repository, { pnpm: `${version("10.1.0")}\necho ERR_PNPM_NO_MATCHING_VERSION; exit 7` });
  const { outcome, items } = await mendIn(repository, tools);
  assert.ok(outcome.kind === "failed" && outcome.code === "agent_error", JSON.stringify(outcome));
  assert.equal(outcome.message, "pnpm install --lockfile-only failed with exit code 7: ERR_PNPM_NO_MATCHING_VERSION");
  assert.ok(items.some(({ kind, text }) => kind === "log" && text.includes("ERR_PNPM_NO_MATCHING_VERSION")));
});

test("does not repeat a repair that leaves the gate red", async () => {
  await using repository = makeRepository(FILES);
  const tools = programs(repository, { pnpm: version("10.1.0") });
  const { outcome } = await mendIn(repository, tools);
  assert.ok(outcome.kind === "failed" && outcome.code === "verify_failed", JSON.stringify(outcome));
  assert.equal(tools.calls().length, 1);
});

test("ignores a lock file that setup created and git ignores", async () => {
  await using repository = makeRepository({
    "package.json": FILES["package.json"],
    ".gitignore": "package-lock.json\n",
  });
  const tools = programs(repository, { npm: "exit 9" });
  const setup = `grep -o '[0-9.]*' package.json | sed 's/.*/{"packages":{"node_modules\\/left":{"version":"&"}}}/' > package-lock.json`;
  const { outcome } = await mendIn(repository, tools, setup);
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.deepEqual(tools.calls(), []);
});

const manifestWith = (files: Files) =>
  inFolder(files, async (tree) => ({
    manifest: await readManifest(tree),
    repair: await planRepair(GATE, { tree, year: 2030 }),
  }));

test("reads the package manager's version from `packageManager`, else from the lock format", async () => {
  const specOf = async (lock: string, head: string, packageManager?: string) => {
    const { manifest } = await manifestWith({ "package.json": JSON.stringify({ packageManager }), [lock]: head });
    return manifest === null ? null : (lockToolOf(manifest)?.spec ?? null);
  };
  assert.equal(await specOf("pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "pnpm@10.28.0+sha512.ab"), "pnpm@10.28.0");
  assert.equal(await specOf("pnpm-lock.yaml", "lockfileVersion: '6.0'\n"), "pnpm@8");
  assert.equal(await specOf("yarn.lock", "# yarn lockfile v1\n"), "yarn@1");
  assert.equal(await specOf("yarn.lock", "__metadata:\n  version: 8\n", "yarn@4.5.0"), "@yarnpkg/cli-dist@4.5.0");
  assert.equal(await specOf("bun.lock", "{}", "pnpm@9.0.0"), "bun@1");
  assert.equal(await specOf("README.md", "x"), null);
});

test("repairs nothing if two lock files would disagree", async () => {
  assert.notEqual((await manifestWith(FILES)).repair, null);
  assert.equal((await manifestWith({ ...FILES, "yarn.lock": "# yarn lockfile v1\n" })).repair, null);
});

test("updates a lock only with an open network, a package manager, and a reachable registry", async () => {
  await using repository = makeRepository(FILES);
  const { folder } = programs(repository, { pnpm: "" });
  const { manifest } = await manifestWith(FILES);
  const tool = manifest === null ? null : lockToolOf(manifest);
  assert.ok(tool !== null);
  let requestCount = 0;
  const can = (network: "open" | "model_only", PATH: string, status = 404) =>
    canUpdateLock({
      request: { isolation: { levelRequired: "sandbox", network, allowHosts: [] } },
      network: {
        fetch: async () => {
          requestCount++;
          if (status === 0) throw new Error("refused");
          return { status, text: async () => "" };
        },
        registryAddress: async () => REGISTRY,
      },
      environment: { PATH },
    });
  const open = can("open", folder);
  assert.deepEqual([await open(tool), await open(tool), requestCount], [true, true, 1]);
  assert.equal(await can("model_only", folder)(tool), false);
  assert.equal(await can("open", "/nowhere")(tool), false);
  assert.equal(await can("open", folder, 0)(tool), false);
});

/** What decides the content of installed dependencies: the key of the cache changes with it, and with nothing else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { splitSetup } from "../../src/dependencies/install-command.ts";
import { createRunDependencies, type DependencyTools } from "../../src/dependencies/run-dependencies.ts";
import { createToolVersions } from "../../src/dependencies/tool-versions.ts";
import { workerGit } from "../../src/git/git.ts";
import type { RunRequest } from "../../src/run/run-request.ts";
import { LOCKED_FILES } from "../support/dependency-cache.ts";
import { makeRepository, RED_FILES } from "../support/repository.ts";
import { createRunRequest } from "../support/run-story.ts";

const FILES = { ...RED_FILES, ...LOCKED_FILES };
const verifyWith = (setupCommand: string): Partial<RunRequest> => ({
  verify: { command: null, setupCommand, timeoutS: 60, retries: 0, baseline: true },
});

interface KeyInput {
  readonly files?: Readonly<Record<string, string>>;
  readonly request?: Partial<RunRequest>;
  readonly tools?: Partial<DependencyTools>;
  readonly environment?: Readonly<Record<string, string>>;
}

async function planOf({ files = {}, request = {}, tools = {}, environment = {} }: KeyInput) {
  await using repository = makeRepository({ ...FILES, ...files });
  const signal = new AbortController().signal;
  const git = workerGit({ gitFolder: repository.bare, environment: { PATH: process.env["PATH"] ?? "" }, signal });
  const dependencies = createRunDependencies({
    cache: { restore: async () => false, keep: async () => null },
    isRead: true,
    versions: async () => ({ npm: "11.0.0" }),
    host: { PATH: "/usr/bin" },
    ...tools,
    request: createRunRequest(repository, { ...verifyWith("npm ci && npm run build"), ...request }),
    git,
    gitFolder: join(repository.folder, "none"),
    environment,
  });
  return (await dependencies.plan(repository.sha)) ?? assert.fail("nothing is planned");
}

test("separates an install by lock file from the rest of a setup command", () => {
  const table: readonly (readonly [string, string, string | null, boolean])[] = [
    ["npm ci", "npm ci", null, true],
    [
      " npm ci --no-audit --no-fund && npm run build && echo ok",
      "npm ci --no-audit --no-fund",
      "npm run build && echo ok",
      true,
    ],
    ["npm install", "npm install", null, false],
    ["npm ci; rm -rf x", "npm ci; rm -rf x", null, false],
    ["npm ci --prefix ../x", "npm ci --prefix ../x", null, false],
    ["npm ci || true && make", "npm ci || true && make", null, false],
    ["cd a && npm ci", "cd a && npm ci", null, false],
    ["npm ci && ", "npm ci && ", null, false],
  ];
  for (const [command, install, rest, isLocked] of table)
    assert.deepEqual(splitSetup(command), { install, rest, isLocked }, command);
});

test("keeps the key of an install by lock file when only sources change", async () => {
  const [first, second] = [await planOf({}), await planOf({ files: { "sum.mjs": "export const sum = () => 0;\n" } })];
  assert.equal(second.key, first.key);
  assert.deepEqual([first.install, first.rest, first.label], ["npm ci", "npm run build", "package-lock.json"]);
});

const CHANGES: Readonly<Record<string, KeyInput>> = {
  "the lock file": { files: { "package-lock.json": '{"lockfileVersion":3,"packages":{"":{}}}' } },
  "the manifest": { files: { "package.json": '{"name":"sums"}' } },
  "the registry settings": { files: { ".npmrc": "registry=https://registry.example/\n" } },
  "the Node version file": { files: { ".nvmrc": "22\n" } },
  "the command": { request: verifyWith("npm ci --ignore-scripts && npm run build") },
  "the repository": {
    request: { clone: { repository: "b", url: "file:///b", branch: "main", sha: "0".repeat(40), bearer: null } },
  },
  "the network policy": { request: { isolation: { levelRequired: "worktree", network: "none", allowHosts: [] } } },
  "a variable of the repository": { request: { environment: [{ name: "A", value: "1", sealed: false }] } },
  "a variable of the setup": { environment: { npm_config_registry: "https://registry.example/" } },
  "the version of a tool": { tools: { versions: async () => ({ npm: "11.0.1" }) } },
  "the isolation level or image": { tools: { host: { PATH: "/usr/bin", isolation: "container sha256:1" } } },
};
for (const [what, input] of Object.entries(CHANGES))
  test(`changes the key with ${what}`, async () => {
    assert.notEqual((await planOf(input)).key, (await planOf({})).key);
  });

const OTHER_INPUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a lifecycle script": { "package.json": '{"scripts":{"postinstall":"node build.js"}}' },
  "an install script of an unknown dependency": {
    "package-lock.json": '{"packages":{"":{},"node_modules/a":{"hasInstallScript":true}}}',
  },
  "a script shell in .npmrc": { ".npmrc": "script-shell=./shell\n" },
  "a native build": { "binding.gyp": "{}" },
  "a manifest that is a link": { "package.json": "-> other.json", "other.json": "{}" },
  "an old lock file": { "package-lock.json": '{"lockfileVersion":1,"dependencies":{}}' },
};
for (const [what, files] of Object.entries(OTHER_INPUTS))
  test(`uses the whole commit as the key if the repository has ${what}`, async () => {
    const [first, second] = [await planOf({ files }), await planOf({ files: { ...files, "sum.mjs": "changed\n" } })];
    assert.match(first.label, /^tree [0-9a-f]{8}$/);
    assert.deepEqual([first.install, first.rest], ["npm ci && npm run build", null]);
    assert.notEqual(second.key, first.key);
  });

test("allows husky, and install scripts that only select a binary", async () => {
  const files = {
    "package.json": '{"scripts":{"prepare":"husky || true","test":"node --test"}}',
    "package-lock.json": '{"packages":{"":{"hasInstallScript":true},"node_modules/esbuild":{"hasInstallScript":true}}}',
  };
  assert.equal((await planOf({ files })).label, "package-lock.json");
});

test("queries the version of each tool of the command once", async () => {
  const queries: string[] = [];
  const versions = createToolVersions({
    find: async (name) => (name === "node" || name === "npm" ? process.execPath : undefined),
    async printed([, ...args]) {
      queries.push(args.join(" "));
      return "11.0.0\n";
    },
  });
  const [first, second] = [await versions("npm ci"), await versions("npm ci")];
  assert.deepEqual(second, first);
  assert.equal(queries.length, 2);
  assert.match(first["npm"] ?? "", /11\.0\.0$/);
  assert.equal(first["pnpm"], "none");
});

/** A setup that needs a network fails before its start with a clear message. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mkdir } from "node:fs/promises";
import { test } from "node:test";
import { createScriptedAgent, readScript } from "../src/index.ts";
import { neededHosts } from "../src/phases/setup-network.ts";
import { inSandbox, isolation } from "./sandbox/open-sandbox.ts";
import { NO_MODELS } from "./support/no-models.ts";
import { makeRepository, RED_FILES, VERIFY } from "./support/repository.ts";
import { runStory } from "./support/run-story.ts";

const NPM_LOCK = '{"packages":{"node_modules/a":{\n"resolved": "https://registry.example/a/-/a-1.0.0.tgz"}}}';
const YARN_LOCK =
  'a@^1:\n  version "1.0.0"\n  resolved "https://npm.example:8443/a-1.0.0.tgz#1"\n  integrity sha512-x\n';
type Row = readonly [command: string, files: Readonly<Record<string, string>>, hosts: readonly string[] | null];
const TABLE: readonly Row[] = [
  ["npm ci", { "package-lock.json": NPM_LOCK }, ["registry.example"]],
  ["npm ci && npm run build", { "package-lock.json": NPM_LOCK }, ["registry.example"]],
  ["yarn install --frozen-lockfile", { "yarn.lock": YARN_LOCK }, ["npm.example:8443"]],
  ["pnpm install --frozen-lockfile", { "pnpm-lock.yaml": "  resolution: {integrity: sha512-x}\n" }, []],
  ["go mod download", { "go.sum": "example.com/a v1.0.0 h1:x=\n" }, []],
  ["npm ci", { "package-lock.json": '{"packages":{"":{}}}' }, null],
  ["npm ci --offline", { "package-lock.json": NPM_LOCK }, null],
  ["npm install", { "package-lock.json": NPM_LOCK, "node_modules/a/index.js": "" }, null],
  ["yarn install", { "yarn.lock": YARN_LOCK, ".yarn/cache/a.zip": "" }, null],
  ["npm run build", { "package-lock.json": NPM_LOCK }, null],
  ["make deps", { "package-lock.json": NPM_LOCK }, null],
];

test("detects from command and lock file which setup needs a network, and which hosts", async () => {
  for (const [command, files, hosts] of TABLE) {
    const tree = await mkdtemp(join(tmpdir(), "setup-"));
    try {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(tree, path)), { recursive: true });
        await writeFile(join(tree, path), text);
      }
      assert.deepEqual(await neededHosts(command, tree), hosts, command);
    } finally {
      await rm(tree, { recursive: true });
    }
  }
});

const agent = () => createScriptedAgent(readScript({ rounds: [[]] }), async () => {});
const sandboxed = (setupCommand: string) => ({
  agent: agent(),
  createSandbox: isolation.sandboxes(NO_MODELS),
  request: {
    isolation: { levelRequired: "sandbox", network: "model_only", allowHosts: [] },
    verify: { command: VERIFY, setupCommand, timeoutS: 60, retries: 0, baseline: true },
  } as const,
});

test("does not start a setup that must download packages without a network", inSandbox, async () => {
  await using repository = makeRepository({ ...RED_FILES, "package-lock.json": NPM_LOCK });
  const { outcome, items } = await runStory(repository, sandboxed("npm ci; echo started"));
  assert.ok(outcome.kind === "failed" && outcome.code === "setup_failed", JSON.stringify(outcome));
  assert.equal(
    outcome.message,
    "setup has no network: isolation.network is model_only. Set it to allow_list with registry.example in allow_hosts.",
  );
  assert.ok(items.every(({ text }) => !text.includes("started")));
});

test("tries a setup that may need a network once, and names the network in its failure", inSandbox, async () => {
  await using repository = makeRepository(RED_FILES);
  const command = 'npm_version() { echo "retries $npm_config_fetch_retries"; exit 1; }; : npm; npm_version';
  const { outcome, items } = await runStory(repository, sandboxed(command));
  assert.ok(outcome.kind === "failed" && outcome.code === "setup_failed", JSON.stringify(outcome));
  assert.match(outcome.message, /^the setup command failed with exit code 1; setup has no network: .*\nretries 0$/);
  assert.ok(items.some(({ text }) => text.includes("retries 0")));
});

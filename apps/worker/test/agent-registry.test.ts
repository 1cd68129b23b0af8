import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { folderOf, isSince, versionIn } from "../src/agents/find-program.ts";
import { NO_AGENT, discoverAgents } from "../src/agents/agent-registry.ts";
import { mendOf } from "../src/scouts/mend/mend.ts";
import { INSTANT_CLOCK } from "./support/start-worker.ts";

/** Programs of these names, each a shell script. */
function machineWith(programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const NOTHING = {
  named: new Map<string, readonly string[]>(),
  only: null,
  hasScripted: false,
  mend: mendOf({}),
  wait: INSTANT_CLOCK.wait,
};
/** Agents of every worker. */
const BUILT_IN = ["command", "mend", "scan"];
const MODELS =
  '{"models":[{"slug":"gpt-a","visibility":"list"},{"slug":"gpt-b","visibility":"hide"},{"slug":"gpt-c"}]}';

test("offers CLIs in PATH with version and models, those with a key first, and notes the others with a reason", async () => {
  using machine = machineWith({
    codex: `[ "$1" = --version ] && echo "codex-cli 0.169.0" || echo '${MODELS}'`,
    claude: 'echo "2.1.330 (Claude Code)"',
    gemini: "echo 0.1.9",
    pi: "echo 0.73.1 >&2",
    qwen: "exit 1",
  });
  writeFileSync(join(machine.folder, "cline"), "no program");
  const host = { PATH: `relative:${machine.folder}:/bin:/usr/bin`, ANTHROPIC_API_KEY: "sk-hush" };
  const agents = await discoverAgents({ ...NOTHING, host });
  assert.deepEqual(agents.all, [
    { cli: "claude", version: "2.1.330", adapter: "jsonl", models: [] },
    { cli: "codex", version: "0.169.0", adapter: "jsonl", models: ["gpt-a", "gpt-c"] },
    { cli: "pi", version: "0.73.1", adapter: "jsonl", models: [] },
    ...BUILT_IN.map((cli) => ({ cli, version: "1", adapter: cli, models: [] })),
  ]);
  assert.deepEqual(agents.first, { cli: "claude", model: null, command: null });
  assert.deepEqual(agents.notes, [
    "gemini 0.1.9 is older than 0.50.0; not offered. To update: npm install --global @google/gemini-cli",
    "qwen reports no version; not offered",
    "codex has no model key: OPENAI_API_KEY is not set",
    "pi has no model key: OPENAI_API_KEY is not set",
  ]);
  assert.deepEqual(agents.folders, [machine.folder]);
  assert.ok(!JSON.stringify(agents).includes("hush"));
});

test("prefers the operator's tools to CLIs, lets one replace a CLI of its name, and rejects a missing agent", async () => {
  using machine = machineWith({ codex: "echo 0.169.0", claude: "echo 2.1.330" });
  const named = new Map([
    ["mine", ["acp:my-agent", "--acp"]],
    ["codex", ["my-codex"]],
  ]);
  const options = { ...NOTHING, named, host: { PATH: `${machine.folder}:/bin` } };
  const { all, first } = await discoverAgents(options);
  const adapters = all.map(({ cli, adapter }) => `${cli} ${adapter}`);
  assert.deepEqual(adapters.slice(0, 3), ["mine acp", "codex command", "claude jsonl"]);
  assert.equal(first?.cli, "mine");
  const some = await discoverAgents({ ...options, only: ["claude"] });
  assert.deepEqual(
    some.all.map(({ cli }) => cli),
    ["claude", "mend", "scan"],
  );
  await assert.rejects(
    discoverAgents({ ...options, only: ["claude", "pi"] }),
    /Unknown agent pi. Available agents: mine, codex, claude, command, mend, scan\./,
  );
});

test("offers only agents that need instructions without a CLI, and says how to install more", async () => {
  const { all, first } = await discoverAgents({ ...NOTHING, host: {} });
  assert.deepEqual([all.map(({ cli }) => cli), first], [BUILT_IN, null]);
  assert.match(NO_AGENT, /npm install --global @openai\/codex/);
});

test("compares versions number by number", () => {
  assert.deepEqual(["codex-cli 0.169.0", "v1.2", "2.1.330 (Claude Code)", "none"].map(versionIn), [
    "0.169.0",
    "1.2",
    "2.1.330",
    undefined,
  ]);
  for (const [version, since] of [
    ["0.169.0", "0.100.0"],
    ["1.0", "1.0.0"],
    ["10.0.0", "9.9.9"],
  ])
    assert.ok(isSince(version, since));
  for (const [version, since] of [
    ["0.99.0", "0.100.0"],
    ["0.9", "1.0.0"],
  ])
    assert.ok(!isSince(version, since));
});

test("finds the packages around an npm program, and the folder of any other program", async () => {
  using machine = machineWith({ alone: "true" });
  const packages = join(machine.folder, "node_modules");
  mkdirSync(join(packages, "cli", "bin"), { recursive: true });
  mkdirSync(join(packages, ".bin"));
  writeFileSync(join(packages, "cli", "bin", "cli.js"), "");
  symlinkSync("../cli/bin/cli.js", join(packages, ".bin", "cli"));
  assert.equal(await folderOf(join(packages, ".bin", "cli")), packages);
  assert.equal(await folderOf(join(machine.folder, "alone")), machine.folder);
});

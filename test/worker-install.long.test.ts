/** `/worker/install.sh` of a running panel, as `curl -fsSL PANEL/worker/install.sh | sh` on a machine with few programs. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { startMappingProxy } from "./support/mapping-proxy.ts";
import { ask, keysOf } from "./support/panel-api.ts";
import { openInstallation, type Installation, type Product } from "./support/product.ts";

/** What the script calls, besides git and node. */
const PROGRAMS = "sh curl tar gzip mktemp nohup mkdir mv rm rmdir chmod cat grep sed sleep stty".split(" ");

let installation: Installation;
let panel: Product;
let keys: { readonly access_token: string; readonly license_key: string };
let folder = "";
/** An address that only the proxy resolves. */
const PUBLIC = "http://panel.test";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "triptych-install-"));
  installation = await openInstallation();
  panel = await installation.startPanel();
  keys = await keysOf(installation.folder);
});
after(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function pathOf(program: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.map((one) => join(one, program)).find((path) => existsSync(path));
  assert.ok(found, `${program} is not installed`);
  return found;
}

interface Machine {
  readonly home: string;
  readonly bin: string;
}

/** A home, and a PATH with these programs. */
async function makeMachine(programs: Readonly<Record<string, string>>): Promise<Machine> {
  const root = await mkdtemp(join(folder, "machine-"));
  const [home, bin] = [join(root, "home"), join(root, "bin")];
  await Promise.all([mkdir(home), mkdir(bin)]);
  const all = { ...Object.fromEntries(PROGRAMS.map((name) => [name, pathOf(name)])), ...programs };
  for (const [name, path] of Object.entries(all)) await symlink(path, join(bin, name));
  return { home, bin };
}

const complete = () => makeMachine({ node: process.execPath, git: pathOf("git") });

interface Ended {
  readonly code: unknown;
  readonly output: string;
}

async function install({ home, bin }: Machine, variables: Readonly<Record<string, string>>): Promise<Ended> {
  const env = { PATH: bin, HOME: home, SERVED: panel.url, PANEL_TOKEN: keys.license_key, WORKER_ALLOW_ROOT: "1" };
  const command = 'curl -fsSL "$SERVED/worker/install.sh" | sh -s -- --slots 1 --name "$NAME"';
  // Detached: without a terminal that could be asked for the key.
  const options = { env: { ...env, NAME: "worker-1", ...variables }, detached: true } as const;
  const child = spawn("/bin/sh", ["-c", command], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  return { code, output };
}

async function onlineWorkers(): Promise<readonly string[]> {
  const { body } = await ask(`${panel.url}/api/worker/status`, { token: keys.access_token });
  return body.workers
    .filter(({ state }: { state: string }) => state !== "offline")
    .map(({ name }: { name: string }) => name);
}

async function stopWorker({ home }: Machine): Promise<void> {
  const pid = Number(await readFile(join(home, ".triptych-worker/pid"), "utf8"));
  process.kill(pid, "SIGTERM");
  // The command line of an ended process is empty until its parent reaps it, and not every init does.
  const commandLine = () => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  while ((await commandLine()) !== "") await setTimeout(10);
}

const hasNothing = ({ home }: Machine) => !existsSync(join(home, ".triptych-worker"));

test("installs a worker that is online, with its key in a file of its own user", async () => {
  const machine = await complete();
  const { code, output } = await install(machine, {});
  assert.equal(code, 0, output);
  try {
    assert.match(output, /^SHA-256 [0-9a-f]{64}$/m);
    assert.ok((await onlineWorkers()).includes("worker-1"));
    const key = join(machine.home, ".triptych-worker/key");
    assert.equal((await stat(key)).mode & 0o777, 0o600);
    assert.equal((await readFile(key, "utf8")).trim(), keys.license_key);
    const command = await readFile(join(machine.home, ".triptych-worker/triptych-worker"), "utf8");
    assert.ok(!command.includes(keys.license_key) && !output.includes(keys.license_key));
  } finally {
    await stopWorker(machine);
  }
});

test("installs and connects through an HTTP proxy", async () => {
  await using proxy = await startMappingProxy(Number(new URL(panel.url).port));
  const machine = await complete();
  const variables = { SERVED: PUBLIC, PANEL_URL: PUBLIC, http_proxy: proxy.url, NAME: "behind" };
  const { code, output } = await install(machine, variables);
  assert.equal(code, 0, output);
  try {
    assert.ok((await onlineWorkers()).includes("behind"));
    assert.deepEqual(proxy.seen.slice(0, 2), [
      `GET ${PUBLIC}/worker/install.sh`,
      `GET ${PUBLIC}/worker/triptych-worker.tgz`,
    ]);
    assert.ok(proxy.seen.includes("CONNECT panel.test:80"), proxy.seen.join("\n"));
  } finally {
    await stopWorker(machine);
  }
});

describe("refuses, and installs nothing", () => {
  test("without git, node and a key: every fault at once", async () => {
    const machine = await makeMachine({});
    const { code, output } = await install(machine, { PANEL_TOKEN: "" });
    assert.equal(code, 2, output);
    assert.match(output, /- Node\.js is not installed: install Node\.js 22\.19 or newer\./);
    assert.match(output, /- git is not installed/);
    assert.match(output, /- The worker key is missing: set PANEL_TOKEN\./);
    assert.ok(hasNothing(machine));
  });

  test("on a Node.js that is too old", async () => {
    const old = join(folder, "old-node");
    await writeFile(old, '#!/bin/sh\n[ "$1" = --version ] && echo v18.20.0 && exit 0\nexit 1\n');
    await chmod(old, 0o755);
    const machine = await makeMachine({ node: old, git: pathOf("git") });
    const { code, output } = await install(machine, {});
    assert.equal(code, 2, output);
    assert.match(output, /- Node\.js v18\.20\.0 is too old: install Node\.js 22\.19 or newer\./);
    assert.ok(hasNothing(machine));
  });

  test("with another SHA-256 than expected", async () => {
    const machine = await complete();
    const expected = "0".repeat(64);
    const { code, output } = await install(machine, { WORKER_SHA256: expected });
    assert.equal(code, 1, output);
    assert.match(output, new RegExp(`but ${expected} was expected: nothing was installed\\.`));
    assert.ok(hasNothing(machine));
  });
});

test("says that the panel rejected a wrong key, and leaves no process", async () => {
  const machine = await complete();
  const { code, output } = await install(machine, { PANEL_TOKEN: "lic_wrong", NAME: "wrong" });
  assert.equal(code, 1, output);
  assert.match(output, /The worker is installed, but it did not connect\./);
  assert.ok(!(await onlineWorkers()).includes("wrong"));
  assert.ok(!existsSync(join(machine.home, ".triptych-worker/pid")));
  assert.doesNotMatch(output, /lic_wrong/);
});

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { startPanel, type PanelDouble } from "./support/fake-panel.ts";
import { makeRepository, RED_FILES, type TestRepository } from "./support/repository.ts";
import { openWitness } from "./support/witness.ts";

const START = fileURLToPath(new URL("../../../start.mjs", import.meta.url));
const BLOCKED = fileURLToPath(new URL("./children/blocked-worker.ts", import.meta.url));

interface Started extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
}

/** The worker as a person starts it, on its previous folder. */
function startProcess(panel: PanelDouble, repository: TestRepository, args: readonly string[] = []): Started {
  const workDir = join(repository.folder, "worker");
  const argv = [START, "worker", "--panel", panel.url, "--work-dir", workDir, "--name", "box", ...args];
  const child = spawn(process.execPath, argv, {
    // With a trailing newline, as shells and editors add it.
    env: { PATH: process.env["PATH"], PANEL_TOKEN: `${panel.key}\n` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  return {
    child,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("sends heartbeats while the main thread is blocked", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository, { heartbeatS: 1 });
  const child = spawn(process.execPath, [BLOCKED, panel.url, panel.key, repository.folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const before = panel.framesOf("hb").length;
  await panel.until(() => panel.framesOf("hb").length > before + 1);
  assert.deepEqual(panel.framesOf("hb")[0].holding, [{ run_id: "run_1", epoch: 1 }]);
  child.stdin.end("x");
  assert.deepEqual(await ended, [0, null]);
});

test("restarts with the same id after a kill, ends leftover processes and drops the run", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  await using witness = await openWitness();
  const run = panel.run("run_1");
  // In a sandbox no process would be left: the kernel ends it with its worker.
  await using first = startProcess(panel, repository, ["--isolation", "worktree", "--allow-root"]);
  await panel.until(() => panel.connections === 1);
  const script = `exec 3> '${witness.path}'; setsid sleep 600 & echo begun; sleep 600`;
  const command = ["/bin/sh", "-c", script];
  panel.assign({ team: { preset: "solo", max_rounds: 1, members: [{ role: "coder", cli: "command", command }] } });
  await panel.until(() => [...run.events.values()].some(({ text }) => text.includes("begun")));
  first.child.kill("SIGKILL");
  await first.ended;

  await using second = startProcess(panel, repository, ["--isolation", "worktree", "--allow-root"]);
  await panel.until(() => panel.connections === 2);
  await witness.gone;
  const [, hello] = panel.framesOf("hello");
  assert.equal(hello.worker_id, "wrk_1");
  assert.deepEqual(hello.holding, []);

  // The reassigned run completes, and a signal ends an idle worker immediately.
  panel.assign({ epoch: 2 });
  await panel.until(() => run.state === "pushing");
  second.child.kill("SIGTERM");
  assert.deepEqual(await second.ended, [0, null]);
  assert.deepEqual(readdirSync(join(repository.folder, "worker", "runs")), []);
});

test("sends an unacknowledged final message after a restart, after its earlier messages", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const run = panel.run("run_1");
  await using first = startProcess(panel, repository);
  await panel.until(() => panel.connections === 1);
  panel.isSlow = true;
  panel.assign();
  panel.fate = (frame) => {
    if (frame.t !== "state" || frame.state !== "pushing") return "heard";
    first.child.kill("SIGKILL");
    return "lost";
  };
  await first.ended;
  const before = run.events.size;
  run.events.clear();
  panel.fate = () => "heard";
  panel.isSlow = false;
  await using second = startProcess(panel, repository, ["--once"]);
  await panel.until(() => run.state === "pushing");
  assert.ok(before > 0);
  assert.equal(run.events.size, before);
  assert.ok(run.bundle !== null);
  second.child.kill("SIGTERM");
  assert.deepEqual(await second.ended, [0, null]);
});

test("starts with files that a power cut left empty", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const folder = join(repository.folder, "worker");
  mkdirSync(join(folder, "runs", "run_0.1"), { recursive: true });
  for (const name of ["worker.json", "runs/run_0.1/held.json"]) writeFileSync(join(folder, name), "");
  await using started = startProcess(panel, repository);
  await panel.until(() => panel.connections === 1);
  started.child.kill("SIGTERM");
  assert.deepEqual(await started.ended, [0, null]);
});

test("exits with 2 after the panel has deleted the worker", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  await using started = startProcess(panel, repository);
  await panel.until(() => panel.connections === 1);
  panel.disconnect(4410);
  assert.deepEqual(await started.ended, [2, null]);
});

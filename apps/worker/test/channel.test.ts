import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import type { PanelFrame, ReportedChecks } from "@triptych/contracts";
import type { Work } from "../src/session/run-session.ts";
import type { Assign } from "./support/run-request.ts";
import { startPanel, type PanelDouble } from "./support/fake-panel.ts";
import { git, makeRepository, RED_FILES, type TestRepository } from "./support/repository.ts";
import { startTestWorker, type TestWorker, type TestWorkerOptions } from "./support/start-worker.ts";
import { openWitness } from "./support/witness.ts";

const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");

interface Fixture extends AsyncDisposable {
  readonly repository: TestRepository;
  readonly panel: PanelDouble;
  readonly worker: TestWorker;
}

async function createFixture(options: TestWorkerOptions = {}): Promise<Fixture> {
  const stack = new AsyncDisposableStack();
  const repository = stack.use(makeRepository(RED_FILES));
  const panel = stack.use(await startPanel(repository));
  const worker = stack.use(await startTestWorker(panel, join(repository.folder, "worker"), options));
  await panel.until(() => panel.connections === 1);
  return { repository, panel, worker, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** An order whose only member is this tool. */
const asMember = (command: readonly string[], cli = "command"): Partial<Assign> => ({
  team: { preset: "solo", max_rounds: 1, members: [{ role: "coder", cli, command: [...command] }] },
});

test("carries a run from red to green, and uploads its bundle before it reports a push", async () => {
  await using fixture = await createFixture();
  const { repository, panel, worker } = fixture;
  panel.refuseUploads.push(503);
  panel.assign();
  const run = panel.run("run_1");
  await panel.until(() => run.state === "pushing");

  assert.deepEqual(
    run.states.map(({ state }) => state),
    ["running", "verifying", "pushing"],
  );
  const [running, verifying, pushing] = run.states.map(({ data }) => data);
  assert.deepEqual(running["base"], { branch: "main", sha: repository.sha });
  assert.deepEqual(verifying["changed_files"], 1);
  assert.ok(run.bundle !== null);
  const file = join(repository.folder, "arrived.bundle");
  writeFileSync(file, run.bundle.bytes);
  git(repository.bare, "fetch", "--quiet", file, "refs/heads/maint/run_1:refs/heads/arrived");
  assert.equal(git(repository.bare, "rev-parse", "arrived"), pushing["head_sha"]);
  assert.equal(git(repository.bare, "show", "arrived:sum.mjs"), "export const sum = (a, b) => a + b;");
  const kinds = [...run.events.values()].map(({ kind }) => kind);
  assert.deepEqual(kinds, ["verify", "usage", "verify", "verdict"]);
  const logs = [...run.events.values()].filter(({ kind }) => kind === "verify").map(({ text }) => sha256Of(text));
  const { baseline, attempts } = pushing["checks"] as ReportedChecks;
  assert.deepEqual([baseline?.verify?.log, attempts[0]?.verify?.log], logs);
  assert.ok(logs.every((log) => run.artifacts.has(log)));
  await worker.drain();
  assert.deepEqual(readdirSync(worker.runs), []);
});

test("runs a baseline once per commit, and stores long output as an artifact", async () => {
  await using fixture = await createFixture();
  const { panel, worker } = fixture;
  const cmd = "seq 1 9000; exec sh sum.test.sh";
  const verify = { cmd, setup_cmd: null, timeout_s: 60, retries: 0, baseline: true };
  for (const id of ["run_1", "run_2"]) {
    panel.assign({ run_id: id, verify, repo_id: "rep_1" });
    await panel.until(() => panel.run(id).state === "pushing");
    await worker.drain();
    panel.send({ t: "enable", cid: "on", enabled: true });
  }
  const [first, second] = ["run_1", "run_2"].map((id) => panel.run(id).states[0].data["baseline"]);
  assert.equal(Reflect.get(Object(first), "cached"), false);
  assert.deepEqual(second, { ...Object(first), cached: true });

  const [long] = panel.run("run_1").events.values();
  const { sha256 } = Object(long.data["artifact"]);
  assert.ok(Buffer.byteLength(long.text) <= 16 * 1024);
  assert.match(panel.run("run_1").artifacts.get(sha256) ?? "", /\n1\n2\n3\n[^]*\n8999\n9000\n/);
});

test("reports the verify command and the gate separately, and both as one check", async () => {
  await using fixture = await createFixture();
  const { panel, worker } = fixture;
  const verify = { cmd: "true", setup_cmd: null, timeout_s: 60, retries: 0, baseline: true };
  const gate = { cmd: "exec sh sum.test.sh", expect: "exit_zero", baseline: "must_fail" } as const;
  panel.assign({ verify, gate });
  const run = panel.run("run_1");
  await panel.until(() => run.state === "pushing");
  const [running, , pushing] = run.states.map(({ data }) => data);
  assert.equal(exitCode(running["baseline"]), 1);
  const { baseline } = Object(running["checks"]);
  assert.deepEqual([exitCode(baseline.verify), exitCode(baseline.gate), baseline.cached], [0, 1, false]);
  const { attempts } = Object(pushing["checks"]);
  assert.deepEqual([exitCode(attempts[0].verify), exitCode(attempts[0].gate), attempts.length], [0, 0, 1]);
  await worker.drain();
});

const exitCode = (result: unknown): unknown => Reflect.get(Object(result), "exit_code");

test("ends the agent with all its processes on cancel, and confirms it", async () => {
  await using fixture = await createFixture();
  await using witness = await openWitness();
  const { panel, worker } = fixture;
  const run = panel.run("run_1");
  const script = `trap '' TERM; exec 3> '${witness.path}'; setsid sleep 600 & echo begun; sleep 600; wait`;
  panel.assign(asMember(["/bin/sh", "-c", script]));
  await panel.until(() => [...run.events.values()].some(({ text }) => text.includes("begun")));
  panel.send({ t: "cancel", cid: "stop", run_id: "run_1", epoch: 1, grace_s: 0 });
  await panel.until(() => run.state === "cancelled");
  await witness.gone;
  assert.ok(panel.framesOf("ack").some(({ cid }) => cid === "stop"));
  await worker.drain();
});

test("kills the processes and removes the tree when a write is rejected", async () => {
  await using fixture = await createFixture();
  await using witness = await openWitness();
  const { panel, worker } = fixture;
  const run = panel.run("run_1");
  panel.fate = ({ t }) => (t === "state" ? "held" : "heard");
  panel.assign(asMember(["/bin/sh", "-c", `exec 3> '${witness.path}'; echo begun; sleep 600`]));
  await panel.until(() => [...run.events.values()].some(({ text }) => text.includes("begun")));
  panel.send({ t: "state_ack", mid: run.states[0].mid, result: "rejected" });
  await witness.gone;
  await worker.drain();
  assert.deepEqual(readdirSync(worker.runs), []);
});

test("drops a run that the panel has dropped when it reconnects", async () => {
  await using fixture = await createFixture();
  const { panel, worker } = fixture;
  panel.assign(asMember(["/bin/sh", "-c", "echo begun; sleep 600"]));
  const run = panel.run("run_1");
  await panel.until(() => [...run.events.values()].some(({ text }) => text.includes("begun")));
  run.epoch = 2;
  panel.disconnect();
  await worker.drain();
  assert.deepEqual(readdirSync(worker.runs), []);
});

const BY_AGENT = { enabled: false, max_candidates: 10, areas: ["**"], checks: null };
const refusals: readonly (readonly [string, Partial<Assign>, string])[] = [
  ["an agent that is not here", asMember(["x"], "codex"), "unknown_cli"],
  ["a team that names nobody", { team: { preset: "solo", max_rounds: 1, members: [] } }, "unknown_cli"],
  ["a sandbox", { isolation: { network: "open", allow_hosts: [], level_required: "sandbox" } }, "isolation"],
  ["an agent that explores", { kind: "explore", explore: { ...BY_AGENT, scout: "agent" } }, "unknown_cli"],
];
for (const [what, changes, reason] of refusals)
  test(`refuses an assignment that needs ${what}: ${reason}`, async () => {
    await using fixture = await createFixture();
    fixture.panel.assign(changes);
    await fixture.panel.until(() => fixture.panel.framesOf("refuse").length === 1);
    assert.equal(fixture.panel.framesOf("refuse")[0].reason, reason);
  });

const untilAborted: Work = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));

test("refuses assignments when full or draining, and gives back stopped runs", async () => {
  await using fixture = await createFixture({ work: untilAborted });
  const { panel, worker } = fixture;
  panel.assign({ run_id: "run_1" });
  await panel.until(() => panel.run("run_1").state === "accepted");
  panel.assign({ run_id: "run_2" });
  panel.send({ t: "drain", cid: "drain" });
  panel.assign({ run_id: "run_3" });
  await panel.until(() => panel.framesOf("refuse").length === 2);
  // A duplicate order, as after a lost response.
  panel.assign({ run_id: "run_1" });
  await panel.until(() => panel.framesOf("accept").length === 2);
  await worker.stop();
  await panel.until(() => panel.framesOf("refuse").length === 3);
  assert.deepEqual(
    panel.framesOf("refuse").map(({ run_id, reason }) => [run_id, reason]),
    [
      ["run_2", "no_slot"],
      ["run_3", "stopping"],
      ["run_1", "stopping"],
    ],
  );
  assert.deepEqual(readdirSync(worker.runs), []);
});

test("reports an exception of an adapter as a failure of its agent", async () => {
  await using fixture = await createFixture();
  fixture.panel.assign(asMember(['{"rounds":', "nonsense"], "scripted"));
  const run = fixture.panel.run("run_1");
  await fixture.panel.until(() => run.state === "failed");
  assert.equal(run.states.at(-1)?.data["code"], "agent_error");
});

test("fails a run whose bundle is refused with the panel's code, and ends a late one silently", async () => {
  await using fixture = await createFixture();
  const { panel, worker } = fixture;
  panel.refuseUploads.push(400);
  panel.assign();
  await panel.until(() => panel.run("run_1").state === "failed");
  assert.equal(panel.run("run_1").states.at(-1)?.data["code"], "bundle_invalid");
  await worker.drain();
  panel.send({ t: "enable", cid: "on", enabled: true });
  panel.refuseUploads.push(409);
  panel.assign({ run_id: "run_2" });
  await panel.until(() => panel.run("run_2").state === "verifying" && panel.refuseUploads.length === 0);
  await worker.drain();
  assert.equal(panel.run("run_2").state, "verifying");
  assert.deepEqual(readdirSync(worker.runs), []);
});

const rotated = (license_key: string, generation: number): PanelFrame => ({
  t: "token_rotated",
  cid: license_key,
  license_key,
  generation,
  rotated_at: "2026-01-02T03:04:05.678Z",
});

test("writes a rotated key to its file before it acknowledges, ignores an older one, and uses the new one next", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const keyFile = join(repository.folder, "key");
  writeFileSync(keyFile, panel.key, { mode: 0o644 });
  await using worker = await startTestWorker(panel, join(repository.folder, "worker"), { keyFile });
  await panel.until(() => panel.connections === 1);
  panel.fate = (frame) => {
    if (frame.t === "ack" && frame.cid === "lic_the-second-key")
      assert.equal(readFileSync(keyFile, "utf8"), "lic_the-second-key\n");
    return "heard";
  };
  panel.send(rotated("lic_the-second-key", 3));
  panel.send(rotated("lic_an-older-key", 2));
  await panel.until(() => panel.framesOf("ack").length === 2);
  assert.equal(readFileSync(keyFile, "utf8"), "lic_the-second-key\n");
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  panel.useKey("lic_the-second-key");
  panel.disconnect();
  await panel.until(() => panel.connections === 2);
  assert.ok(!worker.log.join("\n").includes("lic_"));
});

test("reports a rejected key with the remedy, and reads the file again", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const keyFile = join(repository.folder, "key");
  writeFileSync(keyFile, "lic_too-old");
  const logged = Promise.withResolvers<string>();
  let isLogged = false;
  await using worker = await startTestWorker(panel, join(repository.folder, "worker"), {
    key: "lic_too-old",
    keyFile,
    onLog(text) {
      // Retries without a delay continue until this file's folder is removed.
      if (isLogged || !text.includes("--token-file")) return;
      isLogged = true;
      logged.resolve(text);
      writeFileSync(keyFile, panel.key);
    },
  });
  assert.match(await logged.promise, /--token-file or PANEL_TOKEN/);
  await panel.until(() => panel.connections === 1);
  assert.ok(worker.log.some((line) => line.includes("its file contains another key")));
});

test("continues after its own newer connection, and ends with a reason when replaced or deleted", async () => {
  await using own = await createFixture();
  own.panel.disconnect(4409, "reconnected");
  await own.panel.until(() => own.panel.connections === 2);
  for (const code of [4409, 4410]) {
    await using fixture = await createFixture({ work: untilAborted });
    fixture.panel.assign();
    await fixture.panel.until(() => fixture.panel.run("run_1").state === "accepted");
    fixture.panel.disconnect(code);
    const ended = await fixture.worker.ended;
    assert.ok(ended.kind === "dismissed");
    assert.match(ended.why, code === 4409 ? /another process/ : /deleted/);
    assert.equal(existsSync(join(fixture.worker.runs, "run_1.1")), false);
  }
});

test("ends a single-run worker after its run", async () => {
  await using fixture = await createFixture({ isOnce: true, work: async () => ({ state: "no_change", data: {} }) });
  fixture.panel.assign();
  assert.deepEqual(await fixture.worker.ended, { kind: "done" });
  assert.equal(fixture.panel.run("run_1").state, "no_change");
});

const acpAgent = fileURLToPath(new URL("children/acp-agent.ts", import.meta.url));

test("sends a probe to the agent itself, and reports models of a missing agent as an error", async () => {
  const named = new Map([
    ["well", ["/bin/true"]],
    ["ill", ["/bin/false"]],
    ["absent", ["/no/such/program"]],
    ["signed_out", [`acp:${process.execPath}`, acpAgent, "refused"]],
  ]);
  await using fixture = await createFixture({ named });
  const { panel } = fixture;
  for (const cli of named.keys()) panel.send({ t: "probe", cid: cli, cli, model: "m", timeout_s: 20 });
  panel.send({ t: "models", cid: "models", cli: "codex" });
  panel.send({ t: "models", cid: "none", cli: "well" });
  await panel.until(() => panel.framesOf("reply").length === 6);
  const replies = new Map(panel.framesOf("reply").map((reply) => [reply.cid, reply]));
  const codeOf = (cid: string) => {
    const reply = replies.get(cid);
    return reply?.ok === true ? (Object(reply.data["error"])["code"] ?? null) : reply?.error.code;
  };
  const codes = ["well", "ill", "absent", "signed_out", "models"].map(codeOf);
  assert.deepEqual(codes, [null, "network", "cli_missing", "auth", "cli_missing"]);
  assert.deepEqual(Object(replies.get("none"))["data"], { models: [] });
});

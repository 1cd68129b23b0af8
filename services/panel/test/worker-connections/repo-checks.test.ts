import assert from "node:assert/strict";
import { test } from "node:test";
import { openChannelScene, REPO } from "../support/create-channel-fixture.ts";
import type { WorkerSocket } from "../support/worker-socket.ts";

const SECRET = "s3cret-value-of-the-test";
const SETTINGS = {
  ...REPO,
  verify_cmd: "npm test",
  verify: { setup_cmd: "npm ci", timeout_s: 60 },
  environment: { FLAVOR: "plain", TOKEN: { value: SECRET, sealed: true } },
};
const GREEN = { setup: { exit_code: 0, duration_ms: 9 }, verify: { exit_code: 0, duration_ms: 8 } };
const DEADLINE_MS = (2 * 60 + 600) * 1000 + 60_000;

async function openCheckScene() {
  const scene = await openChannelScene();
  const account = await scene.make("pro");
  const { access_token: token, account_id: owner, license_key: key } = account;
  const { id } = (await scene.ask(token, "POST", "/api/repos", SETTINGS)).body;
  const at = `/api/repos/${id}`;
  await scene.ask(token, "PATCH", at, { status: "active" });
  return {
    ...scene,
    token,
    owner,
    key,
    at,
    repoId: id,
    request: async () => (await scene.ask(token, "POST", `${at}/check`)).status,
    patch: (body: object) => scene.ask(token, "PATCH", at, body),
    check: async () => (await scene.ask(token, "GET", at)).body["check"] as Check | null,
    join: (hello: object = {}) => scene.join(key, { can_check: true, ...hello }),
    tick: () => scene.clock.advance(1_000),
    /** Everything that the second brought has been sent when a later answer of the panel is there. */
    async quiet(worker: WorkerSocket): Promise<void> {
      scene.clock.advance(1_000);
      await worker.alive();
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

interface Check {
  readonly state: string;
  readonly message: string | null;
  readonly setup: object | null;
  readonly verify: object | null;
  readonly checked_at: string | null;
}

async function report(worker: WorkerSocket, check_id: string, result: object): Promise<void> {
  worker.say({ t: "checked", check_id, setup: null, verify: null, unavailable: false, message: null, ...result });
  assert.equal((await worker.next("checked_ack")).check_id, check_id);
}

test("a worker gets the commands, variables and limits of the repo, and its result is the state", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join();
  assert.equal(await scene.request(), 202);
  assert.equal((await scene.check())?.state, "pending");
  scene.tick();
  const frame = await worker.next("check");
  assert.deepEqual([frame.repo_id, frame.verify.cmd, frame.verify.setup_cmd], [scene.repoId, "npm test", "npm ci"]);
  assert.deepEqual(frame.clone, {
    url: `${scene.url}/api/worker/checks/${frame.check_id}/git`,
    branch: null,
    sha: null,
  });
  assert.deepEqual(frame.environment, [
    { name: "FLAVOR", value: "plain", sealed: false },
    { name: "TOKEN", value: SECRET, sealed: true },
  ]);
  assert.equal(frame.timeout_s, 720);
  assert.equal((await scene.check())?.state, "running");
  await report(worker, frame.check_id, GREEN);
  const { state, message, setup, verify, checked_at } = (await scene.check()) ?? assert.fail();
  assert.deepEqual({ state, message, setup, verify }, { state: "passed", message: null, ...GREEN });
  assert.ok(checked_at !== null);
  assert.ok(!scene.lines.join("").includes(frame.token), "the token is in no line of the log");
});

test("takes secrets of the repo and tokens out of the message", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join();
  await scene.request();
  scene.tick();
  const { check_id, token } = await worker.next("check");
  await report(worker, check_id, { setup: { exit_code: 1, duration_ms: 1 }, message: `with ${SECRET} and ${token}` });
  const { state, message } = (await scene.check()) ?? assert.fail();
  assert.equal(state, "failed");
  assert.equal(message, "with [redacted:TOKEN] and [redacted:check_token]");
});

test("refuses a message that is too long, and a check id that is none", async () => {
  await using scene = await openCheckScene();
  for (const bad of [{ message: "x".repeat(2_001) }, { check_id: "" }, { unavailable: "yes" }, { setup: {} }]) {
    const worker = await scene.join({ process: `p${Object.keys(bad).join("")}` });
    const good = { t: "checked", check_id: "chk_1", setup: null, verify: null, unavailable: false, message: null };
    worker.say({ ...good, ...bad });
    assert.equal((await worker.closed).code, 4400);
  }
});

test("a second request while one is open starts no other check", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join();
  await scene.request();
  await scene.request();
  scene.tick();
  const { check_id } = await worker.next("check");
  await scene.request();
  await scene.quiet(worker);
  assert.equal(worker.heard.filter(({ t }) => t === "check").length, 1);
  await report(worker, check_id, GREEN);
  await scene.request();
  scene.tick();
  assert.notEqual((await worker.next("check")).check_id, check_id);
});

test("waits for a worker that can check, is enabled and isolates enough", async () => {
  await using scene = await openCheckScene();
  await scene.request();
  const old = await scene.join({ can_check: false });
  const weak = await scene.join({ isolation: "worktree" });
  const disabled = await scene.join();
  await scene.ask(scene.token, "PATCH", `/api/workers/${disabled.workerId}`, { enabled: false });
  assert.equal((await disabled.next("enable")).enabled, false);
  for (const worker of [old, weak, disabled]) {
    await scene.quiet(worker);
    assert.ok(!worker.heard.some(({ t }) => t === "check"));
  }
  const fit = await scene.join();
  scene.tick();
  assert.equal((await fit.next("check")).repo_id, scene.repoId);
});

test("a check takes the slot of a run until its result is there", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join({ slots: 1 });
  await scene.request();
  scene.tick();
  const { check_id } = await worker.next("check");
  const run = (await scene.ask(scene.token, "POST", `${scene.at}/run`, {})).body;
  assert.equal(run["queue_reason"], "workers_full");
  await scene.quiet(worker);
  assert.ok(!worker.heard.some(({ t }) => t === "assign"));
  await report(worker, check_id, GREEN);
  assert.equal((await worker.next("assign")).run_id, run.id);
});

test("a result of older commands is acknowledged and ignored, and the new ones are checked", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join();
  await scene.request();
  scene.tick();
  const before = await worker.next("check");
  await scene.patch({ verify: { setup_cmd: "npm install" } });
  await report(worker, before.check_id, { ...GREEN, verify: { exit_code: 1, duration_ms: 1 } });
  assert.equal((await scene.check())?.state, "pending");
  scene.tick();
  const after = await worker.next("check");
  assert.equal(after.verify.setup_cmd, "npm install");
  await report(worker, after.check_id, GREEN);
  assert.equal((await scene.check())?.state, "passed");
  await scene.patch({ focus: "Other work." });
  assert.equal((await scene.check())?.state, "passed");
  await scene.patch({ environment: { FLAVOR: "other" } });
  assert.equal((await scene.check())?.state, "pending");
  await scene.patch({ verify_cmd: null, verify: { setup_cmd: null } });
  assert.equal(await scene.check(), null);
});

test("goes to another worker when its deadline is over, once, and is unavailable after that", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join();
  await scene.request();
  scene.tick();
  await worker.next("check");
  scene.clock.advance(DEADLINE_MS);
  const again = await scene.join({ process: "second" });
  scene.tick();
  await again.next("check");
  scene.clock.advance(DEADLINE_MS);
  const third = await scene.join({ process: "third" });
  await scene.quiet(third);
  const { state, message } = (await scene.check()) ?? assert.fail();
  assert.equal(state, "unavailable");
  assert.match(message ?? "", /did not report a result in time/);
});

test("a worker that comes back keeps its check, and one that was killed loses it at once", async () => {
  await using scene = await openCheckScene();
  const worker = await scene.join();
  await scene.request();
  scene.tick();
  const { check_id } = await worker.next("check");
  worker.socket.terminate();
  await worker.closed;
  const back = await scene.join({ worker_id: worker.workerId, checking: [check_id] });
  await scene.quiet(back);
  assert.equal((await scene.check())?.state, "running");
  back.socket.terminate();
  await back.closed;
  const killed = await scene.join({ worker_id: worker.workerId, process: "after a kill", checking: [] });
  scene.tick();
  assert.equal((await killed.next("check")).check_id, check_id);
  await report(killed, check_id, { unavailable: true, message: "go: not found (exit code 127)" });
  const { state, message } = (await scene.check()) ?? assert.fail();
  assert.deepEqual([state, message], ["unavailable", "go: not found (exit code 127)"]);
});

test("a repo that was removed is checked no more", async () => {
  await using scene = await openCheckScene();
  await scene.request();
  await scene.ask(scene.token, "DELETE", scene.at);
  const worker = await scene.join();
  await scene.quiet(worker);
  assert.ok(!worker.heard.some(({ t }) => t === "check"));
  assert.equal(await scene.request(), 404);
});

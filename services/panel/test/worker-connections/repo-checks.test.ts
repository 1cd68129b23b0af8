import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannelFixture, REPO } from "../support/create-channel-fixture.ts";
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

async function createCheckFixture() {
  const fixture = await createChannelFixture();
  const account = await fixture.make("pro");
  const { access_token: token, account_id: owner, license_key: key } = account;
  const { id } = (await fixture.ask(token, "POST", "/api/repos", SETTINGS)).body;
  const at = `/api/repos/${id}`;
  await fixture.ask(token, "PATCH", at, { status: "active" });
  return {
    ...fixture,
    token,
    owner,
    key,
    at,
    repoId: id,
    request: async () => (await fixture.ask(token, "POST", `${at}/check`)).status,
    patch: (body: object) => fixture.ask(token, "PATCH", at, body),
    check: async () => (await fixture.ask(token, "GET", at)).body["check"] as Check | null,
    join: (hello: object = {}) => fixture.join(key, { can_check: true, ...hello }),
    tick: () => fixture.clock.advance(1_000),
    /** All frames of this second were sent once a later reply arrives. */
    async quiet(worker: WorkerSocket): Promise<void> {
      fixture.clock.advance(1_000);
      await worker.alive();
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
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

test("sends commands, variables and limits of the repo to a worker, and stores its result", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join();
  assert.equal(await fixture.request(), 202);
  assert.equal((await fixture.check())?.state, "pending");
  fixture.tick();
  const frame = await worker.next("check");
  assert.deepEqual([frame.repo_id, frame.verify.cmd, frame.verify.setup_cmd], [fixture.repoId, "npm test", "npm ci"]);
  assert.deepEqual(frame.clone, {
    url: `${fixture.url}/api/worker/checks/${frame.check_id}/git`,
    branch: null,
    sha: null,
  });
  assert.deepEqual(frame.environment, [
    { name: "FLAVOR", value: "plain", sealed: false },
    { name: "TOKEN", value: SECRET, sealed: true },
  ]);
  assert.equal(frame.timeout_s, 720);
  assert.equal((await fixture.check())?.state, "running");
  await report(worker, frame.check_id, GREEN);
  const { state, message, setup, verify, checked_at } = (await fixture.check()) ?? assert.fail();
  assert.deepEqual({ state, message, setup, verify }, { state: "passed", message: null, ...GREEN });
  assert.ok(checked_at !== null);
  assert.ok(!fixture.lines.join("").includes(frame.token), "the token is in no line of the log");
});

test("redacts secrets of the repo and tokens in the message", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join();
  await fixture.request();
  fixture.tick();
  const { check_id, token } = await worker.next("check");
  await report(worker, check_id, { setup: { exit_code: 1, duration_ms: 1 }, message: `with ${SECRET} and ${token}` });
  const { state, message } = (await fixture.check()) ?? assert.fail();
  assert.equal(state, "failed");
  assert.equal(message, "with [redacted:TOKEN] and [redacted:check_token]");
});

test("rejects a message that is too long, and an invalid check id", async () => {
  await using fixture = await createCheckFixture();
  for (const bad of [{ message: "x".repeat(2_001) }, { check_id: "" }, { unavailable: "yes" }, { setup: {} }]) {
    const worker = await fixture.join({ process: `p${Object.keys(bad).join("")}` });
    const good = { t: "checked", check_id: "chk_1", setup: null, verify: null, unavailable: false, message: null };
    worker.say({ ...good, ...bad });
    assert.equal((await worker.closed).code, 4400);
  }
});

test("starts no second check while one is open", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join();
  await fixture.request();
  await fixture.request();
  fixture.tick();
  const { check_id } = await worker.next("check");
  await fixture.request();
  await fixture.quiet(worker);
  assert.equal(worker.received.filter(({ t }) => t === "check").length, 1);
  await report(worker, check_id, GREEN);
  await fixture.request();
  fixture.tick();
  assert.notEqual((await worker.next("check")).check_id, check_id);
});

test("waits for an enabled worker that supports checks and the required isolation", async () => {
  await using fixture = await createCheckFixture();
  await fixture.request();
  const old = await fixture.join({ can_check: false });
  const weak = await fixture.join({ isolation: "worktree" });
  const disabled = await fixture.join();
  await fixture.ask(fixture.token, "PATCH", `/api/workers/${disabled.workerId}`, { enabled: false });
  assert.equal((await disabled.next("enable")).enabled, false);
  for (const worker of [old, weak, disabled]) {
    await fixture.quiet(worker);
    assert.ok(!worker.received.some(({ t }) => t === "check"));
  }
  const fit = await fixture.join();
  fixture.tick();
  assert.equal((await fit.next("check")).repo_id, fixture.repoId);
});

test("occupies a run slot until its result arrives", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join({ slots: 1 });
  await fixture.request();
  fixture.tick();
  const { check_id } = await worker.next("check");
  const run = (await fixture.ask(fixture.token, "POST", `${fixture.at}/run`, {})).body;
  assert.equal(run["queue_reason"], "workers_full");
  await fixture.quiet(worker);
  assert.ok(!worker.received.some(({ t }) => t === "assign"));
  await report(worker, check_id, GREEN);
  assert.equal((await worker.next("assign")).run_id, run.id);
});

test("acknowledges and ignores a result of older commands, and checks the new ones", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join();
  await fixture.request();
  fixture.tick();
  const before = await worker.next("check");
  await fixture.patch({ verify: { setup_cmd: "npm install" } });
  await report(worker, before.check_id, { ...GREEN, verify: { exit_code: 1, duration_ms: 1 } });
  assert.equal((await fixture.check())?.state, "pending");
  fixture.tick();
  const after = await worker.next("check");
  assert.equal(after.verify.setup_cmd, "npm install");
  await report(worker, after.check_id, GREEN);
  assert.equal((await fixture.check())?.state, "passed");
  await fixture.patch({ focus: "Other work." });
  assert.equal((await fixture.check())?.state, "passed");
  await fixture.patch({ environment: { FLAVOR: "other" } });
  assert.equal((await fixture.check())?.state, "pending");
  await fixture.patch({ verify_cmd: null, verify: { setup_cmd: null } });
  assert.equal(await fixture.check(), null);
});

test("retries once on another worker after the deadline, and is unavailable afterwards", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join();
  await fixture.request();
  fixture.tick();
  await worker.next("check");
  fixture.clock.advance(DEADLINE_MS);
  const again = await fixture.join({ process: "second" });
  fixture.tick();
  await again.next("check");
  fixture.clock.advance(DEADLINE_MS);
  const third = await fixture.join({ process: "third" });
  await fixture.quiet(third);
  const { state, message } = (await fixture.check()) ?? assert.fail();
  assert.equal(state, "unavailable");
  assert.match(message ?? "", /did not report a result in time/);
});

test("keeps the check of a reconnecting worker, and releases that of a killed one immediately", async () => {
  await using fixture = await createCheckFixture();
  const worker = await fixture.join();
  await fixture.request();
  fixture.tick();
  const { check_id } = await worker.next("check");
  worker.socket.terminate();
  await worker.closed;
  const back = await fixture.join({ worker_id: worker.workerId, checking: [check_id] });
  await fixture.quiet(back);
  assert.equal((await fixture.check())?.state, "running");
  back.socket.terminate();
  await back.closed;
  const killed = await fixture.join({ worker_id: worker.workerId, process: "after a kill", checking: [] });
  fixture.tick();
  assert.equal((await killed.next("check")).check_id, check_id);
  await report(killed, check_id, { unavailable: true, message: "go: not found (exit code 127)" });
  const { state, message } = (await fixture.check()) ?? assert.fail();
  assert.deepEqual([state, message], ["unavailable", "go: not found (exit code 127)"]);
});

test("stops checking a removed repo", async () => {
  await using fixture = await createCheckFixture();
  await fixture.request();
  await fixture.ask(fixture.token, "DELETE", fixture.at);
  const worker = await fixture.join();
  await fixture.quiet(worker);
  assert.ok(!worker.received.some(({ t }) => t === "check"));
  assert.equal(await fixture.request(), 404);
});

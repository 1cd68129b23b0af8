import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannelFixture, REPO } from "../support/create-channel-fixture.ts";
import { HELLO } from "../support/worker-socket.ts";

test("notifies connected workers that have free slots of a rotation, and their next start uses the new key", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: first, access_token: token } = await fixture.make("pro");
  const [firstWorker, other] = [await fixture.join(first), await fixture.join(first)];
  const quiet = (await fixture.ask(token, "POST", "/api/account/license")).body;
  assert.deepEqual([quiet["notified_workers"], quiet["notified_workers_count"]], [false, 0]);
  const keysCurrent = async () => {
    const { workers } = (await fixture.ask(token, "GET", "/api/worker/status")).body;
    return (workers as { key_current: boolean }[]).map(({ key_current }) => key_current);
  };
  assert.deepEqual(await keysCurrent(), [false, false]);
  await fixture.ask(token, "PATCH", `/api/workers/${other.workerId}`, { enabled: false });
  assert.equal((await other.next("enable")).enabled, false);
  const rotation = (await fixture.ask(token, "POST", "/api/account/license?notify_workers=yes")).body;
  assert.deepEqual([rotation["notified_workers"], rotation["notified_workers_count"]], [true, 2]);
  const [frame] = [await firstWorker.next("token_rotated"), await other.next("token_rotated")];
  assert.deepEqual([frame.license_key, frame.generation], [rotation["license_key"], 3]);
  const entry = { worker_id: firstWorker.workerId, agent_token: rotation["license_key"], generation: 3 };
  assert.deepEqual([await keysCurrent(), fixture.channel.tokens.get(firstWorker.workerId)], [[true, true], entry]);
  const rows = [];
  for (const table of ["connection", "worker", "license_key", "audit", "errand"] as const)
    rows.push(await fixture.database.db.selectFrom(table).selectAll().execute());
  const persisted = JSON.stringify(rows) + fixture.lines.join("");
  for (const key of [first, frame.license_key]) assert.ok(!persisted.includes(key));
  const metrics = await (await fetch(`${fixture.url}/metrics`)).text();
  assert.match(metrics, /panel_broadcast_notified_total\{[^}]*\} 2/);
  assert.match(metrics, /panel_workers\{health="disabled"[^}]*\} 1/);
  for (const id of [firstWorker.workerId, frame.license_key]) assert.ok(!metrics.includes(id));
});

test("reports whether the last key of a disconnected worker is current", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token } = await fixture.make("pro");
  const worker = await fixture.join(key);
  const rotate = async (query: string) => fixture.ask(token, "POST", `/api/account/license${query}`);
  const keyStates = async () => {
    const { workers } = (await fixture.ask(token, "GET", "/api/worker/status")).body;
    const [current] = workers as { connected: boolean; key_current: boolean }[];
    return [current?.connected, current?.key_current];
  };
  await rotate("?notify_workers=1");
  worker.socket.close();
  await worker.closed;
  // The panel notices it a moment later.
  for (let tries = 0; tries < 500 && String(await keyStates()) !== "false,true"; tries++);
  assert.deepEqual(await keyStates(), [false, true]);
  await rotate("");
  assert.deepEqual(await keyStates(), [false, false]);
});

test("reports the status of each worker, and disconnects a deleted one without counting an attempt", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token, account_id: owner } = await fixture.make("pro");
  const worker = await fixture.join(key);
  const probe = await worker.next("probe");
  const result = { ok: false, latency_ms: 12, error: { code: "auth", message: "no key" } };
  worker.say({ t: "reply", cid: probe.cid, ok: true, data: result });
  worker.say({ t: "hb", holding: [], free_slots: 2, load: 0, disk_free_mb: 500 });
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  const run = (await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {})).body;
  const { run_id, epoch } = await worker.next("assign");
  worker.say({ t: "accept", run_id, epoch });
  await fixture.until(owner, run.id, ({ state }) => state === "preparing");
  const read = async () => (await fixture.ask(token, "GET", "/api/worker/status")).body as unknown as Status;
  const { workers, summary } = await read();
  assert.deepEqual(summary, { connected: 1, slots: 2, busy: 1, queued: 0, oldest_queued_s: 0 });
  const [seen] = workers;
  assert.deepEqual([seen?.health, seen?.cli, seen?.model, seen?.runs], ["degraded", "codex", "gpt-x", [run.id]]);

  const clash = (await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, { focus: "Other." })).body;
  const waiting = (await fixture.ask(token, "GET", `/api/runs/${clash.id}`)).body;
  assert.deepEqual([waiting["queue_reason"], waiting["queue_position"]], ["repo_busy", 1]);
  assert.equal((await fixture.ask(token, "DELETE", `/api/workers/${worker.workerId}`)).status, 204);
  assert.equal((await worker.closed).code, 4410);
  assert.equal((await fixture.ask(token, "DELETE", `/api/workers/${worker.workerId}`)).status, 404);
  const back = await fixture.store.of(owner).runs.find(run.id);
  assert.deepEqual([back?.state, back?.attempt], ["queued", 0]);
  assert.deepEqual((await read()).workers, []);
  const alone = (await fixture.ask(token, "GET", `/api/runs/${run.id}`)).body;
  assert.deepEqual([alone["queue_reason"], alone["worker"]], ["no_worker", null]);
  assert.match(String(alone["queue_hint"]), /Connect a worker/);
});

interface Status {
  readonly workers: readonly {
    health: string;
    cli: string;
    model: string;
    runs: string[];
    enabled: boolean;
    isolation: string;
    warnings: string[];
  }[];
  readonly summary: object;
}

test("drains or releases the runs of a disabled worker, which stays disabled on reconnect", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token, account_id: owner } = await fixture.make("pro");
  const worker = await fixture.join(key);
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  const run = (await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {})).body;
  const { run_id, epoch } = await worker.next("assign");
  worker.say({ t: "accept", run_id, epoch });
  await fixture.until(owner, run.id, ({ state }) => state === "preparing");
  const patch = (body: object) => fixture.ask(token, "PATCH", `/api/workers/${worker.workerId}`, body);
  assert.deepEqual((await patch({ enabled: false })).body["runs"], [run.id]);
  assert.deepEqual((await patch({ enabled: false, drain: false })).body["runs"], []);
  assert.equal((await worker.next("cancel")).run_id, run.id);
  const back = await fixture.connect(key);
  back.say({ ...HELLO, worker_id: worker.workerId });
  assert.equal((await back.next("welcome")).enabled, false);
  assert.equal((await fixture.store.of(owner).runs.find(run.id))?.state, "queued");
  await patch({ enabled: true });
  assert.equal((await back.next("assign")).epoch, 2);
  assert.equal((await patch({ enabled: true, drain: 1 })).status, 400);
});

test("lists models as workers report them, refreshes on demand, and shares concurrent probes", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token } = await fixture.make("pro");
  const path = "/api/worker/models?cli=codex";
  assert.deepEqual((await fixture.ask(token, "GET", path)).body["models"], []);
  const body = { cli: "codex", model: "gpt-y" };
  assert.equal((await fixture.ask(token, "POST", "/api/worker/probe", body)).body["code"], "no_worker_connected");
  const worker = await fixture.join(key);
  await worker.next("probe");
  const listed = (await fixture.ask(token, "GET", path)).body;
  assert.deepEqual(listed["models"], [{ id: "gpt-x", workers: [worker.workerId], source: "cli", default: true }]);
  const refreshing = fixture.ask(token, "GET", `${path}&refresh=true`);
  const { cid } = await worker.next("models");
  worker.say({ t: "reply", cid, ok: true, data: { models: [{ id: "gpt-y" }, { id: "gpt-z" }] } });
  const models = (await refreshing).body["models"] as { id: string }[];
  assert.deepEqual(
    models.map(({ id }) => id),
    ["gpt-y", "gpt-z"],
  );

  const asking = [1, 2].map(() => fixture.ask(token, "POST", "/api/worker/probe", body));
  const probe = await worker.next("probe");
  worker.say({ t: "reply", cid: probe.cid, ok: false, error: { code: "cli_missing", message: "gone" } });
  for (const answer of await Promise.all(asking)) {
    assert.deepEqual([answer.status, answer.body["ok"], answer.body["worker_id"]], [200, false, worker.workerId]);
    assert.deepEqual(answer.body["error"], { code: "cli_missing", message: "gone" });
  }
  assert.equal(worker.received.filter(({ t }) => t === "probe").length, 2);
  const other = (await fixture.ask(token, "POST", "/api/worker/probe", { ...body, cli: "pi" })).body;
  assert.deepEqual([other["ok"], other["worker_id"]], [false, null]);
  const unknown = await fixture.ask(token, "POST", "/api/worker/probe", { ...body, worker_id: "wrk_none" });
  assert.equal(unknown.status, 404);
  const late = fixture.ask(token, "POST", "/api/worker/probe", { ...body, worker_id: worker.workerId });
  await worker.next("probe");
  fixture.clock.advance(33_000);
  assert.deepEqual(((await late).body["error"] as { code: string }).code, "timeout");
  assert.equal((await fixture.ask(token, "POST", "/api/worker/probe", body)).status, 429);
});

test("warns of a worker without a sandbox", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token } = await fixture.make("pro");
  await fixture.join(key);
  await fixture.join(key, { ...HELLO, isolation: "worktree" });
  const { workers } = (await fixture.ask(token, "GET", "/api/worker/status")).body as unknown as Status;
  const warnings = Object.fromEntries(workers.map((worker) => [worker.isolation, worker.warnings]));
  assert.deepEqual(warnings, { sandbox: [], worktree: ["no_sandbox"] });
});

test("reports what a run or an explore would wait for, with a remedy", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token } = await fixture.make("pro");
  const made = (await fixture.ask(token, "POST", "/api/repos", { url: "https://git.example.test/acme/sum.git" })).body;
  const reasons = async (method: "GET" | "PATCH" = "GET", body?: object) => {
    const { run, explore } = (await fixture.ask(token, method, `/api/repos/${made.id}`, body)).body[
      "would_wait"
    ] as WouldWait;
    return [run?.reason ?? null, explore?.reason ?? null, run?.hint ?? ""];
  };
  const allReasons = async () => {
    const { would_wait } = (await fixture.ask(token, "GET", `/api/repos/${made.id}`)).body as unknown as Waiting;
    assert.deepEqual(would_wait.run?.reasons[0], { reason: would_wait.run?.reason, hint: would_wait.run?.hint });
    return would_wait.run?.reasons.map(({ reason }) => reason);
  };
  assert.deepEqual((await reasons()).slice(0, 2), ["no_worker", "no_worker"]);

  const socket = await fixture.connect(key);
  socket.say({ ...HELLO, isolation: "worktree", agents: [] });
  await socket.next("welcome");
  assert.deepEqual((await reasons()).slice(0, 2), ["no_worker_with_isolation", "no_worker_with_isolation"]);
  assert.deepEqual(await allReasons(), ["no_worker_with_isolation", "no_worker_with_cli"]);
  const level = (level_required: string) => reasons("PATCH", { isolation: { level_required } });
  assert.deepEqual((await level("worktree")).slice(0, 2), ["no_worker_with_cli", null]);

  const other = await fixture.connect(key);
  other.say({ ...HELLO, worker_id: null, isolation: "worktree" });
  await other.next("welcome");
  assert.deepEqual(await reasons(), [null, null, ""]);
  const [run, explore, hint] = await level("sandbox");
  assert.deepEqual([run, explore], ["no_worker_with_isolation", "no_worker_with_isolation"]);
  assert.match(String(hint), /bubblewrap.*or set `isolation\.level_required` to `worktree`/);
});

interface Waiting {
  readonly would_wait: WouldWait;
}

interface WaitReason {
  readonly reason: string;
  readonly hint: string;
}

interface WouldWait {
  readonly run: (WaitReason & { readonly reasons: readonly WaitReason[] }) | null;
  readonly explore: { readonly reason: string } | null;
}

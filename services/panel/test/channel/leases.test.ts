import assert from "node:assert/strict";
import { test } from "node:test";
import { GREEN, openChannelScene, REPO, SHA, type ChannelScene } from "../support/open-channel-scene.ts";
import { HELLO, type WorkerSocket } from "../support/worker-socket.ts";

async function openRun(scene: ChannelScene) {
  const account = await scene.make("pro");
  const { access_token: token, account_id: owner, license_key: key } = account;
  const repo = (await scene.ask(token, "POST", "/api/repos", REPO)).body;
  const start = async (body: object = {}) => (await scene.ask(token, "POST", `/api/repos/${repo.id}/run`, body)).body;
  const is = (id: string, state: string, epoch: number) =>
    scene.until(owner, id, (run) => run.state === state && run.epoch === epoch);
  return { token, owner, key, start, is };
}

/** Takes the next offer. */
async function take(worker: WorkerSocket) {
  const { cid, run_id, epoch } = await worker.next("assign");
  worker.say({ t: "ack", cid });
  worker.say({ t: "accept", run_id, epoch });
  return { run_id, epoch };
}

async function report(worker: WorkerSocket, mid: string, frame: object) {
  worker.say({ t: "state", mid, ...frame });
  return (await worker.next("state_ack")).result;
}

const BEAT = { t: "hb", free_slots: 1, load: 0.1, disk_free_mb: 9_000 };
const CANCELLED = { state: "cancelled", data: {} };

test("an offer that is not answered for 5 s, is refused, or whose worker goes, comes back without an attempt", async () => {
  await using scene = await openChannelScene();
  const { key, start, is } = await openRun(scene);
  const silent = await scene.join(key);
  const run = await start();
  await silent.next("assign");
  scene.clock.advance(6_000);
  assert.deepEqual((await is(run.id, "queued", 1)).attempt, 0);
  assert.deepEqual((await silent.next("cancel")).run_id, run.id);

  const refusing = await scene.join(key);
  const offered = await refusing.next("assign");
  assert.equal(offered.epoch, 2);
  refusing.say({ t: "refuse", run_id: run.id, epoch: 2, reason: "disk" });
  assert.equal((await is(run.id, "queued", 2)).attempt, 0);

  const leaving = await scene.join(key);
  assert.equal((await leaving.next("assign")).epoch, 3);
  leaving.socket.terminate();
  assert.equal((await is(run.id, "queued", 3)).attempt, 0);
});

test("what a worker cannot do at all is not offered to it again, and everything else is, at once", async () => {
  await using scene = await openChannelScene();
  const { key, token, start, is } = await openRun(scene);
  const unable = await scene.join(key);
  const run = await start();
  const { epoch } = await unable.next("assign");
  unable.say({ t: "refuse", run_id: run.id, epoch, reason: "unknown_cli" });
  assert.ok((await is(run.id, "queued", 1)).facts.warnings.includes("worker_unable"));
  const told = (await scene.ask(token, "GET", `/api/runs/${run.id}`)).body;
  assert.equal(told["queue_reason"], "no_worker_with_cli");
  const repo = (
    await scene.ask(token, "POST", "/api/repos", { ...REPO, url: "https://git.example.org/acme/other.git" })
  ).body;
  const second = (await scene.ask(token, "POST", `/api/repos/${repo.id}/run`, {})).body;
  assert.equal((await unable.next("assign")).run_id, second.id);

  const able = await scene.join(key, { process: "another" });
  assert.equal((await able.next("assign")).run_id, run.id);
  const leased = await is(run.id, "leased", 2);
  assert.ok(!leased.facts.warnings.includes("worker_unable"));
});

test("runs of a repo that was paused wait until it is not", async () => {
  await using scene = await openChannelScene();
  const { key, token, owner, start, is } = await openRun(scene);
  const run = await start();
  const [repo] = await scene.store.of(owner).repos.list({}, { below: null, limit: 1 });
  const turn = (status: string) => scene.ask(token, "PATCH", `/api/repos/${repo?.id}`, { status });
  await turn("paused");
  const worker = await scene.join(key);
  scene.clock.advance(1_000);
  await worker.alive();
  const told = (await scene.ask(token, "GET", `/api/runs/${run.id}`)).body;
  assert.deepEqual([told["state"], told["queue_reason"], told["queue_position"]], ["queued", "repo_paused", 1]);
  await turn("active");
  assert.equal((await worker.next("assign")).run_id, run.id);
  await is(run.id, "leased", 1);
});

test("heartbeats of the holder alone move the lease; where it lapses another worker gets the run, and the third loss is the last", async () => {
  await using scene = await openChannelScene();
  const { key, owner, start, is } = await openRun(scene);
  const first = await scene.join(key);
  const run = await start();
  const held = await take(first);
  await is(run.id, "preparing", 1);
  const leaseOf = async () => (await scene.store.of(owner).runs.find(run.id))?.leaseUntil;
  const [begun, before] = [scene.clock.now(), await leaseOf()];
  scene.clock.advance(10_000);
  first.say({ ...BEAT, holding: [{ ...held, epoch: 7 }] });
  first.say({ ...BEAT, holding: [held] });
  await report(first, "m0", { ...held, state: "succeeded", data: {} });
  assert.deepEqual([before, await leaseOf()], [begun + 45_000, begun + 55_000]);

  const second = await scene.join(key);
  scene.clock.advance(40_000);
  await Promise.all([first.alive(), second.alive()]);
  scene.clock.advance(6_000);
  const other = await take(second);
  assert.deepEqual(other, { run_id: run.id, epoch: 2 });
  assert.equal((await first.next("cancel")).epoch, 1);
  assert.equal(await report(first, "m1", { ...held, state: "running", data: {} }), "rejected");

  await is(run.id, "preparing", 2);
  scene.clock.advance(46_000);
  const delayed = await is(run.id, "queued", 2);
  assert.ok(delayed.notBefore > scene.clock.now());
  const third = await scene.join(key);
  scene.clock.advance(16_000);
  const last = await take(third);
  assert.equal(last.epoch, 3);
  await is(run.id, "preparing", 3);
  scene.clock.advance(46_000);
  const lost = await is(run.id, "lost", 3);
  assert.deepEqual([lost.attempt, lost.result?.code], [3, "worker_lost"]);
});

test("cancelling asks the worker, who confirms; one that does not within 10 s is not waited for, one that is gone not asked", async () => {
  await using scene = await openChannelScene();
  const { key, token, start, is } = await openRun(scene);
  const worker = await scene.join(key);
  const cancel = async (id: string) => (await scene.ask(token, "POST", `/api/runs/${id}/cancel`)).body["state"];

  const confirmed = await start();
  const held = await take(worker);
  await is(confirmed.id, "preparing", 1);
  assert.equal(await cancel(confirmed.id), "preparing");
  assert.equal((await worker.next("cancel")).run_id, confirmed.id);
  assert.equal(await report(worker, "m1", { ...held, ...CANCELLED }), "ok");
  await is(confirmed.id, "cancelled", 1);

  const stubborn = await start();
  await take(worker);
  await is(stubborn.id, "preparing", 1);
  await cancel(stubborn.id);
  const asked = scene.clock.now();
  scene.clock.advance(10_000);
  assert.ok(((await is(stubborn.id, "cancelled", 1)).endedAt ?? Infinity) <= asked + 10_000);

  const left = await start();
  await take(worker);
  await is(left.id, "preparing", 1);
  worker.socket.terminate();
  await worker.closed;
  const [account] = await scene.database.db.selectFrom("account").select("owner").execute();
  while ((await scene.store.of(account?.owner ?? "").workers.countConnected()) > 0) await new Promise(setImmediate);
  assert.equal(await cancel(left.id), "cancelled");
});

test("a run that was to be cancelled never reaches pushing", async () => {
  await using scene = await openChannelScene();
  const { key, token, start, is } = await openRun(scene);
  const worker = await scene.join(key);
  const run = await start();
  const held = await take(worker);
  await report(worker, "m1", { ...held, state: "running", data: { baseline: null } });
  await report(worker, "m2", { ...held, state: "verifying", data: { changed_files: 1, insertions: 1, deletions: 0 } });
  await scene.ask(token, "POST", `/api/runs/${run.id}/cancel`);
  scene.bundles.put(run.id, 1, SHA);
  assert.equal(
    await report(worker, "m3", { ...held, state: "pushing", data: { verify: GREEN, head_sha: SHA } }),
    "rejected",
  );
  await is(run.id, "cancelled", 1);
  assert.deepEqual(scene.bundles.judged, []);
});

test("what the panel finds wrong with a hand-over, or the worker's own verdict forbids, fails the run", async () => {
  await using scene = await openChannelScene();
  const { key, start, is } = await openRun(scene);
  const worker = await scene.join(key);
  const handOver = async (verify: object) => {
    const run = await start();
    const held = await take(worker);
    await report(worker, "m1", { ...held, state: "running", data: { baseline: null } });
    await report(worker, "m2", {
      ...held,
      state: "verifying",
      data: { changed_files: 1, insertions: 1, deletions: 0 },
    });
    assert.equal(await report(worker, "m3", { ...held, state: "pushing", data: { verify, head_sha: SHA } }), "ok");
    return (await is(run.id, "failed", 1)).result?.code;
  };
  assert.equal(await handOver(GREEN), "bundle_invalid");
  assert.equal(await handOver({ ...GREEN, verdict: "failed" }), "verify_failed");
});

/** A worker that has asked for pushing while the repository cannot be reached. */
async function handOverToNobody(scene: ChannelScene) {
  const { key, start, is } = await openRun(scene);
  const worker = await scene.join(key);
  const run = await start();
  const held = await take(worker);
  const changed = { changed_files: 1, insertions: 1, deletions: 0 };
  await report(worker, "m1", { ...held, state: "running", data: { baseline: null } });
  await report(worker, "m2", { ...held, state: "verifying", data: changed });
  scene.bundles.put(run.id, 1, SHA);
  scene.bundles.isAway = true;
  worker.say({ t: "state", mid: "m3", ...held, state: "pushing", data: { verify: GREEN, head_sha: SHA } });
  while (scene.bundles.judged.length === 0) await worker.alive();
  return { worker, run, is };
}

test("a hand-over is judged again where its repository could not be reached", async () => {
  await using scene = await openChannelScene({ leaseMs: 3_600_000 });
  const { bundles, clock } = scene;
  const { worker, run, is } = await handOverToNobody(scene);
  bundles.isAway = false;
  while (bundles.judged.length === 1) {
    clock.advance(1_000);
    await worker.alive();
  }
  assert.equal((await worker.next("state_ack")).result, "ok");
  await is(run.id, "pushing", 1);
});

test("one that could not be judged for ten minutes fails the run, which can be tried again", async () => {
  await using scene = await openChannelScene({ leaseMs: 3_600_000 });
  const { bundles, clock } = scene;
  const { worker, run, is } = await handOverToNobody(scene);
  const begun = clock.now();
  for (let judged = 1; clock.now() - begun < 600_000; judged = bundles.judged.length)
    while (bundles.judged.length === judged && clock.now() - begun < 600_000) {
      clock.advance(5_000);
      await worker.alive();
    }
  clock.advance(15_000);
  assert.equal((await worker.next("state_ack")).result, "ok");
  const { result } = await is(run.id, "failed", 1);
  assert.deepEqual(result, { code: "push_refused", message: "away" });
  assert.ok(bundles.judged.length > 30, "looked at again at least every 15 s");
});

test("a worker that comes back resumes what is its own where the panel heard it last, and drops the rest", async () => {
  await using scene = await openChannelScene();
  const { key, start, is } = await openRun(scene);
  const worker = await scene.join(key);
  const run = await start();
  const held = await take(worker);
  assert.equal(await report(worker, "m1", { ...held, state: "running", data: { baseline: null } }), "ok");
  const item = { at: "2026-11-22T10:00:00Z", from: { role: "coder" }, kind: "log", text: "x", data: {} };
  worker.say({
    t: "events",
    ...held,
    items: [
      { ...item, wseq: 1 },
      { ...item, wseq: 2 },
    ],
  });
  assert.equal((await worker.next("events_ack")).upto, 2);
  const gone = { run_id: "run_gone", epoch: 1, spooled_to: 0 };
  const back = await scene.connect(key);
  back.say({ ...HELLO, worker_id: worker.workerId, holding: [{ ...held, spooled_to: 2 }, gone] });
  const welcome = await back.next("welcome");
  assert.deepEqual(welcome.resume, [{ ...held, events_upto: 2 }]);
  assert.deepEqual(welcome.drop, [{ run_id: "run_gone", epoch: 1, reason: "superseded" }]);
  // The acknowledgement of the report was lost: said again it is known, and what was said after it is heard.
  assert.equal(await report(back, "m1", { ...held, state: "running", data: { baseline: null } }), "duplicate");
  back.say({
    t: "events",
    ...held,
    items: [
      { ...item, wseq: 2 },
      { ...item, wseq: 3 },
    ],
  });
  assert.equal((await back.next("events_ack")).upto, 3);
  assert.equal(await report(back, "m2", { ...held, state: "no_change", data: { code: "ok" } }), "ok");
  const ended = await is(run.id, "no_change", 1);
  assert.equal(ended.lastSeq, 8);
  assert.equal(
    await report(back, "m3", { ...held, state: "failed", data: { code: "internal", message: "" } }),
    "rejected",
  );
});

test("what a worker comes back without is given out again at once, and a run that kills its workers is lost with the third", async () => {
  await using scene = await openChannelScene();
  const { key, start, is } = await openRun(scene);
  const run = await start();
  let workerId: string | null = null;
  for (const attempt of [1, 2, 3]) {
    const worker: WorkerSocket & { workerId: string } = await scene.join(key, { worker_id: workerId });
    ({ workerId } = worker);
    if (attempt === 3) scene.clock.advance(16_000);
    await take(worker);
    await is(run.id, "preparing", attempt);
    worker.socket.terminate();
  }
  const last = await scene.join(key, { worker_id: workerId });
  const lost = await is(run.id, "lost", 3);
  assert.deepEqual([lost.attempt, lost.result?.code], [3, "worker_lost"]);

  // An offer that it has never taken is no try.
  const second = await start();
  await last.next("assign");
  const back = await scene.join(key, { worker_id: workerId });
  assert.deepEqual((await back.next("assign")).run_id, second.id);
  assert.equal((await is(second.id, "leased", 2)).attempt, 1);
});

test("a restart of the panel requeues nothing: leases get 45 s, and workers resume", async () => {
  await using scene = await openChannelScene({ leaseMs: 2_000 });
  const { key, owner, start, is } = await openRun(scene);
  const worker = await scene.join(key);
  const run = await start();
  const held = await take(worker);
  await is(run.id, "preparing", 1);
  await using next = await openChannelScene({ database: scene.database, clock: scene.clock, leaseMs: 2_000 });
  worker.socket.terminate();
  scene.clock.advance(30_000);
  const back = await next.connect(key);
  back.say({ ...HELLO, worker_id: worker.workerId, holding: [{ ...held, spooled_to: 0 }] });
  assert.deepEqual((await back.next("welcome")).resume, [{ ...held, events_upto: 0 }]);
  const after = await next.store.of(owner).runs.find(run.id);
  assert.deepEqual([after?.state, after?.epoch, after?.attempt], ["preparing", 1, 1]);
});

test("a run beyond its own time is ended by the panel where its worker has not", async () => {
  await using scene = await openChannelScene({ leaseMs: 600_000 });
  const { key, token, owner, start, is } = await openRun(scene);
  const [repo] = await scene.store.of(owner).repos.list({}, { below: null, limit: 1 });
  await scene.ask(token, "PATCH", `/api/repos/${repo?.id}`, { limits: { timeout_s: 60 } });
  const worker = await scene.join(key);
  const run = await start();
  await take(worker);
  await is(run.id, "preparing", 1);
  for (let seconds = 0; seconds < 80; seconds += 40) {
    scene.clock.advance(40_000);
    await worker.alive();
  }
  scene.clock.advance(11_000);
  assert.equal((await is(run.id, "failed", 1)).result?.code, "timeout");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { CANCELLED, openRun, report, take } from "../support/channel-run.ts";
import { GREEN, openChannelScene, SHA, type ChannelScene } from "../support/create-channel-fixture.ts";

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

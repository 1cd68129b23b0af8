import assert from "node:assert/strict";
import { test } from "node:test";
import { HEARTBEAT, openRun, report, take } from "../support/channel-run.ts";
import { createChannelFixture } from "../support/create-channel-fixture.ts";
import { HELLO, type WorkerSocket } from "../support/worker-socket.ts";

test("renews leases on heartbeats of the holder, requeues expired ones, and loses the run after the third", async () => {
  await using fixture = await createChannelFixture();
  const { key, owner, start, is } = await openRun(fixture);
  const first = await fixture.join(key);
  const run = await start();
  const lease = await take(first);
  await is(run.id, "preparing", 1);
  const leaseOf = async () => (await fixture.store.of(owner).runs.find(run.id))?.leaseUntil;
  const [startedAt, before] = [fixture.clock.now(), await leaseOf()];
  fixture.clock.advance(10_000);
  first.say({ ...HEARTBEAT, holding: [{ ...lease, epoch: 7 }] });
  first.say({ ...HEARTBEAT, holding: [lease] });
  await report(first, "m0", { ...lease, state: "succeeded", data: {} });
  assert.deepEqual([before, await leaseOf()], [startedAt + 45_000, startedAt + 55_000]);

  const second = await fixture.join(key);
  fixture.clock.advance(40_000);
  await Promise.all([first.alive(), second.alive()]);
  fixture.clock.advance(6_000);
  const other = await take(second);
  assert.deepEqual(other, { run_id: run.id, epoch: 2 });
  assert.equal((await first.next("cancel")).epoch, 1);
  assert.equal(await report(first, "m1", { ...lease, state: "running", data: {} }), "rejected");

  await is(run.id, "preparing", 2);
  fixture.clock.advance(46_000);
  const delayed = await is(run.id, "queued", 2);
  assert.ok(delayed.notBefore > fixture.clock.now());
  const third = await fixture.join(key);
  fixture.clock.advance(16_000);
  const last = await take(third);
  assert.equal(last.epoch, 3);
  await is(run.id, "preparing", 3);
  fixture.clock.advance(46_000);
  const lost = await is(run.id, "lost", 3);
  assert.deepEqual([lost.attempt, lost.result?.code], [3, "worker_lost"]);
});

test("resumes the runs of a reconnecting worker after the last stored message, and cancels the others", async () => {
  await using fixture = await createChannelFixture();
  const { key, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const run = await start();
  const lease = await take(worker);
  assert.equal(await report(worker, "m1", { ...lease, state: "running", data: { baseline: null } }), "ok");
  const item = { at: "2026-11-22T10:00:00Z", from: { role: "coder" }, kind: "log", text: "x", data: {} };
  worker.say({
    t: "events",
    ...lease,
    items: [
      { ...item, wseq: 1 },
      { ...item, wseq: 2 },
    ],
  });
  assert.equal((await worker.next("events_ack")).upto, 2);
  const gone = { run_id: "run_gone", epoch: 1, spooled_to: 0 };
  const back = await fixture.connect(key);
  back.say({ ...HELLO, worker_id: worker.workerId, holding: [{ ...lease, spooled_to: 2 }, gone] });
  const welcome = await back.next("welcome");
  assert.deepEqual(welcome.resume, [{ ...lease, events_upto: 2 }]);
  assert.deepEqual(welcome.drop, [{ run_id: "run_gone", epoch: 1, reason: "superseded" }]);
  // The acknowledgement was lost: the repeated report is a duplicate, and later ones are accepted.
  assert.equal(await report(back, "m1", { ...lease, state: "running", data: { baseline: null } }), "duplicate");
  back.say({
    t: "events",
    ...lease,
    items: [
      { ...item, wseq: 2 },
      { ...item, wseq: 3 },
    ],
  });
  assert.equal((await back.next("events_ack")).upto, 3);
  assert.equal(await report(back, "m2", { ...lease, state: "no_change", data: { code: "ok" } }), "ok");
  const ended = await is(run.id, "no_change", 1);
  assert.equal(ended.lastSeq, 8);
  assert.equal(
    await report(back, "m3", { ...lease, state: "failed", data: { code: "internal", message: "" } }),
    "rejected",
  );
});

test("requeues runs that a worker reconnects without, and loses a run that kills three workers", async () => {
  await using fixture = await createChannelFixture();
  const { key, start, is } = await openRun(fixture);
  const run = await start();
  let workerId: string | null = null;
  for (const attempt of [1, 2, 3]) {
    const worker: WorkerSocket & { workerId: string } = await fixture.join(key, { worker_id: workerId });
    ({ workerId } = worker);
    if (attempt === 3) fixture.clock.advance(16_000);
    await take(worker);
    await is(run.id, "preparing", attempt);
    worker.socket.terminate();
  }
  const last = await fixture.join(key, { worker_id: workerId });
  const lost = await is(run.id, "lost", 3);
  assert.deepEqual([lost.attempt, lost.result?.code], [3, "worker_lost"]);

  // An offer that was never accepted counts no attempt.
  const second = await start();
  await last.next("assign");
  const back = await fixture.join(key, { worker_id: workerId });
  assert.deepEqual((await back.next("assign")).run_id, second.id);
  assert.equal((await is(second.id, "leased", 2)).attempt, 1);
});

test("requeues nothing on a panel restart: leases get 45 s, and workers resume", async () => {
  await using fixture = await createChannelFixture({ leaseMs: 2_000 });
  const { key, owner, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const run = await start();
  const lease = await take(worker);
  await is(run.id, "preparing", 1);
  await using next = await createChannelFixture({ database: fixture.database, clock: fixture.clock, leaseMs: 2_000 });
  worker.socket.terminate();
  fixture.clock.advance(30_000);
  const back = await next.connect(key);
  back.say({ ...HELLO, worker_id: worker.workerId, holding: [{ ...lease, spooled_to: 0 }] });
  assert.deepEqual((await back.next("welcome")).resume, [{ ...lease, events_upto: 0 }]);
  const after = await next.store.of(owner).runs.find(run.id);
  assert.deepEqual([after?.state, after?.epoch, after?.attempt], ["preparing", 1, 1]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { CANCELLED, openRun, report, take } from "../support/channel-run.ts";
import { GREEN, createChannelFixture, SHA, type ChannelFixture } from "../support/create-channel-fixture.ts";

test("cancels a run when its worker confirms, after 10 s without an answer, and immediately without a connection", async () => {
  await using fixture = await createChannelFixture();
  const { key, token, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const cancel = async (id: string) => (await fixture.ask(token, "POST", `/api/runs/${id}/cancel`)).body["state"];

  const confirmed = await start();
  const lease = await take(worker);
  await is(confirmed.id, "preparing", 1);
  assert.equal(await cancel(confirmed.id), "preparing");
  assert.equal((await worker.next("cancel")).run_id, confirmed.id);
  assert.equal(await report(worker, "m1", { ...lease, ...CANCELLED }), "ok");
  await is(confirmed.id, "cancelled", 1);

  const stubborn = await start();
  await take(worker);
  await is(stubborn.id, "preparing", 1);
  await cancel(stubborn.id);
  const requestedAt = fixture.clock.now();
  fixture.clock.advance(10_000);
  assert.ok(((await is(stubborn.id, "cancelled", 1)).endedAt ?? Infinity) <= requestedAt + 10_000);

  const left = await start();
  await take(worker);
  await is(left.id, "preparing", 1);
  worker.socket.terminate();
  await worker.closed;
  const [account] = await fixture.database.db.selectFrom("account").select("owner").execute();
  while ((await fixture.store.of(account?.owner ?? "").workers.countConnected()) > 0) await new Promise(setImmediate);
  assert.equal(await cancel(left.id), "cancelled");
});

test("never pushes a run with a pending cancellation", async () => {
  await using fixture = await createChannelFixture();
  const { key, token, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const run = await start();
  const lease = await take(worker);
  await report(worker, "m1", { ...lease, state: "running", data: { baseline: null } });
  await report(worker, "m2", { ...lease, state: "verifying", data: { changed_files: 1, insertions: 1, deletions: 0 } });
  await fixture.ask(token, "POST", `/api/runs/${run.id}/cancel`);
  fixture.bundles.set(run.id, 1, SHA);
  assert.equal(
    await report(worker, "m3", { ...lease, state: "pushing", data: { verify: GREEN, head_sha: SHA } }),
    "rejected",
  );
  await is(run.id, "cancelled", 1);
  assert.deepEqual(fixture.bundles.judged, []);
});

test("fails a run on a rejected bundle or on the worker's own verdict", async () => {
  await using fixture = await createChannelFixture();
  const { key, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const handOver = async (verify: object) => {
    const run = await start();
    const lease = await take(worker);
    await report(worker, "m1", { ...lease, state: "running", data: { baseline: null } });
    await report(worker, "m2", {
      ...lease,
      state: "verifying",
      data: { changed_files: 1, insertions: 1, deletions: 0 },
    });
    assert.equal(await report(worker, "m3", { ...lease, state: "pushing", data: { verify, head_sha: SHA } }), "ok");
    return (await is(run.id, "failed", 1)).result?.code;
  };
  assert.equal(await handOver(GREEN), "bundle_invalid");
  assert.equal(await handOver({ ...GREEN, verdict: "failed" }), "verify_failed");
});

/** A worker that requests a push while the repository is unreachable. */
async function handOverToNobody(fixture: ChannelFixture) {
  const { key, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const run = await start();
  const lease = await take(worker);
  const changed = { changed_files: 1, insertions: 1, deletions: 0 };
  await report(worker, "m1", { ...lease, state: "running", data: { baseline: null } });
  await report(worker, "m2", { ...lease, state: "verifying", data: changed });
  fixture.bundles.set(run.id, 1, SHA);
  fixture.bundles.isAway = true;
  worker.say({ t: "state", mid: "m3", ...lease, state: "pushing", data: { verify: GREEN, head_sha: SHA } });
  while (fixture.bundles.judged.length === 0) await worker.alive();
  return { worker, run, is };
}

test("checks a bundle again while the repository is unreachable", async () => {
  await using fixture = await createChannelFixture({ leaseMs: 3_600_000 });
  const { bundles, clock } = fixture;
  const { worker, run, is } = await handOverToNobody(fixture);
  bundles.isAway = false;
  while (bundles.judged.length === 1) {
    clock.advance(1_000);
    await worker.alive();
  }
  assert.equal((await worker.next("state_ack")).result, "ok");
  await is(run.id, "pushing", 1);
});

test("fails a run after ten minutes without a check, and allows a retry", async () => {
  await using fixture = await createChannelFixture({ leaseMs: 3_600_000 });
  const { bundles, clock } = fixture;
  const { worker, run, is } = await handOverToNobody(fixture);
  const startedAt = clock.now();
  for (let judged = 1; clock.now() - startedAt < 600_000; judged = bundles.judged.length)
    while (bundles.judged.length === judged && clock.now() - startedAt < 600_000) {
      clock.advance(5_000);
      await worker.alive();
    }
  clock.advance(15_000);
  assert.equal((await worker.next("state_ack")).result, "ok");
  const { result } = await is(run.id, "failed", 1);
  assert.deepEqual(result, { code: "push_refused", message: "away" });
  assert.ok(bundles.judged.length > 30, "looked at again at least every 15 s");
});

test("ends a run past its deadline when its worker has not", async () => {
  await using fixture = await createChannelFixture({ leaseMs: 600_000 });
  const { key, token, owner, start, is } = await openRun(fixture);
  const [repo] = await fixture.store.of(owner).repos.list({}, { below: null, limit: 1 });
  await fixture.ask(token, "PATCH", `/api/repos/${repo?.id}`, { limits: { timeout_s: 60 } });
  const worker = await fixture.join(key);
  const run = await start();
  await take(worker);
  await is(run.id, "preparing", 1);
  for (let seconds = 0; seconds < 80; seconds += 40) {
    fixture.clock.advance(40_000);
    await worker.alive();
  }
  fixture.clock.advance(11_000);
  assert.equal((await is(run.id, "failed", 1)).result?.code, "timeout");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { openRun } from "../support/channel-run.ts";
import { createChannelFixture, REPO } from "../support/create-channel-fixture.ts";

test("returns an offer without an attempt when it is refused, unanswered for 5 s, or its worker disconnects", async () => {
  await using fixture = await createChannelFixture();
  const { key, start, is } = await openRun(fixture);
  const silent = await fixture.join(key);
  const run = await start();
  await silent.next("assign");
  fixture.clock.advance(6_000);
  assert.deepEqual((await is(run.id, "queued", 1)).attempt, 0);
  assert.deepEqual((await silent.next("cancel")).run_id, run.id);

  const refuser = await fixture.join(key);
  const offered = await refuser.next("assign");
  assert.equal(offered.epoch, 2);
  refuser.say({ t: "refuse", run_id: run.id, epoch: 2, reason: "disk" });
  assert.equal((await is(run.id, "queued", 2)).attempt, 0);

  const leaving = await fixture.join(key);
  assert.equal((await leaving.next("assign")).epoch, 3);
  leaving.socket.terminate();
  assert.equal((await is(run.id, "queued", 3)).attempt, 0);
});

test("never repeats an offer that a worker cannot run, and offers other runs immediately", async () => {
  await using fixture = await createChannelFixture();
  const { key, token, start, is } = await openRun(fixture);
  const unable = await fixture.join(key);
  const run = await start();
  const { epoch } = await unable.next("assign");
  unable.say({ t: "refuse", run_id: run.id, epoch, reason: "unknown_cli" });
  assert.ok((await is(run.id, "queued", 1)).facts.warnings.includes("worker_unable"));
  const shape = (await fixture.ask(token, "GET", `/api/runs/${run.id}`)).body;
  assert.equal(shape["queue_reason"], "no_worker_with_cli");
  const repo = (
    await fixture.ask(token, "POST", "/api/repos", { ...REPO, url: "https://git.example.org/acme/other.git" })
  ).body;
  const second = (await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {})).body;
  assert.equal((await unable.next("assign")).run_id, second.id);

  const able = await fixture.join(key, { process: "another" });
  assert.equal((await able.next("assign")).run_id, run.id);
  const leased = await is(run.id, "leased", 2);
  assert.ok(!leased.facts.warnings.includes("worker_unable"));
});

test("holds the runs of a paused repo until it resumes", async () => {
  await using fixture = await createChannelFixture();
  const { key, token, owner, start, is } = await openRun(fixture);
  const run = await start();
  const [repo] = await fixture.store.of(owner).repos.list({}, { below: null, limit: 1 });
  const setStatus = (status: string) => fixture.ask(token, "PATCH", `/api/repos/${repo?.id}`, { status });
  await setStatus("paused");
  const worker = await fixture.join(key);
  fixture.clock.advance(1_000);
  await worker.alive();
  const shape = (await fixture.ask(token, "GET", `/api/runs/${run.id}`)).body;
  assert.deepEqual([shape["state"], shape["queue_reason"], shape["queue_position"]], ["queued", "repo_paused", 1]);
  await setStatus("active");
  assert.equal((await worker.next("assign")).run_id, run.id);
  await is(run.id, "leased", 1);
});

test("assigns a run with the current variables of its repo, decrypted", async () => {
  await using fixture = await createChannelFixture();
  const { key, token, owner, start } = await openRun(fixture);
  const [repo] = await fixture.store.of(owner).repos.list({}, { below: null, limit: 1 });
  const set = (environment: object) => fixture.ask(token, "PATCH", `/api/repos/${repo?.id}`, { environment });
  await set({ MODE: "fast", NPM_TOKEN: { value: "registry-token-0815", sealed: true } });
  await start();
  await set({ NPM_TOKEN: { value: "registry-token-4711", sealed: true } });
  const [stored] = await fixture.store.of(owner).repos.list({}, { below: null, limit: 1 });
  assert.ok(!JSON.stringify(stored).includes("registry-token"));
  const worker = await fixture.join(key);
  assert.deepEqual((await worker.next("assign")).environment, [
    { name: "MODE", value: "fast", sealed: false },
    { name: "NPM_TOKEN", value: "registry-token-4711", sealed: true },
  ]);
});

/** What people, other tools and the forge do to a pull request while follow-ups repair it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { createFollowUpFixture, MINUTE_MS } from "../support/follow-up-fixture.ts";

const RED = [{ name: "test", state: "failed", log: "red\n" }] as const;

test("cancels a queued follow-up when its pull request is merged", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks(RED);
  await fixture.poll();
  fixture.forge.pulls.close(1, { merged: true });
  await fixture.poll(6 * MINUTE_MS);
  const [run] = await fixture.followUps();
  assert.deepEqual([run?.state, run?.result?.code], ["cancelled", "cancelled"]);
  const watch = await fixture.watch();
  assert.deepEqual([watch?.state, watch?.activeRunId, watch?.seen.attempts[0]?.code], ["ended", null, "stopped"]);
  assert.match(fixture.forge.discussion.comments[0]?.body ?? "", /\| stopped \|/);
  const parent = await fixture.getRun(fixture.parent.id);
  assert.deepEqual([parent.pr.state, parent.follow_ups[0].state], ["merged", "cancelled"]);
  const repo = await fixture.ask("GET", `/api/repos/${fixture.repo.id}`, { token: fixture.token });
  assert.equal(repo.json().stats.merge_rate_30d, 1);
  assert.equal(repo.json().stats.cost_per_merged_pr_micro_30d, 0);
  assert.deepEqual(fixture.errors, []);
});

for (const merged of [true, false])
  test(`does not push to a pull request that was ${merged ? "merged" : "closed"} a moment ago`, async () => {
    await using fixture = await createFollowUpFixture();
    await fixture.setChecks(RED);
    await fixture.poll();
    const [run] = await fixture.followUps();
    assert.ok(run !== undefined);
    const before = await fixture.headSha();
    await fixture.work(run.id, { "test.js": "1;\n" });
    fixture.forge.pulls.close(1, { merged });
    await fixture.deliveryServices.effects.poll();
    const ended = await fixture.getRun(run.id);
    assert.deepEqual([ended.state, ended.result.code, await fixture.headSha()], ["failed", "push_refused", before]);
    assert.match(ended.result.message, merged ? /was merged/ : /was closed/);
  });

test("stops a follow-up when the label is added, and starts again when it is removed", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks(RED);
  await fixture.poll();
  fixture.forge.pulls.touch(1, { labels: ["no-agent"] });
  await fixture.poll(6 * MINUTE_MS);
  assert.equal((await fixture.followUps())[0]?.state, "cancelled");
  assert.match(fixture.forge.discussion.comments[0]?.body ?? "", /\| stopped \|/);
  fixture.forge.pulls.touch(1, { labels: [] });
  await fixture.poll(6 * MINUTE_MS);
  assert.deepEqual(
    (await fixture.followUps()).map(({ state }) => state),
    ["cancelled", "queued"],
  );
});

test("starts no second run after a person has cancelled the first, until the head changes", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run] = await fixture.followUps();
  await fixture.ask("POST", `/api/runs/${run?.id}/cancel`, { token: fixture.token });
  await fixture.poll(6 * MINUTE_MS);
  assert.equal((await fixture.followUps()).length, 1);
});

test("counts a run without changes as an attempt, and says so in the comment", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run] = await fixture.followUps();
  assert.ok(run !== undefined);
  const lease = { epoch: 1, attempt: 1, leaseUntil: fixture.now() + 45_000, workerId: "wrk_1" };
  await fixture.step(run.id, "leased", lease);
  await fixture.step(run.id, "accepted");
  await fixture.step(run.id, "ready");
  await fixture.step(run.id, "unchanged", { result: { code: "ok", message: "the agent changed nothing" } });
  await fixture.poll();
  assert.equal((await fixture.followUps()).length, 2);
  assert.match(fixture.forge.discussion.comments[0]?.body ?? "", /\| 1 \| failing check \| no changes \|/);
});

for (const dialect of ["github", "gitlab"] as const)
  test(`treats a cancelled check on ${dialect} as pending, neither failed nor passed`, async () => {
    await using fixture = await createFollowUpFixture({ dialect });
    await fixture.setChecks([{ name: "test", state: "cancelled" }]);
    await fixture.poll();
    assert.deepEqual((await fixture.getRun(fixture.parent.id)).pr.checks, { state: "pending", failed: [] });
    assert.deepEqual(await fixture.followUps(), []);
  });

test("writes its own comment if a stranger has copied its marker", async () => {
  await using fixture = await createFollowUpFixture();
  const { discussion } = fixture.forge;
  discussion.addForeignComment(1, `<!-- panel-follow-up: ${fixture.parent.id} -->\nAll is well.`);
  await fixture.setChecks(RED);
  await fixture.poll();
  assert.equal((await fixture.watch())?.seen.faults, 0);
  assert.equal(discussion.comments.length, 2);
  assert.match(discussion.comments[1]?.body ?? "", /in progress/);
});

test("continues at its usual pace if the conversation is locked", async () => {
  await using fixture = await createFollowUpFixture();
  fixture.forge.faultOf = (call) => (call.includes("/comments") && call.startsWith("POST") ? "forbidden" : undefined);
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run] = await fixture.followUps();
  await fixture.fail(run?.id ?? "");
  await fixture.poll();
  const watch = await fixture.watch();
  assert.deepEqual([(await fixture.followUps()).length, watch?.seen.faults, watch?.leasedBy], [2, 0, null]);
});

test("waits for the reset that the forge names when its quota is used up", async () => {
  await using fixture = await createFollowUpFixture();
  fixture.forge.faultOf = () => "quota_used";
  const before = fixture.now() + MINUTE_MS;
  await fixture.poll();
  const wait = ((await fixture.watch())?.nextAt ?? 0) - before;
  assert.ok(wait > 29 * MINUTE_MS && wait <= 31 * MINUTE_MS, `${wait} ms`);
});

test("reads a pull request immediately when follow-ups are turned on", async () => {
  await using fixture = await createFollowUpFixture({ followUp: false });
  await fixture.setChecks(RED);
  await fixture.poll();
  assert.deepEqual(await fixture.followUps(), []);
  assert.equal((await fixture.patch({ follow_up: true })).statusCode, 200);
  await fixture.poll(0);
  assert.equal((await fixture.followUps()).length, 1);
});

test("does not mistake its own comment on GitLab for a review if its token belongs to a reviewer", async () => {
  await using fixture = await createFollowUpFixture({ dialect: "gitlab" });
  const { discussion, pulls } = fixture.forge;
  discussion.addReview({ number: 1, author: "panel", verdict: "changes_requested", text: "Name it." });
  await fixture.poll();
  const [run] = await fixture.followUps();
  await fixture.work(run?.id ?? "", { "sum.js": "export const sum = (left, right) => left + right;\n" });
  await fixture.deliveryServices.effects.poll();
  for (let round = 0; round < 3; round++) {
    pulls.touch(1);
    await fixture.poll(6 * MINUTE_MS);
  }
  assert.equal((await fixture.followUps()).length, 1);
});

test("says that it is exhausted even if only a review asks for more", async () => {
  await using fixture = await createFollowUpFixture({ followUp: { enabled: true, max_attempts: 1 } });
  const { discussion, pulls } = fixture.forge;
  for (const text of ["Name it.", "Document it."]) {
    discussion.addReview({ number: 1, author: "ada", path: "sum.js", text });
    pulls.touch(1);
    await fixture.poll(6 * MINUTE_MS);
    const run = (await fixture.followUps()).find(({ state }) => state === "queued");
    if (run !== undefined) await fixture.fail(run.id);
  }
  await fixture.poll(6 * MINUTE_MS);
  const parent = await fixture.getRun(fixture.parent.id);
  assert.deepEqual([parent.phase, parent.result.code], ["attention", "follow_up_exhausted"]);
  assert.equal((await fixture.followUps()).length, 1);
});

for (const dialect of ["github", "gitlab", "gitea"] as const)
  test(`stays within 80 requests per hour on ${dialect}, even with reviews and pending checks`, async (t) => {
    await using fixture = await createFollowUpFixture({ dialect });
    await fixture.setChecks([{ name: "test", state: "pending" }]);
    const before = fixture.forge.calls.length;
    for (let minute = 0; minute < 60; minute++) {
      const author = `reader-${minute % 5}`;
      fixture.forge.discussion.addReview({ number: 1, author, canWrite: false, path: "sum.js", text: `${minute}` });
      fixture.forge.pulls.touch(1);
      await fixture.poll();
    }
    const requests = fixture.forge.calls.length - before;
    t.diagnostic(`${requests} requests`);
    assert.ok(requests >= 60 && requests <= 80, `${requests} requests`);
  });

test("shows a worker the head that the last follow-up has just pushed", async () => {
  await using fixture = await createFollowUpFixture();
  const { deliveryServices, branch, owner, repo } = fixture;
  const source = { repoId: repo.id, baseBranch: branch, isFollowUp: true };
  const nothing = { contentType: "", contentEncoding: "", body: null };
  const request = { method: "GET", path: "/info/refs", query: "service=git-upload-pack", ...nothing } as const;
  const refs = async () => text((await deliveryServices.relay.serve(owner, source, request)).body);
  assert.ok((await refs()).includes(await fixture.headSha()));
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run] = await fixture.followUps();
  const head = await fixture.work(run?.id ?? "", { "test.js": "1;\n" });
  await deliveryServices.effects.poll();
  assert.ok((await refs()).includes(head));
});

test("finishes its comment even if the pull request was merged before it could be edited", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run] = await fixture.followUps();
  await fixture.work(run?.id ?? "", { "test.js": "1;\n" });
  await fixture.deliveryServices.effects.poll();
  fixture.forge.pulls.close(1, { merged: true });
  // The first edit gets lost, as in a crash.
  fixture.forge.faultOf = (call) => (call.startsWith("PATCH") ? "error" : undefined);
  await fixture.poll();
  assert.match(fixture.forge.discussion.comments[0]?.body ?? "", /in progress/);
  const mergedAt = (await fixture.runOf(fixture.parent.id)).facts.prEndedAt;
  fixture.forge.faultOf = () => undefined;
  await fixture.poll(6 * MINUTE_MS);
  assert.match(fixture.forge.discussion.comments[0]?.body ?? "", /\| pushed \|/);
  assert.equal((await fixture.watch())?.state, "ended");
  assert.equal((await fixture.runOf(fixture.parent.id)).facts.prEndedAt, mergedAt);
});

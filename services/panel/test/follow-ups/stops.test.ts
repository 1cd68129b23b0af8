import assert from "node:assert/strict";
import { test } from "node:test";
import { git } from "../support/delivery-fixture.ts";
import { createFollowUpFixture, MINUTE_MS } from "../support/follow-up-fixture.ts";

const RED = [{ name: "test", state: "failed", log: "red\n" }] as const;
const HOUR_MS = 60 * MINUTE_MS;

test("does not read or repair a pull request while follow-ups are off", async () => {
  await using fixture = await createFollowUpFixture({ followUp: false });
  await fixture.setChecks(RED);
  const before = fixture.forge.calls.length;
  await fixture.poll();
  await fixture.poll(HOUR_MS);
  assert.deepEqual([await fixture.followUps(), fixture.forge.calls.length], [[], before]);
});

test("leaves a labeled pull request alone until the label is removed", async () => {
  await using fixture = await createFollowUpFixture();
  fixture.forge.pulls.touch(1, { labels: ["no-agent"] });
  await fixture.setChecks(RED);
  await fixture.poll();
  await fixture.poll(6 * MINUTE_MS);
  assert.deepEqual(await fixture.followUps(), []);
  fixture.forge.pulls.touch(1, { labels: [] });
  await fixture.poll(6 * MINUTE_MS);
  assert.equal((await fixture.followUps()).length, 1);
});

for (const merged of [true, false])
  test(`ends with a pull request that is ${merged ? "merged" : "closed"}, even after the last poll`, async () => {
    await using fixture = await createFollowUpFixture();
    await fixture.poll();
    await fixture.setChecks(RED);
    fixture.forge.pulls.close(1, { merged });
    await fixture.poll();
    const run = await fixture.getRun(fixture.parent.id);
    assert.deepEqual([await fixture.followUps(), run.pr.state], [[], merged ? "merged" : "closed"]);
    // A closed one may be reopened.
    assert.equal((await fixture.watch())?.state, merged ? "ended" : "watching");
    const answer = await fixture.followUp();
    assert.deepEqual([answer.statusCode, answer.json().code], [409, "run_not_followable"]);
  });

test("watches a reopened pull request again, and ends two weeks after it was closed", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.poll();
  fixture.forge.pulls.close(1, { merged: false });
  await fixture.poll(6 * MINUTE_MS);
  await fixture.setChecks(RED);
  const before = fixture.forge.calls.length;
  for (let hour = 0; hour < 3; hour++) await fixture.poll(HOUR_MS + MINUTE_MS);
  assert.equal(fixture.forge.calls.length - before, 3);
  assert.deepEqual(await fixture.followUps(), []);
  assert.ok((await fixture.runOf(fixture.parent.id)).facts.prEndedAt !== undefined);
  fixture.forge.pulls.reopen(1);
  await fixture.poll(HOUR_MS + MINUTE_MS);
  const run = await fixture.getRun(fixture.parent.id);
  assert.deepEqual([run.pr.state, run.pr.checks.state, (await fixture.followUps()).length], ["open", "failed", 1]);
  assert.equal((await fixture.runOf(fixture.parent.id)).facts.prEndedAt, undefined);
  fixture.forge.pulls.close(1, { merged: false });
  await fixture.poll(6 * MINUTE_MS);
  await fixture.poll(6 * MINUTE_MS);
  assert.deepEqual([(await fixture.followUps())[0]?.state, (await fixture.watch())?.state], ["cancelled", "watching"]);
  await fixture.poll(14 * 24 * HOUR_MS);
  assert.equal((await fixture.watch())?.state, "ended");
  assert.deepEqual(fixture.errors, []);
});

test("stops after max_attempts with phase attention, and a person may start one more", async () => {
  await using fixture = await createFollowUpFixture({ followUp: { enabled: true, max_attempts: 2 } });
  await fixture.setChecks(RED);
  for (let attempt = 1; attempt <= 2; attempt++) {
    await fixture.poll();
    const run = (await fixture.followUps()).at(-1);
    assert.equal(run?.spec.followUp?.attempt, attempt);
    const second = await fixture.followUp();
    assert.deepEqual(
      [second.statusCode, second.json().code, second.json().run_id],
      [409, "run_already_active", run.id],
    );
    await fixture.fail(run.id);
  }
  await fixture.poll();
  await fixture.poll(HOUR_MS);
  assert.equal((await fixture.followUps()).length, 2);
  const exhausted = await fixture.getRun(fixture.parent.id);
  assert.deepEqual([exhausted.phase, exhausted.result.code], ["attention", "follow_up_exhausted"]);
  const listed = await fixture.ask("GET", "/api/runs?phase=attention", { token: fixture.token });
  assert.deepEqual(
    listed.json().items.map(({ id }: { id: string }) => id),
    [fixture.parent.id],
  );
  const [comment, ...others] = fixture.forge.discussion.comments;
  assert.equal(others.length, 0);
  assert.match(comment?.body ?? "", /\| 2 \| failing check \| `verify_failed` \|/);
  assert.match(comment?.body ?? "", /maximum number of attempts/);

  const more = await fixture.followUp({ focus: "Look at the rounding." });
  assert.equal(more.statusCode, 202, more.body);
  assert.deepEqual(
    [more.json().trigger.attempt, more.json().focus, more.json().trigger.actor],
    [3, "Look at the rounding.", fixture.owner],
  );
  assert.equal((await fixture.getRun(fixture.parent.id)).phase, "success");
  assert.equal((await fixture.followUps()).at(-1)?.spec.followUp?.evidence[0]?.text, "red");
});

test("refuses follow-ups in a project that forbids AI, including those that a person requests", async () => {
  await using fixture = await createFollowUpFixture();
  const quote = "We do not accept AI-generated contributions.";
  await fixture.store.change(fixture.owner, ({ repos }) =>
    repos.notePolicy(fixture.repo.id, {
      stance: "forbidden",
      source: "AGENTS.md:1",
      quote,
      checkedAt: 1,
      override: null,
    }),
  );
  await fixture.setChecks(RED);
  await fixture.poll();
  assert.deepEqual(await fixture.followUps(), []);
  const answer = await fixture.followUp();
  assert.deepEqual([answer.statusCode, answer.json().code], [409, "policy_forbids"]);
});

test("does not overwrite a commit that a person pushed, and watches from there", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run] = await fixture.followUps();
  assert.ok(run !== undefined);
  await fixture.work(run.id, { "test.js": "1;\n" });
  const theirs = await git(
    fixture.bare,
    "commit-tree",
    "-p",
    await fixture.headSha(),
    "-m",
    "Mine",
    `${await fixture.headSha()}^{tree}`,
  );
  await git(fixture.bare, "update-ref", `refs/heads/${fixture.branch}`, theirs);
  await fixture.deliveryServices.effects.poll();
  const ended = await fixture.getRun(run.id);
  assert.deepEqual([ended.state, ended.result.code, await fixture.headSha()], ["failed", "branch_moved", theirs]);
  await fixture.setChecks([{ name: "test", state: "passed" }]);
  await fixture.poll();
  const parent = await fixture.getRun(fixture.parent.id);
  assert.deepEqual([parent.pr.checks.state, (await fixture.followUps()).length], ["passed", 1]);
});

test("stays within 80 requests per pull request and hour", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.setChecks([
    { name: "test", state: "pending" },
    { name: "lint", state: "pending", isStatus: true },
  ]);
  const before = fixture.forge.calls.length;
  for (let minute = 0; minute < 60; minute++) {
    fixture.forge.pulls.touch(1);
    await fixture.poll();
  }
  const requests = fixture.forge.calls.length - before;
  assert.ok(requests >= 60 && requests <= 80, `${requests} requests`);
});

test("resolves a conflict with a merge commit on the branch", async () => {
  await using fixture = await createFollowUpFixture();
  await git(fixture.local, "checkout", "--quiet", "--force", "main");
  await fixture.commitToMain({
    "sum.js": "export const sum = (...all) => all.reduce((a, b) => a + b);\n",
    "big.txt": "x\n",
  });
  fixture.forge.pulls.touch(1, { mergeable: false });
  await fixture.poll();
  const [run] = await fixture.followUps();
  assert.ok(run !== undefined);
  assert.deepEqual(
    [run.focus, run.spec.followUp?.cause, run.spec.followUp?.merge],
    ["Resolve conflicts with `main`", "conflict", "main"],
  );
  const before = await fixture.headSha();
  const head = await fixture.workMerge(run.id, {
    "sum.js": "export const sum = (...all) => all.reduce((a, b) => a + b, 0);\n",
  });
  await fixture.deliveryServices.effects.poll();
  assert.equal(await fixture.headSha(), head);
  const main = await git(fixture.bare, "rev-parse", "main");
  assert.equal(await git(fixture.bare, "rev-list", "--parents", "-n1", head), `${head} ${before} ${main}`);
  const pushed = await fixture.getRun(run.id);
  assert.deepEqual([pushed.state, pushed.diff.files], ["pr_open", 1]);
  assert.deepEqual(fixture.errors, []);
});

test("gives a run that a person starts the comments and failed checks of the last poll, even for a disabled cause", async () => {
  await using fixture = await createFollowUpFixture({ followUp: { enabled: true, on: ["conflict"] } });
  fixture.forge.discussion.addReview({
    number: 1,
    author: "ada",
    path: "sum.js",
    line: 1,
    text: "Name the arguments.",
  });
  await fixture.setChecks([{ name: "deploy", state: "failed", log: "no key", isStatus: true }]);
  await fixture.poll();
  assert.deepEqual(await fixture.followUps(), []);
  const evidenceOf = async (cause: string) => {
    const { id } = (await fixture.followUp({ cause })).json();
    const { spec } = await fixture.runOf(id);
    await fixture.ask("POST", `/api/runs/${id}/cancel`, { token: fixture.token });
    return spec.followUp?.evidence;
  };
  assert.deepEqual(await evidenceOf("review"), [
    { title: "ada", text: "Name the arguments.", path: "sum.js", line: 1 },
  ]);
  await fixture.poll();
  const [check] = (await evidenceOf("checks")) ?? [];
  assert.deepEqual([check?.title, check?.text.split("\n")[0]], ["deploy", "no key"]);
});

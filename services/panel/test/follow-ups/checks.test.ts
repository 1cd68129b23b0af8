import assert from "node:assert/strict";
import { test } from "node:test";
import { git } from "../support/delivery-fixture.ts";
import { createFollowUpFixture } from "../support/follow-up-fixture.ts";

const RED = [{ name: "test", state: "failed", log: "AssertionError: sum(2, 3) is 6\n" }] as const;
const GREEN = [{ name: "test", state: "passed" }] as const;

test("repairs a red check with a run that fast-forwards the branch of the pull request", async () => {
  await using fixture = await createFollowUpFixture();
  await fixture.poll();
  assert.deepEqual(await fixture.followUps(), []);
  const before = await fixture.headSha();
  await fixture.setChecks(RED);
  await fixture.poll();
  const [run, ...others] = await fixture.followUps();
  assert.ok(run !== undefined && others.length === 0);
  const queued = await fixture.getRun(run.id);
  assert.deepEqual(queued.trigger, {
    type: "follow_up",
    actor: null,
    candidate_id: null,
    retry_of: null,
    scheduled_for: null,
    parent_run_id: fixture.parent.id,
    pr_number: 1,
    cause: "checks",
    attempt: 1,
  });
  assert.deepEqual([queued.focus, queued.branch], ["Fix the failing check `test`", fixture.branch]);
  assert.deepEqual(run.spec.followUp?.evidence, [
    { title: "test", text: "AssertionError: sum(2, 3) is 6", path: null, line: null },
  ]);
  const parent = await fixture.getRun(fixture.parent.id);
  assert.deepEqual(parent.pr.checks, { state: "failed", failed: ["test"] });
  assert.deepEqual(parent.follow_ups, [{ run_id: run.id, cause: "checks", state: "queued" }]);
  const [comment] = fixture.forge.discussion.comments;
  assert.ok(comment?.body.startsWith(`<!-- panel-follow-up: ${fixture.parent.id} -->`));
  assert.match(comment.body, /\| 1 \| failing check \| in progress \|/);

  const head = await fixture.work(run.id, { "test.js": "import './sum.js';\n" });
  await fixture.deliveryServices.effects.poll();
  assert.equal(await fixture.headSha(), head);
  assert.equal(await git(fixture.bare, "rev-parse", `${head}~1`), before);
  const pushed = await fixture.getRun(run.id);
  assert.deepEqual([pushed.state, pushed.phase, pushed.pr.number], ["pr_open", "success", 1]);
  await fixture.setChecks(GREEN);
  await fixture.poll();
  const after = await fixture.getRun(fixture.parent.id);
  assert.deepEqual([after.pr.checks, after.phase], [{ state: "passed", failed: [] }, "success"]);
  assert.deepEqual(after.follow_ups, [{ run_id: run.id, cause: "checks", state: "pr_open" }]);
  assert.equal(fixture.forge.pulls.all.length, 1);
  assert.equal(fixture.forge.discussion.comments.length, 1);
  assert.match(fixture.forge.discussion.comments[0]?.body ?? "", /\| 1 \| failing check \| pushed \|/);
  assert.equal((await fixture.followUps()).length, 1);
  assert.deepEqual(fixture.errors, []);
});

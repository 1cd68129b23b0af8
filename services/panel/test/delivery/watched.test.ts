/** Slow, concurrent or cancelled work between panel and forge. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alarms } from "../../src/timers.ts";
import { git, createDeliveryFixture } from "../support/delivery-fixture.ts";
import { openTestServices } from "../support/start-test-background.ts";

const MINUTE_MS = 60_000;

/** Timers that fire on demand. */
function createManualTimers() {
  const waiting = new Set<{ readonly ms: number; readonly end: () => void }>();
  let arrived = Promise.withResolvers<void>();
  const timers: Alarms = {
    after(ms, end) {
      const timer = { ms, end };
      waiting.add(timer);
      arrived.resolve();
      arrived = Promise.withResolvers();
      return () => void waiting.delete(timer);
    },
  };
  return {
    timers,
    /** Fires all timers of this length; waits for the first to start. */
    async over(ms: number): Promise<void> {
      const these = () => [...waiting].filter((timer) => timer.ms === ms);
      while (these().length === 0) await arrived.promise;
      for (const timer of these()) {
        waiting.delete(timer);
        timer.end();
      }
    },
  };
}

test("polls an open pull request every five minutes until it is merged or closed", async () => {
  await using fixture = await createDeliveryFixture();
  const run = await fixture.placedRun();
  assert.equal((await fixture.openPr(run.id)).statusCode, 201);
  const looks = () => fixture.forge.calls.filter((call) => call.startsWith("GET") && call.endsWith("/pulls/1")).length;
  const pass = async (ms: number) => {
    fixture.pass(ms);
    await fixture.deliveryServices.effects.poll();
    const repo = await fixture.ask("GET", `/api/repos/${fixture.repo.id}`, { token: fixture.token });
    return [looks(), (await fixture.runOf(run.id)).facts.pr?.state, repo.json().stats.open_prs];
  };
  assert.deepEqual(await pass(4.9 * MINUTE_MS), [0, "open", 1]);
  assert.deepEqual(await pass(0.2 * MINUTE_MS), [1, "open", 1]);
  assert.deepEqual(await pass(MINUTE_MS), [1, "open", 1]);
  fixture.forge.pulls.close(1, { merged: true });
  assert.deepEqual(await pass(5 * MINUTE_MS), [2, "merged", 0]);
  assert.deepEqual(await pass(30 * MINUTE_MS), [2, "merged", 0]);
  assert.deepEqual(fixture.errors, []);
});

test("opens an unproved change as a draft, whatever settings and caller request", async () => {
  await using fixture = await createDeliveryFixture();
  for (const [verdict, draft, isDraft] of [
    ["flaky", false, true],
    ["gate_only", undefined, true],
    ["skipped", false, true],
    ["passed", true, true],
    ["passed", undefined, false],
  ] as const) {
    const run = await fixture.placedRun(verdict);
    const made = await fixture.openPr(run.id, draft === undefined ? {} : { draft });
    assert.deepEqual([made.statusCode, made.json().pr.draft], [201, isDraft], `${verdict} ${String(draft)}`);
    assert.equal(fixture.forge.pulls.all.at(-1)?.draft, isDraft);
  }
});

test("retries an unresponsive forge, adopts the existing pull request, and responds to callers after ten seconds", async () => {
  const manual = createManualTimers();
  await using fixture = await createDeliveryFixture({ deliveryOverrides: { timers: manual.timers, forgeMs: 400 } });
  const run = await fixture.placedRun();
  const happened = fixture.forge.failNext("no_answer");
  const first = fixture.openPr(run.id);
  await happened;
  await manual.over(10_000);
  const answer = await first;
  assert.deepEqual([answer.statusCode, answer.json().code, answer.json().run_id], [409, "effect_in_progress", run.id]);
  assert.equal(answer.headers["retry-after"], "2");
  const later = await fixture.openPr(run.id);
  assert.deepEqual([later.statusCode, later.json().pr.adopted], [200, true], later.body);
  assert.equal(fixture.forge.pulls.all.length, 1);
  assert.deepEqual(fixture.errors, []);
});

test("waits for an effect leased by another node and returns its result", async () => {
  const manual = createManualTimers();
  await using fixture = await createDeliveryFixture({ deliveryOverrides: { forgeMs: 400 } });
  const errors: unknown[] = [];
  const options = { by: "nod_other", timers: manual.timers };
  await using other = await openTestServices(fixture.panel, (error) => errors.push(error), options);
  const run = await fixture.placedRun();
  const happened = fixture.forge.failNext("no_answer");
  const here = fixture.openPr(run.id);
  await happened;
  const there = other.deliveryServices.prs.open(fixture.owner, run.id, { reopen: false, draft: undefined });
  const made = (await here).json().pr;
  await manual.over(200);
  const { run: seen, isNew } = await there;
  assert.deepEqual([seen.state, seen.facts.pr?.number, isNew], ["pr_open", made.number, false]);
  assert.equal(fixture.forge.pulls.all.length, 1);
  assert.deepEqual([...fixture.errors, ...errors], []);
});

test("keeps the credential of a removed repo until a push in progress has ended", async () => {
  await using fixture = await createDeliveryFixture();
  const { run, runToken } = await fixture.leasedRun();
  const made = await fixture.bundleOf(run.id, { "sum.js": "export const sum = (a, b) => a + b;\n" });
  assert.equal((await fixture.upload(run.id, { runToken, bytes: made.bytes })).status, 200);
  const judged = await fixture.deliveryServices.delivery.judge(fixture.owner, run, { headSha: made.headSha });
  assert.ok(judged.kind === "accepted");
  await fixture.stepLater(run.id, "passed", { change: { facts: judged.facts }, dueInMs: MINUTE_MS });
  const credential = async () => {
    const stored = await fixture.store.of(fixture.owner).repos.findForPush(fixture.repo.id);
    return [stored?.isRemoved, stored?.sealedCredential === null];
  };
  const removed = await fixture.ask("DELETE", `/api/repos/${fixture.repo.id}`, { token: fixture.token });
  assert.deepEqual([removed.statusCode, await credential()], [204, [true, false]]);
  assert.equal((await fixture.runOf(run.id)).state, "pushing");
  fixture.pass(MINUTE_MS);
  await fixture.deliveryServices.effects.poll();
  assert.equal((await fixture.runOf(run.id)).state, "pushed");
  assert.equal(await git(fixture.bare, "rev-parse", `refs/heads/maint/${run.id}`), made.headSha);
  assert.deepEqual(await credential(), [true, true]);
  assert.deepEqual(fixture.errors, []);
});

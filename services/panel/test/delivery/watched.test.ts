/** What goes on between panel and forge when one of them is slow, busy with it elsewhere, or told to forget it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alarms } from "../../src/timers.ts";
import { git, openHandoverScene } from "../support/delivery-fixture.ts";
import { openTestRooms } from "../support/start-test-background.ts";

const MINUTE_MS = 60_000;

/** Waits end when a test says so. */
function createPatience() {
  const waiting = new Set<{ readonly ms: number; readonly end: () => void }>();
  let arrived = Promise.withResolvers<void>();
  const timers: Alarms = {
    after(ms, end) {
      const one = { ms, end };
      waiting.add(one);
      arrived.resolve();
      arrived = Promise.withResolvers();
      return () => void waiting.delete(one);
    },
  };
  return {
    timers,
    /** Ends all waits that are this long, the first of which may still have to begin. */
    async over(ms: number): Promise<void> {
      const these = () => [...waiting].filter((one) => one.ms === ms);
      while (these().length === 0) await arrived.promise;
      for (const one of these()) {
        waiting.delete(one);
        one.end();
      }
    },
  };
}

test("an open pull request is looked at every five minutes, until it is merged or closed", async () => {
  await using scene = await openHandoverScene();
  const run = await scene.placedRun();
  assert.equal((await scene.openPr(run.id)).statusCode, 201);
  const looks = () => scene.forge.calls.filter((call) => call.startsWith("GET") && call.endsWith("/pulls/1")).length;
  const pass = async (ms: number) => {
    scene.pass(ms);
    await scene.handover.effects.look();
    const repo = await scene.ask("GET", `/api/repos/${scene.repo.id}`, { token: scene.token });
    return [looks(), (await scene.runOf(run.id)).facts.pr?.state, repo.json().stats.open_prs];
  };
  assert.deepEqual(await pass(4.9 * MINUTE_MS), [0, "open", 1]);
  assert.deepEqual(await pass(0.2 * MINUTE_MS), [1, "open", 1]);
  assert.deepEqual(await pass(MINUTE_MS), [1, "open", 1]);
  scene.forge.pulls.close(1, { merged: true });
  assert.deepEqual(await pass(5 * MINUTE_MS), [2, "merged", 0]);
  assert.deepEqual(await pass(30 * MINUTE_MS), [2, "merged", 0]);
  assert.deepEqual(scene.troubles, []);
});

test("what did not pass is a draft, whatever settings and caller want", async () => {
  await using scene = await openHandoverScene();
  for (const [verdict, draft, isDraft] of [
    ["flaky", false, true],
    ["gate_only", undefined, true],
    ["skipped", false, true],
    ["passed", true, true],
    ["passed", undefined, false],
  ] as const) {
    const run = await scene.placedRun(verdict);
    const made = await scene.openPr(run.id, draft === undefined ? {} : { draft });
    assert.deepEqual([made.statusCode, made.json().pr.draft], [201, isDraft], `${verdict} ${String(draft)}`);
    assert.equal(scene.forge.pulls.all.at(-1)?.draft, isDraft);
  }
});

test("a forge that gives no answer is asked again and what it made is adopted; who has waited ten seconds for it is told", async () => {
  const patience = createPatience();
  await using scene = await openHandoverScene({ handover: { timers: patience.timers, forgeMs: 400 } });
  const run = await scene.placedRun();
  const happened = scene.forge.failNext("no_answer");
  const first = scene.openPr(run.id);
  await happened;
  await patience.over(10_000);
  const told = await first;
  assert.deepEqual([told.statusCode, told.json().code, told.json().run_id], [409, "effect_in_progress", run.id]);
  assert.equal(told.headers["retry-after"], "2");
  const later = await scene.openPr(run.id);
  assert.deepEqual([later.statusCode, later.json().pr.adopted], [200, true], later.body);
  assert.equal(scene.forge.pulls.all.length, 1);
  assert.deepEqual(scene.troubles, []);
});

test("what another node has in hand is waited for, and answered as that one's result", async () => {
  const patience = createPatience();
  await using scene = await openHandoverScene({ handover: { forgeMs: 400 } });
  const troubles: unknown[] = [];
  const wish = { by: "nod_other", timers: patience.timers };
  await using other = await openTestRooms(scene.panel, (error) => troubles.push(error), wish);
  const run = await scene.placedRun();
  const happened = scene.forge.failNext("no_answer");
  const here = scene.openPr(run.id);
  await happened;
  const there = other.handover.prs.open(scene.owner, run.id, { reopen: false, draft: undefined });
  const made = (await here).json().pr;
  await patience.over(200);
  const { run: seen, isNew } = await there;
  assert.deepEqual([seen.state, seen.facts.pr?.number, isNew], ["pr_open", made.number, false]);
  assert.equal(scene.forge.pulls.all.length, 1);
  assert.deepEqual([...scene.troubles, ...troubles], []);
});

test("a repo that is removed while it is pushed to keeps its credential until the branch is there, and no longer", async () => {
  await using scene = await openHandoverScene();
  const { run, runToken } = await scene.heldRun();
  const made = await scene.bundleOf(run.id, { "sum.js": "export const sum = (a, b) => a + b;\n" });
  assert.equal((await scene.upload(run.id, { runToken, bytes: made.bytes })).status, 200);
  const judged = await scene.handover.delivery.judge(scene.owner, run, { headSha: made.headSha });
  assert.ok(judged.kind === "accepted");
  await scene.stepLater(run.id, "passed", { change: { facts: judged.facts }, dueInMs: MINUTE_MS });
  const credential = async () => {
    const found = await scene.store.of(scene.owner).repos.findForPush(scene.repo.id);
    return [found?.isRemoved, found?.sealedCredential === null];
  };
  const removed = await scene.ask("DELETE", `/api/repos/${scene.repo.id}`, { token: scene.token });
  assert.deepEqual([removed.statusCode, await credential()], [204, [true, false]]);
  assert.equal((await scene.runOf(run.id)).state, "pushing");
  scene.pass(MINUTE_MS);
  await scene.handover.effects.look();
  assert.equal((await scene.runOf(run.id)).state, "pushed");
  assert.equal(await git(scene.bare, "rev-parse", `refs/heads/maint/${run.id}`), made.headSha);
  assert.deepEqual(await credential(), [true, true]);
  assert.deepEqual(scene.troubles, []);
});

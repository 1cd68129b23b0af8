/** Faults of the forge at random: every follow-up is pushed once or fails with a reason, in one pull request with one comment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForgeFault } from "@triptych/fake-forge";
import { git } from "../support/delivery-fixture.ts";
import { createFollowUpFixture, MINUTE_MS } from "../support/follow-up-fixture.ts";

const FAULTS: readonly ForgeFault[] = ["error", "error_after_effect", "lost_answer", "rate_limited", "quota_used"];
/** Each costs this time. */
const SLOW_MS = 1_000;
const RED = [{ name: "test", state: "failed", log: "red\n" }] as const;
const GREEN = [{ name: "test", state: "passed" }] as const;

/** Mulberry32: the same faults for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SEEDS = process.env["TEST_LONG"] === "1" ? 200 : 3;

for (let seed = 1; seed <= SEEDS; seed++)
  test(`survives forge faults with seed ${seed}`, async () => {
    const random = randomOf(seed);
    const followUp = { enabled: true, max_attempts: 10 };
    await using fixture = await createFollowUpFixture({ followUp, forgeMs: SLOW_MS });
    let isFaulty = true;
    fixture.forge.faultOf = (call) => {
      if (!isFaulty || random() >= 0.25) return undefined;
      const kind = random();
      // What a token may not read today, it may read tomorrow.
      if (kind < 0.1 && call.startsWith("GET")) return "forbidden";
      return kind < 0.13 ? "no_answer" : FAULTS[Math.floor(random() * FAULTS.length)];
    };
    await git(fixture.bare, "config", "core.logAllRefUpdates", "always");
    const pushed = new Set<string>();
    let persons = 0;
    /** A forge that does not answer delays a push. */
    const settle = async (id: string) => {
      for (let again = 0; again < 20; again++) {
        await fixture.deliveryServices.effects.poll();
        const run = await fixture.runOf(id);
        if (run.state !== "pushing") return run;
        fixture.pass(40 * MINUTE_MS);
      }
      throw new Error(`${id} is still pushing`);
    };
    const log = async () => (await git(fixture.bare, "rev-list", fixture.branch)).split("\n");
    for (let round = 0; round < 6; round++) {
      await fixture.setChecks(RED);
      await fixture.poll(random() < 0.3 ? 40 * MINUTE_MS : MINUTE_MS);
      const active = (await fixture.followUps()).filter(({ state }) => state === "queued");
      assert.ok(active.length <= 1);
      const [run] = active;
      if (run === undefined) continue;
      const commit = await fixture.work(run.id, { [`file-${round}.txt`]: `${seed}\n` });
      if (random() < 0.25) {
        const head = await fixture.headSha();
        const theirs = await git(fixture.bare, "commit-tree", "-p", head, "-m", `Person ${round}`, `${head}^{tree}`);
        await git(fixture.bare, "update-ref", `refs/heads/${fixture.branch}`, theirs);
        persons++;
      }
      const { state, result } = await settle(run.id);
      if (state === "pr_open") pushed.add(commit);
      else assert.deepEqual([state, result?.code], ["failed", "branch_moved"]);
    }
    isFaulty = false;
    // Nothing is lost: a check that is still red gets its run.
    await fixture.setChecks(RED);
    await fixture.poll(40 * MINUTE_MS);
    const last = (await fixture.followUps()).at(-1);
    assert.equal(last?.state, "queued");
    pushed.add(await fixture.work(last.id, { "last.txt": `${seed}\n` }));
    assert.equal((await settle(last.id)).state, "pr_open");
    await fixture.setChecks(GREEN);
    await fixture.poll(40 * MINUTE_MS);
    await fixture.poll(6 * MINUTE_MS);
    const commits = await log();
    for (const commit of pushed) assert.equal(commits.filter((sha) => sha === commit).length, 1);
    const updates = await git(fixture.bare, "reflog", "show", "--format=%H", fixture.branch);
    assert.equal(updates.split("\n").length, pushed.size + persons);
    const runs = await fixture.followUps();
    assert.ok(runs.every(({ state }) => state === "pr_open" || state === "failed"));
    const parent = await fixture.getRun(fixture.parent.id);
    assert.deepEqual([parent.follow_ups.length, parent.pr.checks.state], [runs.length, "passed"]);
    assert.equal(fixture.forge.pulls.all.length, 1);
    const [comment, ...others] = fixture.forge.discussion.comments;
    assert.equal(others.length, 0);
    assert.equal(comment?.body.match(/^\| \d+ \|/gm)?.length, runs.length);
    assert.doesNotMatch(comment?.body ?? "", /in progress/);
    assert.deepEqual(fixture.errors, []);
  });

import assert from "node:assert/strict";
import { test } from "node:test";
import { asyncProperty, array, assert as check, constantFrom, integer, record } from "fast-check";
import type { RunState } from "@triptych/contracts";
import { isLeased, isTerminal, RUN_EVENTS, stateAfter, type RunEvent } from "../../src/domain/run-states.ts";
import { GREEN, createChannelFixture, REPO, SHA } from "../support/create-channel-fixture.ts";

const DATA = {
  running: { baseline: null },
  verifying: { changed_files: 1, insertions: 1, deletions: 0 },
  pushing: { verify: GREEN, head_sha: SHA },
  no_change: {},
  failed: { code: "agent_error", message: "" },
  succeeded: {},
  cancelled: {},
} as const;
const STATES = ["running", "verifying", "pushing", "no_change", "failed", "succeeded", "cancelled"] as const;
const DOINGS = ["accept", "refuse", "stop", "cancel", "upload", ...STATES] as const;

const doing = record({
  what: constantFrom<(typeof DOINGS)[number]>(...DOINGS, "running", "verifying", "running", "verifying"),
  /** Its own epoch or the previous one. */
  late: integer({ min: 0, max: 4 }),
  mid: integer({ min: 1, max: 8 }),
});

/** Reaches `pushing`, which few random orders do. */
const PUSHED = (["accept", "upload", "running", "verifying", "pushing"] as const).map((what) => ({
  what,
  late: 1,
  mid: 1,
}));
const ITERATIONS = process.env["TEST_LONG"] === undefined ? 12 : 400;

test("changes a run only by the table and for its current epoch, and pushes it at most once, under random frames", async () => {
  await using fixture = await createChannelFixture();
  const { access_token: token, account_id: owner, license_key: key } = await fixture.make("team");
  const { body: repo } = await fixture.ask(token, "POST", "/api/repos", REPO);
  let cases = 0;
  let pushed = 0;
  const property = asyncProperty(array(doing, { maxLength: 14 }), async (doings) => {
    const worker = await fixture.join(key);
    const { status, body: run } = await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {
      // The push of a case stays active: the worker named no base. Another run of its focus would be refused.
      focus: `Case ${cases++}`,
    });
    assert.equal(status, 202, JSON.stringify(run));
    const offer = await worker.next("assign");
    const { run_id } = offer;
    let { epoch } = offer;
    assert.equal(run_id, run.id);
    const read = async () => {
      const stored = await fixture.store.of(owner).runs.find(run.id);
      assert.ok(stored !== null);
      return stored;
    };
    for (const { what, late, mid } of doings) {
      const before = await read();
      const lease = { run_id, epoch: late === 0 ? epoch - 1 : epoch };
      if (what === "upload") fixture.bundles.set(run.id, epoch, SHA);
      else if (what === "cancel") await fixture.ask(token, "POST", `/api/runs/${run.id}/cancel`);
      else if (what === "accept") worker.say({ t: "accept", ...lease });
      else if (what === "refuse" || what === "stop")
        worker.say({ t: "refuse", ...lease, reason: what === "stop" ? "stopping" : "disk" });
      else {
        worker.say({ t: "state", mid: `${what} ${mid}`, ...lease, state: what, data: DATA[what] });
        const { result } = await worker.next("state_ack");
        if (lease.epoch !== before.epoch || !isLeased(before.state)) assert.notEqual(result, "ok");
      }
      // Frames of one run are handled in order: this reply means that all before it are done.
      worker.say({ t: "state", mid: "none", run_id, epoch: epoch + 99, state: "cancelled", data: {} });
      assert.equal((await worker.next("state_ack")).result, "rejected");
      const after = await read();
      assert.ok(after.epoch >= before.epoch && after.attempt <= after.epoch);
      assert.equal(after.leaseUntil !== null, isLeased(after.state));
      if (isTerminal(before.state)) assert.deepEqual(after, before);
      if (after.state !== "queued") continue;
      // The worker gets it again after its pause.
      fixture.clock.advance(6_000);
      ({ epoch } = await worker.next("assign"));
    }
    const moves = await fixture.database.db
      .selectFrom("run_transition")
      .selectAll()
      .where("run_id", "=", run.id)
      .orderBy("revision")
      .execute();
    let state: RunState = "queued";
    for (const { from_state, event, to_state } of moves.slice(1)) {
      assert.equal(from_state, state);
      const runEvent = RUN_EVENTS.find((name): name is RunEvent => name === event);
      assert.ok(runEvent !== undefined && stateAfter(state, runEvent) === to_state, `${state} ${event} ${to_state}`);
      state = to_state;
    }
    assert.ok(moves.filter(({ to_state }) => to_state === "pushing").length <= 1);
    await fixture.ask(token, "DELETE", `/api/workers/${worker.workerId}`);
    await worker.closed;
    await fixture.ask(token, "POST", `/api/runs/${run.id}/cancel`);
    const { state: last } = await read();
    assert.ok(isTerminal(last) || last === "pushing", last);
    if (last === "pushing") pushed++;
  });
  await check(property, { seed: 27, numRuns: ITERATIONS, examples: [[PUSHED]] });
  assert.ok(pushed > 0);
  for (const error of fixture.errors) assert.match(String(error), /is pushing without a head/);
});

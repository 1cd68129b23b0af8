import assert from "node:assert/strict";
import { test } from "node:test";
import { RUN_STATES } from "@triptych/contracts";
import { attemptGivenBack, isHeard, lapseOf, leaseAfterStart, nextLease } from "../../src/domain/leases.ts";
import { isHeld } from "../../src/domain/run-states.ts";
import { chooseFor, heldUp, ownersInTurn, type QueuedRun, type UnderWay } from "../../src/domain/queue.ts";

function queued(id: string, more: Partial<QueuedRun> = {}): QueuedRun {
  const run = { id, owner: "acc_a", repoId: "rep_a", priority: 0, queuedAt: 0, notBefore: 0 };
  return { ...run, plan: "pro", isParallel: false, failedBy: null, ...more };
}

const underWay = (ofOwner: number, ofRepo: number): UnderWay => ({ ofOwner: () => ofOwner, ofRepo: () => ofRepo });
const OFFER = { workerId: "wrk_a", owner: "acc_a", now: 100, hasOthers: true };

test("a lease raises epoch and attempt; a run given back keeps its epoch and regains its attempt", () => {
  assert.deepEqual(nextLease({ epoch: 4, attempt: 1 }, 1_000, 45_000), { epoch: 5, attempt: 2, leaseUntil: 46_000 });
  assert.equal(attemptGivenBack({ attempt: 2 }), 1);
});

test("only the present holder is heard, and only while it holds", () => {
  for (const state of RUN_STATES)
    for (const epoch of [1, 2, 3]) assert.equal(isHeard({ state, epoch: 2 }, epoch), epoch === 2 && isHeld(state));
});

test("a lapsed lease is tried again at once, then after 15 s, then the run is lost", () => {
  const lapse = (attempt: number) => lapseOf({ state: "running", epoch: 9, attempt, leaseUntil: 500 }, 500);
  assert.deepEqual(lapse(1), { event: "lapsed", notBefore: 500 });
  assert.deepEqual(lapse(2), { event: "lapsed", notBefore: 15_500 });
  assert.deepEqual(lapse(3), { event: "lapsed_for_good", notBefore: 500 });
  assert.equal(lapseOf({ state: "running", epoch: 9, attempt: 1, leaseUntil: 501 }, 500), null);
  assert.equal(lapseOf({ state: "pushing", epoch: 9, attempt: 1, leaseUntil: 1 }, 500), null);
});

test("after a start of the panel no lease ends within 45 s", () => {
  assert.equal(leaseAfterStart(10, 1_000), 46_000);
  assert.equal(leaseAfterStart(90_000, 1_000), 90_000);
});

test("within an account priority goes before age, and age before the rest", () => {
  const runs = [
    queued("run_1", { queuedAt: 5 }),
    queued("run_2", { queuedAt: 3 }),
    queued("run_3", { priority: 1, queuedAt: 9 }),
  ];
  assert.equal(chooseFor(OFFER, runs, underWay(0, 0))?.id, "run_3");
  assert.equal(chooseFor(OFFER, runs.slice(0, 2), underWay(0, 0))?.id, "run_2");
});

test("a worker is never offered another account's run, nor first the one it has failed", () => {
  assert.equal(chooseFor(OFFER, [queued("run_1", { owner: "acc_b" })], underWay(0, 0)), null);
  const failed = [queued("run_1", { failedBy: "wrk_a" })];
  assert.equal(chooseFor(OFFER, failed, underWay(0, 0)), null);
  assert.equal(chooseFor({ ...OFFER, hasOthers: false }, failed, underWay(0, 0))?.id, "run_1");
});

test("what holds a run up is said: the delay, the plan, the repo", () => {
  assert.equal(heldUp(queued("r", { notBefore: 101 }), underWay(0, 0), 100), "retry_delay");
  assert.equal(heldUp(queued("r"), underWay(4, 0), 100), "plan_concurrency");
  assert.equal(heldUp(queued("r"), underWay(1, 1), 100), "repo_busy");
  assert.equal(heldUp(queued("r", { isParallel: true }), underWay(1, 1), 100), null);
  assert.equal(heldUp(queued("r", { plan: "free", isParallel: true }), underWay(0, 1), 100), "repo_busy");
});

test("accounts are served in turn, whoever has most runs", () => {
  assert.deepEqual(ownersInTurn(["b", "a", "c", "a"], null), ["a", "b", "c"]);
  assert.deepEqual(ownersInTurn(["b", "a", "c"], "b"), ["c", "a", "b"]);
  assert.deepEqual(ownersInTurn(["b", "a", "c"], "z"), ["a", "b", "c"]);
});

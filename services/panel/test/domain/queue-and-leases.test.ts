import assert from "node:assert/strict";
import { test } from "node:test";
import { RUN_STATES, type IsolationLevel } from "@triptych/contracts";
import {
  attemptAfterRequeue,
  isLeasedAt,
  expiredLeaseOf,
  leaseAfterStart,
  nextLease,
} from "../../src/domain/leases.ts";
import { isLeased } from "../../src/domain/run-states.ts";
import {
  chooseAssignment,
  blockedReason,
  groupByCapability,
  findLacks,
  needsOf,
  roundRobinOwners,
  queueReasonOf,
  type WorkerCapacity,
  type RunNeeds,
  type RunningCounts,
  type WaitingRun,
} from "../../src/queue/rules.ts";
import { queueHintOf } from "../../src/queue/view.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";

function waiting(id: string, more: Partial<WaitingRun> = {}): WaitingRun {
  const run = { id, repoId: "rep_a", priority: 0, queuedAt: 0, notBefore: 0 };
  return { ...run, isParallel: false, repoStatus: "active", failedBy: null, ...more };
}

const underWay = (ofOwner: number, ofRepo: number, plan: RunningCounts["plan"] = "pro"): RunningCounts => ({
  plan,
  ofOwner,
  ofRepo: () => ofRepo,
});

const NEEDS: RunNeeds = { clis: [], defaultPair: true, isolation: "sandbox" };
const CODEX = { cli: "codex", version: "1", adapter: "jsonl", models: ["gpt-x"] };

function capacityOf(workerId: string, more: Partial<WorkerCapacity> = {}): WorkerCapacity {
  return { workerId, agents: [CODEX], isolation: "sandbox", freeSlots: 1, ...more };
}

function choose(runs: readonly WaitingRun[], capacities: readonly WorkerCapacity[], needs = NEEDS) {
  const needsById = new Map(runs.map(({ id }) => [id, needs]));
  const pair = chooseAssignment({ waiting: runs, needs: needsById, capacities, underWay: underWay(0, 0), now: 100 });
  return pair === null ? null : `${pair.run.id} ${pair.workerId}`;
}

test("increments epoch and attempt on a lease; a returned run keeps its epoch and regains its attempt", () => {
  assert.deepEqual(nextLease({ epoch: 4, attempt: 1 }, 1_000, 45_000), { epoch: 5, attempt: 2, leaseUntil: 46_000 });
  assert.equal(attemptAfterRequeue({ attempt: 2 }), 1);
});

test("accepts reports only from the current holder", () => {
  for (const state of RUN_STATES)
    for (const epoch of [1, 2, 3]) assert.equal(isLeasedAt({ state, epoch: 2 }, epoch), epoch === 2 && isLeased(state));
});

test("retries an expired lease immediately, then after 15 s, then marks the run as lost", () => {
  const expired = (attempt: number) => expiredLeaseOf({ state: "running", epoch: 9, attempt, leaseUntil: 500 }, 500);
  assert.deepEqual(expired(1), { event: "lapsed", notBefore: 500 });
  assert.deepEqual(expired(2), { event: "lapsed", notBefore: 15_500 });
  assert.deepEqual(expired(3), { event: "lapsed_for_good", notBefore: 500 });
  assert.equal(expiredLeaseOf({ state: "running", epoch: 9, attempt: 1, leaseUntil: 501 }, 500), null);
  assert.equal(expiredLeaseOf({ state: "pushing", epoch: 9, attempt: 1, leaseUntil: 1 }, 500), null);
});

test("expires no lease within 45 s of a panel start", () => {
  assert.equal(leaseAfterStart(10, 1_000), 46_000);
  assert.equal(leaseAfterStart(90_000, 1_000), 90_000);
});

test("orders the runs of an account by priority, then by age", () => {
  const runs = [
    waiting("run_1", { queuedAt: 5 }),
    waiting("run_2", { queuedAt: 3 }),
    waiting("run_3", { priority: 1, queuedAt: 9 }),
  ];
  assert.equal(choose(runs, [capacityOf("wrk_a")]), "run_3 wrk_a");
  assert.equal(choose(runs.slice(0, 2), [capacityOf("wrk_a")]), "run_2 wrk_a");
});

test("assigns a run to the fitting worker with most free slots, and last to the one that failed it", () => {
  const two = [capacityOf("wrk_a"), capacityOf("wrk_b", { freeSlots: 3 })];
  assert.equal(choose([waiting("run_1")], two), "run_1 wrk_b");
  assert.equal(choose([waiting("run_1", { failedBy: "wrk_b" })], two), "run_1 wrk_a");
  assert.equal(choose([waiting("run_1", { failedBy: "wrk_a" })], [capacityOf("wrk_a")]), "run_1 wrk_a");
  assert.equal(choose([waiting("run_1")], [capacityOf("wrk_a", { freeSlots: 0 })]), null);
  const scripted = { ...NEEDS, clis: ["scripted"], defaultPair: false };
  assert.equal(choose([waiting("run_1")], two, scripted), null);
  assert.equal(choose([waiting("run_1")], [capacityOf("wrk_a", { isolation: "worktree" })]), null);
});

test("derives the needs of a run from team, scout and isolation", () => {
  const specOf = (patch: Partial<typeof DEFAULT_SETTINGS>) => ({ settings: { ...DEFAULT_SETTINGS, ...patch } });
  assert.deepEqual(needsOf("maintain", specOf({})), NEEDS);
  const members = [
    { role: "coder", cli: "codex" },
    { role: "reviewer", cli: "command", command: ["true"] },
  ] as const;
  const team = {
    preset: "pair" as const,
    max_rounds: 2,
    members: members.map((member) => ({ ...member, command: ["x"] })),
  };
  assert.deepEqual(needsOf("maintain", specOf({ team })), { ...NEEDS, clis: ["codex"], defaultPair: false });
  assert.equal(needsOf("explore", specOf({})).defaultPair, false);
  const scout = { ...DEFAULT_SETTINGS.explore, scout: "agent" as const };
  assert.equal(needsOf("explore", specOf({ explore: scout })).defaultPair, true);
  const commandOnly = { agents: [{ ...CODEX, cli: "command" }], isolation: "container" } as const;
  assert.deepEqual(findLacks(NEEDS, commandOnly), ["cli"]);
});

test("prefers a worker with a coding agent for an auto scout, and scans without one", () => {
  const scout = needsOf("explore", { settings: DEFAULT_SETTINGS });
  const plain = { agents: [{ ...CODEX, cli: "mine", adapter: "command" }], freeSlots: 9 };
  const [tool, busy] = [capacityOf("wrk_a", plain), capacityOf("wrk_b", { freeSlots: 0 })];
  assert.equal(choose([waiting("run_1")], [tool, capacityOf("wrk_b")], scout), "run_1 wrk_b");
  assert.equal(choose([waiting("run_1")], [tool, busy], scout), null);
  assert.equal(choose([waiting("run_1")], [tool], scout), "run_1 wrk_a");
  const unable = { ...busy, refused: new Set(["run_1"]) };
  assert.equal(choose([waiting("run_1")], [tool, unable], scout), "run_1 wrk_a");
  const reason = (capacities: readonly WorkerCapacity[]) =>
    queueReasonOf(waiting("r"), scout, { capacities, underWay: underWay(0, 0), now: 1 });
  assert.deepEqual([reason([tool, busy]), reason([tool])], ["workers_full", null]);
});

test("reports what blocks a run: the delay, the plan, the repo", () => {
  assert.equal(
    blockedReason(waiting("r", { repoStatus: "paused", notBefore: 101 }), underWay(0, 0), 100),
    "repo_paused",
  );
  assert.equal(blockedReason(waiting("r", { repoStatus: "unreachable" }), underWay(0, 0), 100), "repo_unreachable");
  assert.equal(blockedReason(waiting("r", { repoStatus: "checking" }), underWay(0, 0), 100), null);
  assert.equal(blockedReason(waiting("r", { notBefore: 101 }), underWay(0, 0), 100), "retry_delay");
  assert.equal(blockedReason(waiting("r"), underWay(4, 0), 100), "plan_concurrency");
  assert.equal(blockedReason(waiting("r"), underWay(1, 1), 100), "repo_busy");
  assert.equal(blockedReason(waiting("r", { isParallel: true }), underWay(1, 1), 100), null);
  assert.equal(blockedReason(waiting("r", { isParallel: true }), underWay(0, 1, "free"), 100), "repo_busy");
});

test("reports what a run waits for: any worker, an agent, an isolation level, a free slot", () => {
  const reason = (capacities: readonly WorkerCapacity[]) =>
    queueReasonOf(waiting("r"), NEEDS, { capacities, underWay: underWay(0, 0), now: 1 });
  assert.equal(reason([]), "no_worker");
  assert.equal(reason([capacityOf("a", { agents: [] })]), "no_worker_with_cli");
  assert.equal(
    reason([capacityOf("a", { agents: [] }), capacityOf("b", { isolation: "none" })]),
    "no_worker_with_isolation",
  );
  assert.equal(reason([capacityOf("a", { freeSlots: 0 })]), "workers_full");
  assert.equal(reason([capacityOf("a")]), null);
});

test("suggests how to unblock a run, including an unavailable isolation level", () => {
  const settings = (required: IsolationLevel, minimum: IsolationLevel = "none") => ({ required, minimum });
  assert.match(queueHintOf("no_worker_with_isolation", settings("sandbox")) ?? "", /worker doctor.*`worktree`/);
  assert.match(queueHintOf("no_worker_with_isolation", settings("container")) ?? "", /--image.*`sandbox`/);
  for (const level of ["sandbox", "container"] as const)
    assert.doesNotMatch(queueHintOf("no_worker_with_isolation", settings(level, level)) ?? "", /level_required/);
  assert.match(queueHintOf("no_worker", settings("sandbox")) ?? "", /Connect a worker/);
  assert.deepEqual(
    [queueHintOf("workers_full", settings("sandbox")), queueHintOf(null, settings("sandbox"))],
    [null, null],
  );
});

test("groups workers by capability, with free slots if any member has some, and without disabled workers", () => {
  const worker = (id: string, more = {}) => {
    return { id, agents: [CODEX], isolation: "sandbox", slots: 1, enabled: true, ...more } as const;
  };
  const workers = [
    worker("a"),
    worker("b", { slots: 2, agents: [{ ...CODEX }] }),
    worker("c", { isolation: "none" }),
    worker("d", { enabled: false, agents: [] }),
  ];
  const kinds = groupByCapability(workers, ["a", "c"]).map(({ isolation, freeSlots }) => [isolation, freeSlots]);
  assert.deepEqual(kinds, [
    ["sandbox", 2],
    ["none", 0],
  ]);
});

test("serves accounts in turn, however many runs each has", () => {
  assert.deepEqual(roundRobinOwners(["b", "a", "c", "a"], null), ["a", "b", "c"]);
  assert.deepEqual(roundRobinOwners(["b", "a", "c"], "b"), ["c", "a", "b"]);
  assert.deepEqual(roundRobinOwners(["b", "a", "c"], "z"), ["a", "b", "c"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { blockedReason } from "../../src/queue/rules.ts";
import { readQueueSnapshot } from "../../src/queue/view.ts";
import type { WorkerRecord } from "../../src/domain/workers.ts";
import type { QueueView } from "../../src/queue/repository.ts";

const RUN = { id: "run_1", repoId: "rep_1", priority: 0, queuedAt: 0, notBefore: 0 };
const WAITING = { ...RUN, isParallel: false, repoStatus: "active", failedBy: null } as const;

function worker(id: string): WorkerRecord {
  const figures = { seenAt: 0, rttMs: null, outboxPending: 0, diskFreeMb: null, keyGeneration: null };
  const about = { name: id, agents: [], slots: 1, isolation: "sandbox", os: "linux", version: "1" } as const;
  return { id, ...about, enabled: true, embedded: false, createdAt: 0, figures };
}

/** A constant queue with a settable time and workers. */
function createViewer(view: QueueView) {
  const present = { now: 100, workers: [] as readonly WorkerRecord[] };
  const viewer = {
    store: { fleet: { isShared: false } },
    workers: { records: () => [...present.workers] },
    allows: { isolationMin: "none" as const },
    now: () => present.now,
  };
  const workers = { connections: async () => [], list: async () => [] };
  const source = { owner: "acc_a", repositories: { queue: { view: async () => view }, workers } };
  return { present, read: () => readQueueSnapshot(viewer, source) };
}

const QUIET: QueueView = { plan: "pro", status: "active", waiting: [WAITING], leased: [], checking: [] };

test("counts each worker that connects, is disabled or disconnects", async () => {
  const { present, read } = createViewer(QUIET);
  const seen = [(await read()).capacities.length];
  for (const workers of [[worker("wrk_1")], [{ ...worker("wrk_1"), enabled: false }], []]) {
    present.workers = workers;
    seen.push((await read()).capacities.length);
  }
  assert.deepEqual(seen, [0, 1, 0, 0]);
});

test("ends the delay of a run on time without other changes", async () => {
  const { present, read } = createViewer({ ...QUIET, waiting: [{ ...WAITING, notBefore: 15_000 }] });
  const reasons: unknown[] = [];
  for (const now of [100, 14_999, 15_000, 15_000]) {
    present.now = now;
    const snapshot = await read();
    reasons.push(snapshot.waiting.map((run) => blockedReason(run, snapshot.underWay, snapshot.now)));
  }
  assert.deepEqual(reasons, [["retry_delay"], ["retry_delay"], [null], [null]]);
});

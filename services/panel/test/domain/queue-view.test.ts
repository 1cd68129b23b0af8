import assert from "node:assert/strict";
import { test } from "node:test";
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

test("returns the same queue until a worker connects, changes or disconnects", async () => {
  const { present, read } = createViewer(QUIET);
  const first = await read();
  present.now += 60_000;
  assert.equal(await read(), first);
  const seen: number[] = [];
  for (const workers of [[worker("wrk_1")], [{ ...worker("wrk_1"), enabled: false }], []]) {
    present.workers = workers;
    seen.push((await read()).hands.length);
  }
  assert.deepEqual(seen, [1, 0, 0]);
});

test("ends the delay of a run on time without other changes", async () => {
  const { present, read } = createViewer({ ...QUIET, waiting: [WAITING, { ...WAITING, notBefore: 15_000 }] });
  const first = await read();
  present.now = 14_999;
  assert.equal(await read(), first);
  present.now = 15_000;
  assert.equal((await read()).now, 15_000);
  assert.equal((await read()).now, 15_000);
});

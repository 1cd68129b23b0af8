import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { PanelStore } from "../../src/domain/repositories.ts";
import type { WorkerRecord } from "../../src/domain/workers.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const ACCOUNT = accountRecord("acc_a");

const WORKER: WorkerRecord = {
  id: "wrk_1",
  name: "box-1",
  agents: [{ cli: "codex", version: "1", adapter: "jsonl", models: ["gpt-x"] }],
  slots: 2,
  isolation: "sandbox",
  os: "linux",
  version: "1.0.0",
  enabled: true,
  embedded: false,
  createdAt: 5,
  figures: { seenAt: 5, rttMs: 1.25, outboxPending: 3, diskFreeMb: 9_000, keyGeneration: 2 },
};

const LINK = { id: "cnx_1", workerId: "wrk_1", node: "nod_1", process: "p1", keyGeneration: 1, openedAt: 5 };

const REPO = repoRecord();

async function openAccount(store: PanelStore): Promise<void> {
  await store.system.createAccount(newAccount(ACCOUNT));
  await store.change("acc_a", ({ repos }) => repos.add(REPO));
}

/** Leased by the worker until `leaseUntil`. */
async function createLeasedRun(store: PanelStore, leaseUntil: number) {
  const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
  return store.change("acc_a", async (repositories) => {
    const run = await createRun(repositories, input, {
      account: ACCOUNT,
      repo: REPO,
      id: "run_1",
      now: 5,
      hasWorkers: true,
    });
    return transitionRun(repositories, run, "leased", { at: 6, epoch: 1, attempt: 1, workerId: "wrk_1", leaseUntil });
  });
}

const EFFECT = {
  repoId: "rep_1",
  kind: "push",
  state: "waiting",
  attempts: 1,
  patchId: null,
  outcome: null,
} as const;

forEachEngine<PanelTables>("the worker repository", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("stores, connects, probes and finally deletes a worker under its id", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    const { workers } = store.of("acc_a");
    await store.change("acc_a", (repositories) => repositories.workers.save({ ...WORKER, name: "old" }));
    await store.change("acc_a", async (repositories) => {
      await repositories.workers.save(WORKER);
      await repositories.workers.connect({ ...LINK, id: "cnx_0" });
      await repositories.workers.connect(LINK);
    });
    assert.deepEqual([await workers.find("wrk_1"), await workers.list()], [WORKER, [WORKER]]);
    assert.deepEqual([await workers.connections(), await workers.countConnected()], [[LINK], 1]);
    assert.equal(await store.of("acc_b").workers.find("wrk_1"), null);
    const figures = { seenAt: 99, rttMs: null, outboxPending: 0, diskFreeMb: null, keyGeneration: 3 };
    await store.fleet.see([{ owner: "acc_a", workerId: "wrk_1", ...figures }]);
    assert.deepEqual((await workers.find("wrk_1"))?.figures, figures);
    const keyHolders = { owner: "acc_a", workerIds: ["wrk_1"] };
    await store.fleet.noteKey({ ...keyHolders, generation: 3 });
    await store.fleet.noteKey({ ...keyHolders, generation: 2 });
    assert.equal((await workers.connectionOf("wrk_1"))?.keyGeneration, 3);
    const error = { code: "auth", message: "no" } as const;
    const probe = { workerId: "wrk_1", cli: "codex", model: "gpt-x", ok: false, latencyMs: 7, error, checkedAt: 9 };
    await store.change("acc_a", (repositories) => repositories.workers.keepProbe({ ...probe, latencyMs: 1 }));
    await store.change("acc_a", (repositories) => repositories.workers.keepProbe(probe));
    assert.deepEqual([await workers.probes(), await workers.probes("wrk_2")], [[probe], []]);
    await store.fleet.disconnect([{ owner: "acc_a", id: "cnx_0" }]);
    assert.deepEqual([await store.fleet.forget(1_000), await workers.countConnected()], [0, 1]);
    await store.fleet.disconnect([{ owner: "acc_a", id: "cnx_1" }]);
    assert.deepEqual([await store.fleet.forget(50), await store.fleet.forget(1_000)], [0, 1]);
    assert.equal(await store.change("acc_a", (repositories) => repositories.workers.remove("wrk_1")), false);
  });

  test("renews leases for their holder only, never shortens them, and finds expired ones", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    const run = await createLeasedRun(store, 100);
    const renewal = { owner: "acc_a", runId: "run_1", epoch: 1, workerId: "wrk_1", leaseUntil: 200 };
    const lease = async () => (await store.of("acc_a").runs.find("run_1"))?.leaseUntil;
    await store.fleet.moveLeases([
      { ...renewal, epoch: 2 },
      { ...renewal, workerId: "wrk_2" },
      { ...renewal, leaseUntil: 50 },
    ]);
    assert.equal(await lease(), 100);
    await store.fleet.moveLeases([renewal]);
    // A record read before the heartbeat does not undo it.
    await store.change("acc_a", (repositories) => transitionRun(repositories, run, "accepted", { at: 7 }));
    assert.equal(await lease(), 200);
    assert.deepEqual(await store.fleet.lapsed(199, 9), []);
    assert.deepEqual(await store.fleet.lapsed(200, 9), [{ owner: "acc_a", id: "run_1" }]);
    await store.fleet.graceLeases(300);
    await store.fleet.graceLeases(250);
    assert.equal(await lease(), 300);
    await store.change("acc_a", ({ runs }) => runs.askToCancel("run_1", 150));
    const request = { owner: "acc_a", id: "run_1", workerId: "wrk_1", requestedAt: 150 };
    assert.deepEqual(await store.fleet.cancelRequests(9), [{ ...request, isConnected: false }]);
    await store.change("acc_a", (repositories) => repositories.workers.connect(LINK));
    assert.deepEqual(await store.fleet.cancelRequests(9), [{ ...request, isConnected: true }]);
  });

  test("lists waiting and leased runs in order, and detects duplicate reports", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
    const make = (id: string, now: number, priority: number) =>
      store.change("acc_a", (repositories) =>
        createRun(
          repositories,
          { ...input, priority, focus: id },
          { account: ACCOUNT, repo: REPO, id, now, hasWorkers: true },
        ),
      );
    await createLeasedRun(store, 100);
    for (const [id, at, priority] of [
      ["run_4", 30, 0],
      ["run_3", 20, 0],
      ["run_2", 40, 1],
    ] as const)
      await make(id, at, priority);
    const { queue } = store.of("acc_a");
    const { plan, waiting, leased } = await queue.view();
    assert.deepEqual([plan, waiting.map(({ id }) => id)], ["pro", ["run_2", "run_3", "run_4"]]);
    assert.deepEqual(leased, [{ id: "run_1", repoId: "rep_1", workerId: "wrk_1" }]);
    const needs = { clis: [], defaultPair: true, isolation: "sandbox" };
    assert.deepEqual([...(await queue.needsOf(["run_2", "run_9"]))], [["run_2", needs]]);
    assert.deepEqual([await store.fleet.ownersWaiting(19), await store.fleet.ownersWaiting(20)], [[], ["acc_a"]]);
    assert.equal(await store.fleet.oldestQueued(), 20);
    const report = { runId: "run_1", epoch: 1, mid: "m1" };
    const note = () => store.change("acc_a", (repositories) => repositories.queue.noteReport(report));
    assert.deepEqual([await queue.knowsReport(report), await note(), await note()], [false, true, false]);
    assert.deepEqual(
      [await queue.knowsReport(report), await queue.knowsReport({ ...report, epoch: 2 })],
      [true, false],
    );
  });

  test("removes a silent node once: its connections, leases and effects are released", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    await createLeasedRun(store, 100);
    await store.change("acc_a", (repositories) => repositories.workers.connect(LINK));
    assert.deepEqual(
      [await store.fleet.heartbeat("nod_1", 10), await store.fleet.heartbeat("nod_1", 20)],
      [false, true],
    );
    assert.deepEqual(await store.fleet.nodes(), [{ id: "nod_1", heartbeatAt: 20 }]);
    for (const [runId, leasedBy] of [
      ["run_1", "nod_1"],
      ["run_2", "nod_2"],
    ] as const)
      await store.change("acc_a", ({ effects }) =>
        effects.save({ ...EFFECT, runId, leasedBy, leaseUntil: 99, nextAt: 99 }),
      );
    await store.fleet.removeNode("nod_1", { leases: 500, effects: 9 });
    assert.deepEqual(await store.system.dueEffects(9, 9), [{ owner: "acc_a", runId: "run_1", kind: "push" }]);
    await store.fleet.removeNode("nod_1", { leases: 900, effects: 9 });
    const run = await store.of("acc_a").runs.find("run_1");
    assert.deepEqual([run?.leaseUntil, await store.of("acc_a").workers.countConnected()], [500, 0]);
  });

  test("stores a call between nodes until it is answered or expired, and delivers node messages", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    const call = {
      id: "ern_1",
      workerId: "wrk_1",
      request: { kind: "models", cli: "codex" },
      answer: undefined,
      at: 5,
    };
    const received = Promise.withResolvers<unknown>();
    const stop = await store.fleet.subscribe(received.resolve);
    await store.change("acc_a", ({ workers }) => workers.addCrossNodeCall(call));
    await store.fleet.notifyNodes({ kind: "errand", id: "ern_1", owner: "acc_a" });
    assert.deepEqual(await received.promise, { kind: "errand", id: "ern_1", owner: "acc_a" });
    await stop();
    const { workers } = store.of("acc_a");
    assert.deepEqual(await workers.findCrossNodeCall("ern_1"), call);
    await store.change("acc_a", (repositories) => repositories.workers.answerCrossNodeCall("ern_1", { ok: true }));
    assert.deepEqual((await workers.findCrossNodeCall("ern_1"))?.answer, { ok: true });
    await store.fleet.removeCrossNodeCalls(6);
    assert.equal(await workers.findCrossNodeCall("ern_1"), null);
  });
});

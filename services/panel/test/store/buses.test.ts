import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { ChangeEvent, NewAccount, PanelStore } from "../../src/domain/repositories.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { frame, messagesOf, busItem } from "../support/bus.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const REPO = repoRecord();

/** A store with one account and its named runs, each leased in epoch 1. */
async function storeWith(database: Database<PanelTables>, ...ids: readonly string[]) {
  const store = storeOn(database);
  const account = accountRecord("acc_a", "team");
  await store.system.createAccount(newAccount(account));
  await store.change("acc_a", ({ repos }) => repos.add(REPO));
  const runs: RunRecord[] = [];
  for (const id of ids) runs.push(await leasedRun(store, id, account));
  return { store, runs };
}

function leasedRun(store: PanelStore, id: string, account: NewAccount["account"]): Promise<RunRecord> {
  return store.change("acc_a", async (repositories) => {
    const input = { kind: "maintain", focus: id, trigger: { type: "manual", retryOf: null } } as const;
    const run = await createRun(repositories, input, { account, repo: REPO, id, now: 5, hasWorkers: true });
    return transitionRun(repositories, run, "leased", {
      at: 6,
      epoch: 1,
      attempt: 1,
      leaseUntil: 60,
      workerId: "wrk_1",
    });
  });
}

function busItems(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => busItem(from + index));
}

forEachEngine<PanelTables>("the run event bus", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("stores frames of many runs in one commit, numbered by run, with notifications", async () => {
    await using database = await open();
    const { store } = await storeWith(database, "run_1", "run_2");
    const events: ChangeEvent[] = [];
    const both = Promise.withResolvers<void>();
    const stop = await store.listen((hint) => {
      if (hint?.type === "bus") events.push(hint);
      if (events.some(({ id }) => id === "run_1") && events.some(({ id }) => id === "run_2")) both.resolve();
    });
    const stored = await store.buses.ingest(
      [frame("run_1", busItems(1, 3)), frame("run_2", busItems(1, 1)), frame("run_1", busItems(4, 5))],
      9,
    );
    assert.deepEqual(
      stored.map((item) => item.kind === "stored" && [item.upto, item.lastSeq]),
      [
        [3, 5],
        [1, 3],
        [5, 7],
      ],
    );
    const messages = await messagesOf(store.of("acc_a"), "run_1");
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7],
    );
    assert.equal(messages.at(-1)?.text, "word 5");
    await both.promise;
    assert.deepEqual(events.find(({ id, revision }) => id === "run_1" && revision === 7)?.repoId, "rep_1");
    assert.equal((await store.of("acc_a").runs.find("run_1"))?.lastSeq, 7);
    await stop();
  });

  test("drops duplicates, including partial ones and those within a batch; a new epoch counts from the start", async () => {
    await using database = await open();
    const { store, runs } = await storeWith(database, "run_1");
    const [run] = runs;
    const ingest = async (...frames: Parameters<typeof frame>[]) =>
      (
        await store.buses.ingest(
          frames.map((item) => frame(...item)),
          9,
        )
      ).map((item) => (item.kind === "stored" ? item.upto : item.kind));
    assert.deepEqual(await ingest(["run_1", busItems(1, 4)], ["run_1", busItems(3, 6)]), [4, 6]);
    assert.deepEqual(
      await ingest(["run_1", busItems(1, 6)], ["run_1", [busItem(6), busItem(9, { kind: "verify" })]]),
      [6, 9],
    );
    const { bus } = store.of("acc_a");
    assert.deepEqual([await bus.lastWseq("run_1", 1), (await bus.head("run_1"))?.lastSeq], [9, 9]);
    assert.deepEqual(
      (await messagesOf(store.of("acc_a"), "run_1", { kinds: ["verify"] })).map(({ seq, text }) => [seq, text]),
      [[9, "word 9"]],
    );
    assert.deepEqual(await messagesOf(store.of("acc_a"), "run_1", { kinds: ["verify"], roles: ["panel"] }), []);
    await store.change("acc_a", async (repositories) => {
      const back = await transitionRun(repositories, run, "given_back", { at: 7 });
      await transitionRun(repositories, back, "leased", { at: 8, epoch: 2 });
    });
    assert.deepEqual(await ingest(["run_1", busItems(10, 11)], ["run_1", busItems(1, 1), { epoch: 2 }]), ["fenced", 1]);
    const all = await messagesOf(store.of("acc_a"), "run_1");
    assert.deepEqual(
      all.map(({ seq }) => seq),
      Array.from(all, (_, index) => index + 1),
    );
    assert.equal(all.filter(({ kind }) => kind !== "state").length, 8);
  });

  test("writes nothing for a frame of another epoch, or of an ended, queued or missing run", async () => {
    await using database = await open();
    const { store, runs } = await storeWith(database, "run_1", "run_2", "run_3");
    const result = { code: "cancelled", message: "" } as const;
    await store.change("acc_a", async (repositories) => {
      await transitionRun(repositories, runs[1], "cancelled", { at: 7, result });
      await transitionRun(repositories, runs[2], "given_back", { at: 7 });
    });
    const before = await database.db.selectFrom("bus_chunk").selectAll().execute();
    const frames = [
      frame("run_1", busItems(1, 2), { epoch: 2 }),
      frame("run_1", busItems(1, 2), { owner: "acc_b" }),
      frame("run_2", busItems(1, 2)),
      frame("run_3", busItems(1, 2)),
      frame("run_4", busItems(1, 2)),
    ];
    assert.deepEqual(
      await store.buses.ingest(frames, 9),
      frames.map(() => ({ kind: "fenced" })),
    );
    assert.deepEqual(await database.db.selectFrom("bus_chunk").selectAll().execute(), before);
  });

  test("numbers messages without gaps or duplicates during concurrent steps of the run", async () => {
    await using database = await open();
    const { store, runs } = await storeWith(database, "run_1", "run_2");
    const steps = async (run: RunRecord) => {
      let now = run;
      for (const event of ["accepted", "ready", "agent_ended", "red_again", "agent_ended", "red_again"] as const)
        now = await store.change("acc_a", (repositories) => transitionRun(repositories, now, event, { at: 9 }));
    };
    const speak = async (id: string) => {
      for (let at = 1; at < 60; at += 3) await store.buses.ingest([frame(id, busItems(at, at + 2))], 9);
    };
    const learn = async () => {
      for (let at = 0; at < 10; at++)
        await store.change("acc_a", async ({ bus }) => {
          await bus.append("run_2", 1, [busItem(1, { wseq: null })]);
          await bus.append("run_1", 1, [busItem(1, { wseq: null })]);
        });
    };
    await Promise.all([...runs.map(steps), speak("run_1"), speak("run_2"), learn()]);
    for (const id of ["run_1", "run_2"]) {
      const all = await messagesOf(store.of("acc_a"), id);
      assert.deepEqual(
        all.map(({ seq }) => seq),
        Array.from({ length: 2 + 6 + 60 + 10 }, (_, index) => index + 1),
      );
      const messages = all.filter(({ text, data }) => text.startsWith("word") && Object.keys(data).length === 0);
      assert.equal(messages.length, 70);
    }
  });

  test("prunes only the oldest messages without a gap, whatever the clocks", async () => {
    await using database = await open();
    const { store } = await storeWith(database, "run_1", "run_2");
    for (const [wseq, at] of [
      [1, 100],
      [2, 300],
      [3, 150],
      [4, 400],
    ] as const)
      await store.buses.ingest([frame("run_1", [busItem(wseq)])], at);
    const { bus } = store.of("acc_a");
    assert.equal((await bus.head("run_1"))?.firstSeq, 1);
    assert.equal(await store.buses.prune("acc_b", { before: 1_000, most: 100 }), 0);
    assert.equal(await store.buses.prune("acc_a", { before: 200, most: 1 }), 1);
    while ((await store.buses.prune("acc_a", { before: 200, most: 2 })) === 2);
    const remaining = await messagesOf(store.of("acc_a"), "run_1");
    assert.deepEqual(
      remaining.map(({ seq }) => seq),
      [6],
    );
    assert.deepEqual([(await bus.head("run_1"))?.firstSeq, (await bus.head("run_2"))?.firstSeq], [6, 3]);
    assert.deepEqual(await store.buses.owners("", 9), [{ owner: "acc_a", plan: "team" }]);
  });
});

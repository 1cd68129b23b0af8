import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { Repositories, PanelStore } from "../../src/domain/repositories.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { frame, busItem } from "../support/bus.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const ACCOUNT = accountRecord("acc_a");
const REPO = repoRecord();
const PAGE = { below: null, limit: 9 };

async function openAccount(store: PanelStore): Promise<void> {
  await store.system.createAccount(newAccount(ACCOUNT));
  await store.change("acc_a", ({ repos }) => repos.add(REPO));
}

function make(repositories: Repositories, id: string): Promise<RunRecord> {
  const input = { kind: "maintain", focus: id, trigger: { type: "manual", retryOf: null } } as const;
  return createRun(repositories, input, { account: ACCOUNT, repo: REPO, id, now: 5, hasWorkers: true });
}

async function read({ runs, queue }: Pick<Repositories, "runs" | "queue">) {
  return { list: await runs.list({}, PAGE), one: await runs.find("run_1"), queue: await queue.view() };
}

forEachEngine<PanelTables>("cached runs and queues", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("shows every change of a run or a queue by any node to cached readers", async () => {
    await using database = await open();
    const [reader, writer] = [storeOn(database), storeOn(database)];
    await openAccount(writer);
    const moved = (event: "leased" | "accepted", more = {}) =>
      writer.change("acc_a", async (repositories) => {
        const run = await repositories.runs.find("run_1");
        assert.ok(run !== null);
        await transitionRun(repositories, run, event, { at: 6, ...more });
      });
    const lease = { epoch: 1, attempt: 1, workerId: "wrk_1", leaseUntil: 100 };
    const renewal = { owner: "acc_a", runId: "run_1", epoch: 1, workerId: "wrk_1" };
    const changes: readonly (() => Promise<unknown>)[] = [
      () => writer.change("acc_a", (repositories) => make(repositories, "run_1")),
      () => writer.change("acc_a", (repositories) => make(repositories, "run_2")),
      () => moved("leased", lease),
      () => writer.fleet.moveLeases([{ ...renewal, leaseUntil: 200 }]),
      () => moved("accepted"),
      () => writer.buses.ingest([frame("run_1", [busItem(1), busItem(2)])], 7),
      () => writer.change("acc_a", ({ runs }) => runs.askToCancel("run_1", 8)),
      () => writer.change("acc_a", ({ account }) => account.setPlan("team")),
      () => writer.fleet.graceLeases(300),
    ];
    let before = await read(reader.of("acc_a"));
    for (const change of changes) {
      await change();
      const after = await read(reader.of("acc_a"));
      assert.deepEqual(after, await read(storeOn(database).of("acc_a")));
      assert.notDeepEqual(after, before);
      before = after;
    }
    const { runs: others } = reader.of("acc_b");
    assert.deepEqual([await others.list({}, PAGE), await others.find("run_1")], [[], null]);
  });

  test("returns the same runs and queue while unchanged, even after a rollback", async () => {
    await using database = await open();
    const store = storeOn(database);
    await openAccount(store);
    await store.change("acc_a", (repositories) => make(repositories, "run_1"));
    const first = await read(store.of("acc_a"));
    const failed = store.change("acc_a", async (repositories) => {
      const run = await make(repositories, "run_2");
      await transitionRun(repositories, run, "leased", {
        at: 6,
        epoch: 1,
        attempt: 1,
        workerId: "wrk_1",
        leaseUntil: 100,
      });
      await read(repositories);
      throw new Error("never committed");
    });
    await assert.rejects(failed, /never committed/);
    const second = await read(store.of("acc_a"));
    assert.deepEqual(second, first);
    assert.deepEqual(second.one, second.list[0]);
    await store.change("acc_a", (repositories) => make(repositories, "run_3"));
    const { list, queue } = await read(store.of("acc_a"));
    assert.deepEqual(
      [list.map(({ id }) => id), queue.waiting.map(({ id }) => id)],
      [
        ["run_3", "run_1"],
        ["run_1", "run_3"],
      ],
    );
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { fireSchedule } from "../../src/domain/fire-schedule.ts";
import { purgeExpired } from "../../src/domain/retention.ts";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { FireRecord } from "../../src/domain/schedule-repository.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, repoRecord } from "../support/records.ts";
import { createClockAt, openScheduleFixture } from "../support/schedule-fixture.ts";

const NAME = { repoId: "rep_1", kind: "maintain" } as const;
const DAILY = { schedule: { enabled: true, cron: "0 3 * * *", jitter_s: 0 } } as const;

function openFixture(database: Database<PanelTables>, time = "2026-06-01T00:00:00Z") {
  const [store, clock] = [storeOn(database), createClockAt(time)];
  return { store, clock, ...openScheduleFixture(store, clock) };
}

forEachEngine<PanelTables>("the schedule repository", { migrations: PANEL_MIGRATIONS }, (open, stores) => {
  test("claims due schedules for one caller, most overdue first, until the claim expires", async () => {
    await using database = await open();
    const { store, addAccount } = openFixture(database);
    await addAccount();
    await addAccount("acc_b");
    for (const [owner, repoId, dueAt] of [
      ["acc_a", "rep_1", 30],
      ["acc_b", "rep_2", 20],
      ["acc_b", "rep_3", 41],
    ] as const)
      await store.change(owner, ({ schedules }) =>
        schedules.plan({ repoId, kind: "explore", scheduledFor: dueAt - 5, dueAt }),
      );
    const take = (now: number, most: number) => store.system.takeDueSchedules({ now, until: now + 10, most });
    const [first, second] = [
      { owner: "acc_b", repoId: "rep_2", kind: "explore" },
      { owner: "acc_a", repoId: "rep_1", kind: "explore" },
    ];
    assert.deepEqual(await take(19, 9), []);
    assert.deepEqual(await take(30, 9), [first, second]);
    assert.deepEqual(await take(39, 9), []);
    assert.deepEqual(await take(40, 1), [first]);
    const taken = (await Promise.all(["one", "other"].map(() => take(60, 9)))).flat();
    assert.deepEqual(taken.map(({ repoId }) => repoId).toSorted(), ["rep_1", "rep_2", "rep_3"]);
  });

  test("replaces and clears plans, and records each time once", async () => {
    await using database = await open();
    const { store, addAccount } = openFixture(database);
    await addAccount();
    const planned = { ...NAME, scheduledFor: 5, dueAt: 7 };
    await store.change("acc_a", ({ schedules }) => schedules.plan({ ...planned, dueAt: 6 }));
    await store.change("acc_a", ({ schedules }) => schedules.plan(planned));
    const { schedules } = store.of("acc_a");
    assert.deepEqual(await schedules.next(NAME), planned);
    assert.deepEqual(
      [await schedules.next({ ...NAME, kind: "explore" }), await store.of("acc_b").schedules.next(NAME)],
      [null, null],
    );
    await store.change("acc_a", ({ schedules }) => schedules.clear(NAME));
    assert.equal(await schedules.next(NAME), null);

    const fire: FireRecord = {
      ...NAME,
      id: "fir_1",
      scheduledFor: 5,
      at: 7,
      result: "quota",
      runId: null,
      missedSince: 2,
    };
    await store.change("acc_a", ({ schedules }) => schedules.record(fire));
    await assert.rejects(store.change("acc_a", ({ schedules }) => schedules.record({ ...fire, id: "fir_2" })));
    const other: FireRecord = {
      ...fire,
      id: "fir_3",
      kind: "explore",
      result: "started",
      runId: "run_1",
      missedSince: null,
    };
    await store.change("acc_a", ({ schedules }) => schedules.record(other));
    assert.deepEqual([await schedules.hasFired(NAME, 5), await schedules.hasFired(NAME, 6)], [true, false]);
    const read = (filter: object, below: string | null = null) => schedules.fires("rep_1", filter, { below, limit: 9 });
    assert.deepEqual(await read({}), [other, fire]);
    assert.deepEqual(await read({}, "fir_3"), [fire]);
    assert.deepEqual([await read({ kind: "explore" }), await read({ result: "quota" })], [[other], [fire]]);
    assert.deepEqual(await store.of("acc_b").schedules.fires("rep_1", {}, { below: null, limit: 9 }), []);
  });

  test("deletes old fires, and those of a deleted repo with it", async () => {
    await using database = await open();
    const { store, addAccount } = openFixture(database);
    await addAccount();
    const DAY_MS = 86_400_000;
    const NOW = 100 * DAY_MS;
    await store.change("acc_a", async ({ repos, schedules }) => {
      for (const id of ["rep_1", "rep_2"]) await repos.add(repoRecord({ id }));
      for (const [id, repoId, at] of [
        ["fir_1", "rep_1", NOW - 31 * DAY_MS],
        ["fir_2", "rep_1", NOW - 29 * DAY_MS],
        ["fir_3", "rep_2", NOW],
      ] as const)
        await schedules.record({
          ...NAME,
          id,
          repoId,
          scheduledFor: at,
          at,
          result: "missed",
          runId: null,
          missedSince: null,
        });
      await schedules.plan({ ...NAME, repoId: "rep_2", scheduledFor: NOW, dueAt: NOW });
      await repos.remove("rep_2", NOW - 31 * DAY_MS);
    });
    await purgeExpired(store, NOW);
    const rows = await database.db.selectFrom("schedule_fire").select("id").execute();
    assert.deepEqual(rows, [{ id: "fir_2" }]);
    assert.deepEqual(await database.db.selectFrom("schedule").select("repo_id").execute(), []);
  });

  test("counts a pull request while it is open, for the schedule and in the repo", async () => {
    await using database = await open();
    const { store, addAccount } = openFixture(database);
    await addAccount();
    const repo = repoRecord();
    await store.change("acc_a", async (repositories) => {
      await repositories.repos.add(repo);
      const input = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
      let run = await createRun(repositories, input, {
        account: accountRecord("acc_a"),
        repo,
        id: "run_1",
        now: 5,
        hasWorkers: true,
      });
      for (const event of [
        "leased",
        "accepted",
        "ready",
        "agent_ended",
        "passed",
        "push_confirmed",
        "pr_found",
      ] as const)
        run = await transitionRun(repositories, run, event, { at: 6 });
    });
    const counted = async () => {
      const { effects, repos } = store.of("acc_a");
      return [await effects.countOpenPrs("rep_1"), (await repos.stats(["rep_1"], 0)).get("rep_1")?.openPrs];
    };
    assert.deepEqual(await counted(), [0, 0]);
    const set = (state: "watching" | "done") =>
      store.change("acc_a", async ({ effects }) => {
        const effect = await effects.find("run_1", "pr");
        if (effect !== null) await effects.save({ ...effect, state });
      });
    await set("watching");
    assert.deepEqual(await counted(), [1, 1]);
    await set("done");
    assert.deepEqual(await counted(), [0, 0]);
  });

  test("creates a run with its record in one commit, and plans the next time", async () => {
    await using database = await open();
    const fixture = openFixture(database);
    await fixture.addAccount();
    await fixture.addRepo(DAILY);
    await fixture.scheduler.poll();
    assert.deepEqual(await fixture.runs(), []);
    fixture.clock.set("2026-06-01T03:00:00Z");
    await fixture.scheduler.poll();
    await fixture.scheduler.poll();
    const [run, ...more] = await fixture.runs();
    assert.deepEqual(more, []);
    const { trigger } = run?.spec ?? {};
    assert.deepEqual(trigger, {
      type: "schedule",
      actor: null,
      candidateId: null,
      retryOf: null,
      scheduledFor: fixture.clock.now(),
    });
    assert.deepEqual(await fixture.fires(), [
      { at: "06-01T03:00", result: "started", runId: run?.id, missedSince: null },
    ]);
    const next = await fixture.store.of("acc_a").schedules.next(NAME);
    assert.equal(next?.dueAt, Date.parse("2026-06-02T03:00:00Z"));
    assert.deepEqual([fixture.fired, fixture.errors], [["started"], []]);
  });

  if (stores.shared)
    test("creates the run with its record, or neither, when the panel crashes", async () => {
      await using location = await stores.createLocation();
      const cutOff = async (time: string, doing: (fixture: ReturnType<typeof openFixture>) => Promise<unknown>) => {
        await using database = await location.open();
        await doing(openFixture(database, time));
      };
      await cutOff("2026-06-01T00:00:00Z", async (fixture) => {
        await fixture.addAccount();
        await fixture.addRepo(DAILY);
      });
      // After the claim, and then in the middle of the transaction.
      await cutOff("2026-06-01T03:00:00Z", async ({ store, clock: { now } }) => {
        assert.equal((await store.system.takeDueSchedules({ now: now(), until: now() + 10_000, most: 9 })).length, 1);
        const change = store.change("acc_a", async (repositories) => {
          await fireSchedule(repositories, NAME, { now: now(), newId: (prefix) => `${prefix}_1` });
          throw new Error("cut off");
        });
        await assert.rejects(change, /cut off/);
      });
      const made = async (fixture: ReturnType<typeof openFixture>) => {
        await fixture.scheduler.poll();
        return [(await fixture.runs()).length, (await fixture.fires()).length];
      };
      await cutOff("2026-06-01T03:00:09Z", async (fixture) => assert.deepEqual(await made(fixture), [0, 0]));
      await cutOff("2026-06-01T03:00:10Z", async (fixture) => assert.deepEqual(await made(fixture), [1, 1]));
      await cutOff("2026-06-01T03:00:20Z", async (fixture) => assert.deepEqual(await made(fixture), [1, 1]));
    });

  if (stores.shared && stores.concurrent && stores.engine === "postgres")
    test("fires each time once with several concurrent panels", async () => {
      await using location = await stores.createLocation();
      await using databases = new AsyncDisposableStack();
      const first = openFixture(databases.use(await location.open()));
      const fixtures = [first, openFixture(databases.use(await location.open()))];
      const repos = 40;
      for (const owner of ["acc_a", "acc_b"]) {
        await first.addAccount(owner, "team");
        for (let n = 0; n < repos / 2; n++) await first.addRepo(DAILY, { id: `rep_${owner}_${n}`, owner });
      }
      // Fires of the first day are still active on the second.
      for (const day of [1, 2]) {
        for (const { clock } of fixtures) clock.set(`2026-06-0${day}T03:00:00Z`);
        await Promise.all(fixtures.flatMap(({ scheduler }) => [scheduler.poll(), scheduler.poll()]));
      }
      const made = [...(await first.runs("acc_a")), ...(await first.runs("acc_b"))];
      assert.deepEqual([made.length, new Set(made.map(({ repoId }) => repoId)).size], [repos, repos]);
      const fired = fixtures.flatMap(({ fired }) => fired);
      const count = (result: string) => fired.filter((item) => item === result).length;
      assert.deepEqual([count("started"), count("run_active"), fired.length], [repos, repos, 2 * repos]);
      assert.ok(fixtures.every(({ fired, errors }) => fired.length > 0 && errors.length === 0));
    });
});

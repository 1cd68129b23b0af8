import assert from "node:assert/strict";
import { test } from "node:test";
import type { SettingsPatch } from "@triptych/contracts";
import { openDatabase } from "@triptych/storage";
import { newEffect } from "../../src/domain/effects.ts";
import { createRun } from "../../src/domain/create-run.ts";
import type { AccountRecord, RepoRecord } from "../../src/domain/records.ts";
import { patchSettings } from "../../src/domain/repo-settings.ts";
import { nextRunsOf, planSchedules, scheduleOf } from "../../src/domain/schedules.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA } from "../../src/store/migrations.ts";
import { storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, repoRecord } from "../support/records.ts";
import { createClockAt, openScheduleHouse } from "../support/schedule-fixture.ts";

const START = "2026-06-01T00:00:00Z";
const DAILY = { schedule: { enabled: true, cron: "0 3 * * *", jitter_s: 0 } } as const;
const NAME = { repoId: "rep_1", kind: "maintain" } as const;

async function openHouse({ plan }: { plan?: AccountRecord["plan"] } = {}) {
  const location = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const database = await openDatabase<PanelTables>(location);
  const [store, clock] = [storeOn(database), createClockAt(START)];
  const house = openScheduleHouse(store, clock);
  await house.addAccount("acc_a", plan);
  return {
    ...house,
    store,
    /** What became of the times up to then, newest first. */
    async at(time: string, repoId = "rep_1") {
      clock.set(time);
      await house.scheduler.poll();
      assert.deepEqual(house.troubles, []);
      return (await house.fires("acc_a", repoId)).map(({ at, result, missedSince }) =>
        missedSince === null ? `${at} ${result}` : `${at} ${result} since ${missedSince}`,
      );
    },
    async patch(repo: RepoRecord, patch: SettingsPatch): Promise<RepoRecord> {
      const after = { ...repo, settings: patchSettings(repo.settings, patch) };
      await store.change("acc_a", async (repositories) => {
        await repositories.repos.save(after);
        await planSchedules(repositories, { before: repo, after, now: clock.now() });
      });
      return after;
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

test("a time while the run before it goes on makes none, and says so", async () => {
  await using house = await openHouse();
  await house.addRepo(DAILY);
  assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), ["06-01T03:00 started"]);
  assert.deepEqual(await house.at("2026-06-02T03:00:00Z"), ["06-02T03:00 run_active", "06-01T03:00 started"]);
  assert.equal((await house.runs()).length, 1);
});

test("a repo that is paused or cannot be reached, and an account that is suspended, make none", async () => {
  for (const status of ["paused", "unreachable"] as const) {
    await using house = await openHouse();
    await house.addRepo(DAILY, { status });
    assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), [`06-01T03:00 repo_${status}`]);
  }
  await using house = await openHouse();
  await house.addRepo(DAILY);
  await house.store.change("acc_a", ({ account }) => account.setStatus("suspended"));
  assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), ["06-01T03:00 account_suspended"]);
});

test("with as many open pull requests as the repo may have, none is made until one is closed", async () => {
  await using house = await openHouse();
  const repo = await house.addRepo({ schedule: { ...DAILY.schedule, max_open_prs: 2 } });
  const setPr = (id: string, state: "watching" | "done") =>
    house.store.change("acc_a", async (repositories) => {
      const input = { kind: "maintain", focus: id, trigger: { type: "manual", retryOf: null } } as const;
      const making = { account: accountRecord("acc_a"), repo, id, now: 1, hasWorkers: true };
      const run = (await repositories.runs.find(id)) ?? (await createRun(repositories, input, making));
      await repositories.effects.save({ ...newEffect(run, "pr", 1), state });
    });
  for (const id of ["run_1", "run_2"]) await setPr(id, "watching");
  assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), ["06-01T03:00 max_open_prs"]);
  await setPr("run_1", "done");
  assert.deepEqual((await house.at("2026-06-02T03:00:00Z"))[0], "06-02T03:00 started");
});

test("a month's runs that are used up and a plan without scouts make none", async () => {
  await using house = await openHouse({ plan: "free" });
  const repo = await house.addRepo({ ...DAILY, explore: { enabled: true, schedule: "30 3 * * *" } });
  await house.store.change("acc_a", async (repositories) => {
    for (let n = 0; n < 100; n++) {
      const input = { kind: "maintain", focus: `${n}`, trigger: { type: "manual", retryOf: null } } as const;
      const making = {
        account: accountRecord("acc_a", "free"),
        repo,
        id: `run_${n}`,
        now: Date.parse(START),
        hasWorkers: true,
      };
      await createRun(repositories, input, making);
    }
  });
  assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), ["06-01T03:00 quota"]);
  assert.equal((await house.at("2026-06-01T03:30:00Z"))[0], "06-01T03:30 plan_required");
});

test("a scout has a schedule of its own, in the zone and with the jitter of the other", async () => {
  await using house = await openHouse();
  const explore = { enabled: true, schedule: "0 5 * * *" };
  await house.addRepo({ schedule: { timezone: "Europe/Paris", jitter_s: 0 }, explore });
  assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), ["06-01T03:00 started"]);
  const [run] = await house.runs();
  assert.deepEqual([run?.kind, run?.spec.trigger.type], ["explore", "schedule"]);
});

test("what was missed while no panel ran is skipped and recorded once; with run_once the newest of it runs", async () => {
  await using house = await openHouse();
  await house.addRepo(DAILY);
  assert.deepEqual(await house.at("2026-06-03T12:00:00Z"), ["06-03T03:00 missed since 06-01T03:00"]);
  assert.equal((await house.at("2026-06-04T03:00:30Z"))[0], "06-04T03:00 started");
  const hourly = { enabled: true, cron: "@hourly", jitter_s: 0, missed: "run_once" } as const;
  await house.addRepo({ schedule: hourly }, { id: "rep_2" });
  assert.deepEqual(await house.at("2026-06-05T12:30:00Z", "rep_2"), ["06-05T12:00 started since 06-04T04:00"]);
  assert.equal((await house.runs()).filter(({ repoId }) => repoId === "rep_2").length, 1);
});

test("a panel that is busy for some minutes has missed nothing", async () => {
  await using house = await openHouse();
  await house.addRepo(DAILY);
  assert.deepEqual(await house.at("2026-06-01T03:05:00Z"), ["06-01T03:00 started"]);
});

test("a change takes effect at once, and one of something else leaves what is due alone", async () => {
  await using house = await openHouse();
  const repo = await house.addRepo(DAILY);
  const moved = await house.patch(repo, { schedule: "0 2 * * *" });
  assert.deepEqual(await house.at("2026-06-01T02:00:00Z"), ["06-01T02:00 started"]);
  // Overdue, as the panel comes back; then somebody edits the focus before it has looked.
  await house.patch(moved, { focus: "other", schedule: { max_open_prs: 1 } });
  assert.equal((await house.at("2026-06-02T02:01:00Z"))[0], "06-02T02:00 started");
  await house.patch(
    { ...moved, settings: patchSettings(moved.settings, { focus: "other" }) },
    { schedule: { enabled: false } },
  );
  assert.equal(await house.store.of("acc_a").schedules.next(NAME), null);
  assert.equal((await house.at("2026-06-05T03:00:00Z")).length, 2);
});

test("a time that was acted on is not acted on again, whatever its schedule is changed to", async () => {
  await using house = await openHouse();
  const repo = await house.addRepo(DAILY);
  assert.deepEqual(await house.at("2026-06-01T03:00:00Z"), ["06-01T03:00 started"]);
  const jittered = await house.patch(repo, { schedule: { jitter_s: 3_600 } });
  assert.ok((scheduleOf(jittered, "maintain")?.jitterMs ?? 0) > 0);
  assert.equal((await house.at("2026-06-01T05:00:00Z")).length, 1);
  assert.equal((await house.at("2026-06-02T04:00:00Z")).length, 2);
});

test("jitter is the same for a repo for ever, within its bound, and spreads repos", () => {
  const jitterOf = (id: string, jitter_s = 300) =>
    scheduleOf(
      repoRecord({ id, settings: patchSettings(repoRecord().settings, { schedule: { ...DAILY.schedule, jitter_s } }) }),
      "maintain",
    )?.jitterMs ?? Number.NaN;
  const all = Array.from({ length: 2_000 }, (_, n) => jitterOf(`rep_${n}`));
  assert.ok(all.every((jitter) => jitter >= 0 && jitter <= 300_000 && jitter % 1_000 === 0));
  const parts = [0, 1, 2].map(
    (part) => all.filter((jitter) => Math.min(2, Math.floor(jitter / 100_000)) === part).length,
  );
  assert.ok(
    parts.every((count) => count > 550 && count < 800),
    parts.join(" "),
  );
  assert.equal(jitterOf("rep_01k"), jitterOf("rep_01k"));
  assert.equal(jitterOf("rep_01k", 0), 0);
});

test("includes the jitter in a repo's next runs", () => {
  const settings = patchSettings(repoRecord().settings, { schedule: "@hourly" });
  const repo = repoRecord({ settings });
  const { jitterMs = 0 } = scheduleOf(repo, "maintain") ?? {};
  const hour = (n: number) => Date.parse(START) + n * 3_600_000 + jitterMs;
  assert.deepEqual(nextRunsOf(repo, "maintain", { now: hour(0), most: 3 }), [hour(1), hour(2), hour(3)]);
  assert.deepEqual(nextRunsOf(repo, "explore", { now: hour(0), most: 3 }), []);
});

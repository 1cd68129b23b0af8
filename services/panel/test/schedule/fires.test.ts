import assert from "node:assert/strict";
import { test } from "node:test";
import type { SettingsPatch } from "@triptych/contracts";
import { openDatabase } from "@triptych/storage";
import { newEffect } from "../../src/domain/effects.ts";
import { createRun } from "../../src/domain/create-run.ts";
import type { AccountRecord, RepoRecord } from "../../src/domain/records.ts";
import { patchSettings } from "../../src/domain/repo-settings.ts";
import { nextRunsOf, planSchedules, scheduleOf } from "../../src/domain/schedules.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { accountRecord, repoRecord } from "../support/records.ts";
import { createClockAt, openScheduleFixture } from "../support/schedule-fixture.ts";

const START = "2026-06-01T00:00:00Z";
const DAILY = { schedule: { enabled: true, cron: "0 3 * * *", jitter_s: 0 } } as const;
const NAME = { repoId: "rep_1", kind: "maintain" } as const;

async function openFixture({ plan }: { plan?: AccountRecord["plan"] } = {}) {
  const location = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const database = await openDatabase<PanelTables>(location);
  const [store, clock] = [storeOn(database), createClockAt(START)];
  const fixture = openScheduleFixture(store, clock);
  await fixture.addAccount("acc_a", plan);
  return {
    ...fixture,
    store,
    /** Results of the times up to then, newest first. */
    async at(time: string, repoId = "rep_1") {
      clock.set(time);
      await fixture.scheduler.poll();
      assert.deepEqual(fixture.errors, []);
      return (await fixture.fires("acc_a", repoId)).map(({ at, result, missedSince }) =>
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

test("skips a time while the previous run is active, with a record", async () => {
  await using fixture = await openFixture();
  await fixture.addRepo(DAILY);
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 started"]);
  assert.deepEqual(await fixture.at("2026-06-02T03:00:00Z"), ["06-02T03:00 run_active", "06-01T03:00 started"]);
  assert.equal((await fixture.runs()).length, 1);
});

test("creates no run for a paused or unreachable repo, or a suspended account", async () => {
  for (const status of ["paused", "unreachable"] as const) {
    await using fixture = await openFixture();
    await fixture.addRepo(DAILY, { status });
    assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), [`06-01T03:00 repo_${status}`]);
  }
  await using fixture = await openFixture();
  await fixture.addRepo(DAILY);
  await fixture.store.change("acc_a", ({ account }) => account.setStatus("suspended"));
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 account_suspended"]);
});

test("creates no run if the project forbids it", async () => {
  await using fixture = await openFixture();
  const aiPolicy = { stance: "forbidden", source: "AGENTS.md:1", quote: "No.", checkedAt: 1, override: null } as const;
  await fixture.addRepo(DAILY, { aiPolicy });
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 policy_forbids"]);
  assert.equal((await fixture.runs()).length, 0);
});

test("creates no run at the maximum of open pull requests, until one is closed", async () => {
  await using fixture = await openFixture();
  const repo = await fixture.addRepo({ schedule: { ...DAILY.schedule, max_open_prs: 2 } });
  const setPr = (id: string, state: "watching" | "done") =>
    fixture.store.change("acc_a", async (repositories) => {
      const input = { kind: "maintain", focus: id, trigger: { type: "manual", retryOf: null } } as const;
      const making = { account: accountRecord("acc_a"), repo, id, now: 1, hasWorkers: true };
      const run = (await repositories.runs.find(id)) ?? (await createRun(repositories, input, making));
      await repositories.effects.save({ ...newEffect(run, "pr", 1), state });
    });
  for (const id of ["run_1", "run_2"]) await setPr(id, "watching");
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 max_open_prs"]);
  await setPr("run_1", "done");
  assert.deepEqual((await fixture.at("2026-06-02T03:00:00Z"))[0], "06-02T03:00 started");
});

test("creates no run above the monthly quota, and no explore run without the plan feature", async () => {
  await using fixture = await openFixture({ plan: "free" });
  const repo = await fixture.addRepo({ ...DAILY, explore: { enabled: true, schedule: "30 3 * * *" } });
  await fixture.store.change("acc_a", async (repositories) => {
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
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 quota"]);
  assert.equal((await fixture.at("2026-06-01T03:30:00Z"))[0], "06-01T03:30 plan_required");
});

test("fires a scout by its own pattern, with the shared zone and jitter", async () => {
  await using fixture = await openFixture();
  const explore = { enabled: true, schedule: "0 5 * * *" };
  await fixture.addRepo({ schedule: { timezone: "Europe/Paris", jitter_s: 0 }, explore });
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 started"]);
  const [run] = await fixture.runs();
  assert.deepEqual([run?.kind, run?.spec.trigger.type], ["explore", "schedule"]);
});

test("skips missed times with one record; with run_once, runs the newest of them", async () => {
  await using fixture = await openFixture();
  await fixture.addRepo(DAILY);
  assert.deepEqual(await fixture.at("2026-06-03T12:00:00Z"), ["06-03T03:00 missed since 06-01T03:00"]);
  assert.equal((await fixture.at("2026-06-04T03:00:30Z"))[0], "06-04T03:00 started");
  const hourly = { enabled: true, cron: "@hourly", jitter_s: 0, missed: "run_once" } as const;
  await fixture.addRepo({ schedule: hourly }, { id: "rep_2" });
  assert.deepEqual(await fixture.at("2026-06-05T12:30:00Z", "rep_2"), ["06-05T12:00 started since 06-04T04:00"]);
  assert.equal((await fixture.runs()).filter(({ repoId }) => repoId === "rep_2").length, 1);
});

test("does not count a delay of some minutes as missed", async () => {
  await using fixture = await openFixture();
  await fixture.addRepo(DAILY);
  assert.deepEqual(await fixture.at("2026-06-01T03:05:00Z"), ["06-01T03:00 started"]);
});

test("applies a changed schedule immediately, and keeps due times on other edits", async () => {
  await using fixture = await openFixture();
  const repo = await fixture.addRepo(DAILY);
  const moved = await fixture.patch(repo, { schedule: "0 2 * * *" });
  assert.deepEqual(await fixture.at("2026-06-01T02:00:00Z"), ["06-01T02:00 started"]);
  // Overdue after a restart; the focus is edited before the first poll.
  await fixture.patch(moved, { focus: "other", schedule: { max_open_prs: 1 } });
  assert.equal((await fixture.at("2026-06-02T02:01:00Z"))[0], "06-02T02:00 started");
  await fixture.patch(
    { ...moved, settings: patchSettings(moved.settings, { focus: "other" }) },
    { schedule: { enabled: false } },
  );
  assert.equal(await fixture.store.of("acc_a").schedules.next(NAME), null);
  assert.equal((await fixture.at("2026-06-05T03:00:00Z")).length, 2);
});

test("never fires a time twice, whatever its schedule is changed to", async () => {
  await using fixture = await openFixture();
  const repo = await fixture.addRepo(DAILY);
  assert.deepEqual(await fixture.at("2026-06-01T03:00:00Z"), ["06-01T03:00 started"]);
  const jittered = await fixture.patch(repo, { schedule: { jitter_s: 3_600 } });
  assert.ok((scheduleOf(jittered, "maintain")?.jitterMs ?? 0) > 0);
  assert.equal((await fixture.at("2026-06-01T05:00:00Z")).length, 1);
  assert.equal((await fixture.at("2026-06-02T04:00:00Z")).length, 2);
});

test("keeps the jitter of a repo constant and within its limit, and spreads repos", () => {
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

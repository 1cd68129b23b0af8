/** Accounts with scheduled repos, a manual clock, and schedulers that poll on demand. */
import { randomBytes } from "node:crypto";
import type { FireResult, PlanId, SettingsPatch } from "@triptych/contracts";
import { ulid } from "@triptych/ids";
import type { PanelStore } from "../../src/domain/repositories.ts";
import type { RepoRecord } from "../../src/domain/records.ts";
import { DEFAULT_SETTINGS, patchSettings } from "../../src/domain/repo-settings.ts";
import { planSchedules } from "../../src/domain/schedules.ts";
import { openScheduler } from "../../src/schedule/open-scheduler.ts";
import { accountRecord, newAccount, repoRecord } from "./records.ts";

export function createClockAt(time: string) {
  let now = Date.parse(time);
  return { now: () => now, set: (time: string) => void (now = Date.parse(time)) };
}

type ClockAt = ReturnType<typeof createClockAt>;

export function openScheduleFixture(store: PanelStore, clock: ClockAt) {
  const fired: FireResult[] = [];
  const errors: unknown[] = [];
  const newId = (prefix: string) => ulid(prefix, clock.now(), randomBytes);
  return {
    fired,
    errors,
    scheduler: openScheduler({
      store,
      now: clock.now,
      newId,
      timers: { after: () => () => {} },
      meter: { fired: (result) => fired.push(result) },
      onError: (error) => errors.push(error),
    }),
    async addAccount(id = "acc_a", plan: PlanId = "pro"): Promise<void> {
      await store.system.createAccount(newAccount(accountRecord(id, plan), id.at(-1)));
    },
    async addRepo(settings: SettingsPatch, more: Partial<RepoRecord> & { owner?: string } = {}): Promise<RepoRecord> {
      const { owner = "acc_a", ...about } = more;
      const repo = repoRecord({ ...about, settings: patchSettings(DEFAULT_SETTINGS, settings) });
      await store.change(owner, async (repositories) => {
        await repositories.repos.add(repo);
        await planSchedules(repositories, { before: null, after: repo, now: clock.now() });
      });
      return repo;
    },
    fires: async (owner = "acc_a", repoId = "rep_1") =>
      (await store.of(owner).schedules.fires(repoId, {}, { below: null, limit: 50 })).map((fire) => ({
        at: new Date(fire.scheduledFor).toISOString().slice(5, 16),
        result: fire.result,
        runId: fire.runId,
        missedSince: fire.missedSince === null ? null : new Date(fire.missedSince).toISOString().slice(5, 16),
      })),
    runs: (owner = "acc_a") => store.of(owner).runs.list({}, { below: null, limit: 200 }),
  };
}

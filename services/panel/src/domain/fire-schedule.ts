/**
 * Fires a due schedule inside one transaction of the account. Recording the result, creating the run and planning the next time are atomic,
 * so a time fires once despite other nodes and crashes.
 */
import type { FireResult, IsolationLevel, ProblemCode } from "@triptych/contracts";
import { createRun, type CreateRunContext } from "./create-run.ts";
import type { Repositories } from "./repositories.ts";
import type { RepoRecord } from "./records.ts";
import { DomainError } from "./domain-error.ts";
import type { FireRecord, ScheduleName } from "./schedule-repository.ts";
import { scheduleOf, type Schedule } from "./schedules.ts";
import { lastTime } from "./cron-times.ts";

/** More than the delay of a busy panel: after this, the panel must have been down. */
const LATE_MS = 5 * 60_000;

interface FireContext {
  readonly now: number;
  readonly newId: (prefix: string) => string;
  readonly isolationMin?: IsolationLevel;
}

/** Null if nothing is due: another node was faster, or the schedule changed. */
export async function fireSchedule(
  repositories: Repositories,
  name: ScheduleName,
  firing: FireContext,
): Promise<FireRecord | null> {
  const { schedules, repos } = repositories;
  const planned = await schedules.next(name);
  if (planned === null || planned.dueAt > firing.now) return null;
  const repo = await repos.find(name.repoId);
  const schedule = repo === null ? null : scheduleOf(repo, name.kind);
  if (repo === null || schedule === null) {
    await schedules.clear(name);
    return null;
  }
  const upTo = firing.now - schedule.jitterMs;
  const scheduledFor = lastTime(schedule.timetable, { since: planned.scheduledFor, upTo });
  await planNext(repositories, name, { schedule, after: scheduledFor });
  if (await schedules.hasFired(name, scheduledFor)) return null;
  const isMissed = upTo - scheduledFor > LATE_MS && repo.settings.schedule.missed === "skip";
  const became = isMissed ? NO_RUN("missed") : await startRun(repositories, repo, { ...firing, name, scheduledFor });
  const missedSince = planned.scheduledFor < scheduledFor ? planned.scheduledFor : null;
  const fire = { ...name, ...became, id: firing.newId("fir"), scheduledFor, at: firing.now, missedSince };
  await schedules.record(fire);
  return fire;
}

interface PlanOptions {
  readonly schedule: Schedule;
  readonly after: number;
}

async function planNext(
  { schedules }: Repositories,
  name: ScheduleName,
  { schedule, after }: PlanOptions,
): Promise<void> {
  const scheduledFor = schedule.timetable.next(after);
  if (scheduledFor === null) return schedules.clear(name);
  return schedules.plan({ ...name, scheduledFor, dueAt: scheduledFor + schedule.jitterMs });
}

type FireOutcome = Pick<FireRecord, "result" | "runId">;

const NO_RUN = (result: FireResult): FireOutcome => ({ result, runId: null });

interface StartOptions extends FireContext {
  readonly name: ScheduleName;
  readonly scheduledFor: number;
}

async function startRun(repositories: Repositories, repo: RepoRecord, starting: StartOptions): Promise<FireOutcome> {
  const { kind } = starting.name;
  const account = await repositories.account.read();
  if (account.status === "suspended") return NO_RUN("account_suspended");
  // A paused repo is reported as paused, even with an open run.
  const mayOpen = kind === "explore" || repo.status === "paused" || (await hasCapacity(repositories, repo));
  if (!mayOpen) return NO_RUN("max_open_prs");
  const { isolationMin } = starting;
  const hasWorkers = (await repositories.workers.countConnected()) > 0;
  const making: CreateRunContext = {
    account,
    repo,
    id: starting.newId("run"),
    now: starting.now,
    hasWorkers,
    isolationMin,
  };
  const trigger = { type: "schedule", retryOf: null, scheduledFor: starting.scheduledFor } as const;
  try {
    const run = await createRun(repositories, { kind, trigger }, making);
    return { result: "started", runId: run.id };
  } catch (error) {
    const result = error instanceof DomainError ? RESULTS[error.code] : undefined;
    if (result === undefined) throw error;
    return NO_RUN(result);
  }
}

async function hasCapacity({ effects }: Repositories, { id, settings }: RepoRecord): Promise<boolean> {
  return (await effects.countOpenPrs(id)) < settings.schedule.max_open_prs;
}

const RESULTS: Partial<Record<ProblemCode, FireResult>> = {
  plan_required: "plan_required",
  quota_exceeded: "quota",
  policy_forbids: "policy_forbids",
  repo_paused: "repo_paused",
  repo_unreachable: "repo_unreachable",
  run_already_active: "run_active",
  explore_already_active: "run_active",
};

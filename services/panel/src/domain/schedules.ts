import { RUN_KINDS, type RepoSettings, type RunKind } from "@triptych/contracts";
import { readCron } from "./cron.ts";
import type { Repositories } from "./repositories.ts";
import type { RepoRecord } from "./records.ts";
import { nextTimes, timetableOf, type CronTimes } from "./cron-times.ts";

export interface Schedule {
  readonly timetable: CronTimes;
  readonly jitterMs: number;
}

type Scheduled = Pick<RepoRecord, "id" | "settings">;

/** Null when disabled. Both schedules share zone, jitter and the policy for missed times. */
export function scheduleOf({ id, settings }: Scheduled, kind: RunKind): Schedule | null {
  const { schedule } = settings;
  const pattern = patternOf(settings, kind);
  const timetable = pattern === null ? null : timetableIn(schedule.timezone, pattern);
  if (timetable === null) return null;
  const jitterMs = (hashOf(`${id} ${kind}`) % (schedule.jitter_s + 1)) * 1_000;
  return { timetable, jitterMs };
}

/** Parsing a pattern takes 0.1 ms, as does each next time: a page of repos has a hundred patterns. */
const CACHE = new Map<string, CronTimes>();
const CACHE_MAX = 1_000;

function timetableIn(zone: string, pattern: string): CronTimes | null {
  const name = `${zone} ${pattern}`;
  const cached = CACHE.get(name);
  if (cached !== undefined) return cached;
  const read = readCron(pattern);
  if (read.kind === "bad") return null;
  const timetable = timetableOf({ cron: read.cron, zone });
  const [oldest] = CACHE.keys();
  if (CACHE.size >= CACHE_MAX && oldest !== undefined) CACHE.delete(oldest);
  CACHE.set(name, timetable);
  return timetable;
}

function patternOf({ schedule, explore }: RepoSettings, kind: RunKind): string | null {
  if (kind === "maintain") return schedule.enabled ? schedule.cron : null;
  return explore.enabled ? explore.schedule : null;
}

/** FNV-1a: spreads ids evenly over the seconds. Must stay stable. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

export function nextRunsOf(
  repo: Scheduled,
  kind: RunKind,
  { now, most }: { now: number; most: number },
): readonly number[] {
  const schedule = scheduleOf(repo, kind);
  if (schedule === null) return [];
  const { timetable, jitterMs } = schedule;
  return nextTimes(timetable, now - jitterMs, most).map((at) => at + jitterMs);
}

interface Edit {
  readonly before: Scheduled | null;
  readonly after: Scheduled;
  readonly now: number;
}

/** Updates the plan after an edit of the settings. An unchanged schedule keeps its time, even an overdue one. */
export async function planSchedules({ schedules }: Repositories, { before, after, now }: Edit): Promise<void> {
  for (const kind of RUN_KINDS) {
    if (before !== null && timingKey(before, kind) === timingKey(after, kind)) continue;
    const name = { repoId: after.id, kind };
    const schedule = scheduleOf(after, kind);
    const scheduledFor = schedule === null ? null : schedule.timetable.next(now - schedule.jitterMs);
    if (schedule === null || scheduledFor === null) await schedules.clear(name);
    else await schedules.plan({ ...name, scheduledFor, dueAt: scheduledFor + schedule.jitterMs });
  }
}

function timingKey({ settings }: Scheduled, kind: RunKind): string {
  return JSON.stringify([patternOf(settings, kind), settings.schedule.timezone, settings.schedule.jitter_s]);
}
